#include "measured_domain.h"

#include <stdlib.h>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace orbweaver::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kStart(60);

std::string log_in(const std::string& folder) { return folder + "/log"; }

/// Starts orbweaver with its state, caches and messages in `folder`.
std::unique_ptr<Child> start(const std::string& program, const std::string& folder,
                             std::vector<std::string> arguments) {
  std::vector<std::string> all = {"-c",
                                  "log=$1; shift; exec env \"$@\" 2>> \"$log\"",
                                  "sh",
                                  log_in(folder),
                                  "XDG_STATE_HOME=" + folder,
                                  "XDG_CACHE_HOME=" + folder,
                                  program};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return std::make_unique<Child>("/bin/sh", all);
}

std::string messages_in(const std::string& folder) {
  std::ifstream log(log_in(folder));
  std::ostringstream text;
  text << log.rdbuf();
  return text.str();
}

/// Throws std::runtime_error with the messages of the processes.
[[noreturn]] void fail(const std::string& what, const std::string& folder) {
  throw std::runtime_error(what + "; the messages of the processes:\n" + messages_in(folder));
}

/// A process and its descendants.
std::vector<pid_t> tree_of(pid_t root) {
  std::vector<pid_t> found{root};
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::error_code ignored;
    const std::string tasks = "/proc/" + std::to_string(found[i]) + "/task";
    for (const auto& task : fs::directory_iterator(tasks, ignored)) {
      std::ifstream children(task.path() / "children");
      for (pid_t pid = 0; children >> pid;) found.push_back(pid);
    }
  }
  return found;
}

long resident_kib(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmRSS:", 0) == 0) return std::stol(line.substr(6));
  }
  return 0;
}

template <class Iterator>
long count_of(const std::string& folder) {
  std::error_code ignored;
  return static_cast<long>(std::distance(Iterator(folder, ignored), Iterator()));
}

double since_ms(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

}  // namespace

ScratchFolder::ScratchFolder() : path_(fs::temp_directory_path() / "orbweaver-bench-XXXXXX") {
  if (mkdtemp(path_.data()) == nullptr)
    throw std::system_error(errno, std::generic_category(), "cannot create " + path_);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

MeasuredDomain::MeasuredDomain(const std::string& program) : root_(scratch_.path() + "/root") {
  fs::create_directory(root_);
  domain_ = start(program, scratch_.path(), {"domain", "--root", root_, "--port", "0"});
  const std::string line = domain_->read_line(kStart).value_or("");
  const std::size_t begin = line.find("corbaloc:");
  if (begin == std::string::npos) fail("the domain has not started", scratch_.path());
  const std::string naming = line.substr(begin, line.find(',', begin) - begin);
  sca::ControlOptions options;
  options.naming = naming;
  options.query_timeout_ms = 60'000;
  client_ = std::make_unique<sca::DomainClient>(options);
  manager_ = client_->for_action<CF::DomainManager>(client_->domain());
  node_ = start(program, scratch_.path(), {"node", "--name", "bench", "--naming", naming});
  const auto end = Clock::now() + kStart;
  while (messages_in(scratch_.path()).find("all its devices and services are registered") ==
         std::string::npos) {
    if (!node_->running() || Clock::now() > end)
      fail("the node has not registered its devices with the domain", scratch_.path());
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

MeasuredDomain::~MeasuredDomain() {
  factory_ = nullptr;
  manager_ = nullptr;
  client_.reset();
}

void MeasuredDomain::install(const Assembly& assembly) {
  write_assembly(assembly, root_);
  manager_->installApplication("/" + assembly.file_name());
  for (const auto& each : manager_->applicationFactories())
    if (each->name() == assembly.file_name()) factory_ = client_->for_action<CF::ApplicationFactory>(each);
  if (!factory_) throw std::runtime_error(assembly.file_name() + " is not installed");
}

Cycle MeasuredDomain::run() {
  Cycle cycle;
  auto begin = Clock::now();
  const auto application = client_->for_action<CF::Application>(factory_->create("bench", {}, {}));
  cycle.create_ms = since_ms(begin);
  begin = Clock::now();
  application->start();
  cycle.start_ms = since_ms(begin);
  begin = Clock::now();
  application->stop();
  application->releaseObject();
  cycle.release_ms = since_ms(begin);
  return cycle;
}

Held MeasuredDomain::held() const {
  Held held;
  for (const pid_t root : {domain_->pid(), node_->pid()}) {
    for (const pid_t pid : tree_of(root)) {
      held.resident_kib += resident_kib(pid);
      held.descriptors += count_of<fs::directory_iterator>("/proc/" + std::to_string(pid) + "/fd");
    }
  }
  held.files = count_of<fs::recursive_directory_iterator>(scratch_.path());
  return held;
}

}  // namespace orbweaver::bench
