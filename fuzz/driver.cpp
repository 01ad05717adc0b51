// Runs a fuzz target without libFuzzer: every file of the corpus folder, then seeded mutations of them. The
// same arguments give the same inputs. The input is printed if it crashes the target or exceeds the limit of
// CPU time.
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
    // Boundary values of lengths and signs.
    static constexpr std::uint8_t kEdges[] = {0, 1, 2, 4, 7, 8, 0x7f, 0x80, 0xfe, 0xff};
    const auto at = [&] { return input.begin() + static_cast<std::ptrdiff_t>(below(input.size())); };
    if (input.empty()) input.push_back(0);
    switch (below(8)) {
      case 0: *at() ^= static_cast<std::uint8_t>(1u << below(8)); break;
      case 1: *at() = kEdges[below(std::size(kEdges))]; break;
      case 2: *at() = static_cast<std::uint8_t>(below(256)); break;
      case 3: input.resize(below(input.size())); break;
      case 4: input.insert(at(), kEdges[below(std::size(kEdges))]); break;
      case 5: input.erase(at()); break;
      case 6: {  // a word of ones or zeros
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

/// Prints the current input. Called by the sanitizers before they end the program, and on SIGABRT.
void show_input() {
  if (running == nullptr) return;
  std::fprintf(stderr, "input of %zu bytes: ", running->size());
  for (const std::uint8_t byte : *running) std::fprintf(stderr, "%02x", byte);
  std::fprintf(stderr, "\n");
}
void show_input_of_abort(int) { show_input(); }

/// The limit of CPU time per input, which does not depend on the load of the machine.
constexpr time_t kInputSeconds = 10;
void end_slow_input(int) {
  std::fprintf(stderr, "input takes more than %ld s of CPU time\n", static_cast<long>(kInputSeconds));
  show_input();
  _exit(1);
}
void limit_time() {
  itimerval limit{};
  limit.it_value.tv_sec = kInputSeconds;
  setitimer(ITIMER_PROF, &limit, nullptr);
}

/// Runs the target with a copy of the input of the exact size, so that a sanitizer detects accesses beyond
/// it.
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
  std::printf("passed: %zu inputs and %ld mutations of them (seed %u)\n", corpus.size(), mutations, seed);
}
