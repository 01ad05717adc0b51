// Runs a fuzz target where there is no libFuzzer: every file of the corpus folder as it is, then seeded
// mutations of them. The same arguments give the same inputs; a crash names the one that made it, and so does an input
// that takes more processor time than its limit.
//
//   fuzz_NAME CORPUS_FOLDER [MUTATIONS [SEED]]
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <vector>

#include <sys/time.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Input = std::vector<std::uint8_t>;

std::vector<Input> read_corpus(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Input> inputs;
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return inputs;
}

class Mutator {
 public:
  explicit Mutator(std::uint32_t seed) : random_(seed) {}

  Input mutate(const std::vector<Input>& corpus) {
    Input input = corpus[below(corpus.size())];
    for (std::size_t n = 1 + below(4); n != 0; --n) mutate_once(input, corpus);
    return input;
  }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

  void mutate_once(Input& input, const std::vector<Input>& corpus) {
    // Numbers at which lengths and signs turn over.
    static constexpr std::uint8_t kEdges[] = {0, 1, 2, 4, 7, 8, 0x7f, 0x80, 0xfe, 0xff};
    const auto at = [&] { return input.begin() + static_cast<std::ptrdiff_t>(below(input.size())); };
    if (input.empty()) input.push_back(0);
    switch (below(8)) {
      case 0:
        *at() ^= static_cast<std::uint8_t>(1u << below(8));
        break;
      case 1:
        *at() = kEdges[below(std::size(kEdges))];
        break;
      case 2:
        *at() = static_cast<std::uint8_t>(below(256));
        break;
      case 3:
        input.resize(below(input.size()));
        break;
      case 4:
        input.insert(at(), kEdges[below(std::size(kEdges))]);
        break;
      case 5:
        input.erase(at());
        break;
      case 6: {  // a whole word of ones or zeros
        const auto first = at();
        std::fill_n(first, std::min<std::ptrdiff_t>(4, input.end() - first), below(2) ? 0xff : 0);
        break;
      }
      default: {  // the end of another input
        const Input& other = corpus[below(corpus.size())];
        input.resize(below(input.size()));
        input.insert(input.end(), other.begin() + static_cast<std::ptrdiff_t>(below(other.size())),
                     other.end());
      }
    }
  }

  std::mt19937 random_;
};

const Input* running = nullptr;

/// What the sanitizers call before they end the program, and abort() too.
void show_input() {
  if (running == nullptr) return;
  std::fprintf(stderr, "input of %zu bytes: ", running->size());
  for (const std::uint8_t byte : *running) std::fprintf(stderr, "%02x", byte);
  std::fprintf(stderr, "\n");
}
void show_input_of_abort(int) { show_input(); }

/// Processor time, which a busy machine does not take away from it.
constexpr time_t kInputSeconds = 10;
void end_slow_input(int) {
  std::fprintf(stderr, "an input takes longer than %ld s of processor time\n", static_cast<long>(kInputSeconds));
  show_input();
  _exit(1);
}
void limit_time() {
  itimerval limit{};
  limit.it_value.tv_sec = kInputSeconds;
  setitimer(ITIMER_PROF, &limit, nullptr);
}

/// An exact copy on the heap, so that a sanitizer sees one byte too many.
void run(const Input& input) {
  limit_time();
  const auto copy = std::make_unique<std::uint8_t[]>(input.size());
  std::copy(input.begin(), input.end(), copy.get());
  LLVMFuzzerTestOneInput(copy.get(), input.size());
}

}  // namespace

extern "C" void __sanitizer_set_death_callback(void (*)()) __attribute__((weak));

int main(int argc, char** argv) {
  if (argc < 2 || !std::filesystem::is_directory(argv[1])) {
    std::fprintf(stderr, "usage: %s CORPUS_FOLDER [MUTATIONS [SEED]]\n", argv[0]);
    return 2;
  }
  const long mutations = argc > 2 ? std::atol(argv[2]) : 50000;
  const auto seed = static_cast<std::uint32_t>(argc > 3 ? std::atol(argv[3]) : 1);
  const std::vector<Input> corpus = read_corpus(argv[1]);
  if (corpus.empty()) {
    std::fprintf(stderr, "%s: no files in %s\n", argv[0], argv[1]);
    return 2;
  }
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(show_input);
  std::signal(SIGABRT, show_input_of_abort);
  std::signal(SIGPROF, end_slow_input);
  for (const Input& input : corpus) {
    running = &input;
    run(input);
  }
  Mutator mutator(seed);
  for (long i = 0; i < mutations; ++i) {
    const Input input = mutator.mutate(corpus);
    running = &input;
    run(input);
  }
  running = nullptr;
  std::printf("%zu inputs and %ld mutations of them (seed %u) survived\n", corpus.size(), mutations, seed);
}
