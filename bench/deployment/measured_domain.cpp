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
constexpr std::chrono::seconds kStart(60), kLongestRest(10);
constexpr std::chrono::milliseconds kRest(2500), kRestPoll(100);

std::string log_in(const std::string& folder) { return folder + "/log"; }

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

/// The word of a line that begins with `prefix`, without a comma at its end; empty if there is none.
std::string url_in(const std::string& line, const std::string& prefix) {
  const std::size_t begin = line.find(prefix);
  return begin == std::string::npos ? "" : line.substr(begin, line.find_first_of(", ", begin) - begin);
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

MeasuredDomain::MeasuredDomain(const std::string& program, const DomainSetup& setup)
    : root_(scratch_.path() + "/root"), environment_(setup.environment), options_(setup.options) {
  fs::create_directory(root_);
  const std::string naming = start_domain(program, setup);
  sca::ControlOptions options;
  options.naming = naming;
  options.query_timeout_ms = 60'000;
  client_ = std::make_unique<sca::DomainClient>(options);
  manager_ = client_->for_action<CF::DomainManager>(client_->domain());
  node_ = start(program, {"node", "--name", "bench", "--naming", naming});
  const auto end = Clock::now() + kStart;
  while (messages_in(scratch_.path()).find("all its devices and services are registered") ==
         std::string::npos) {
    if (!node_->running() || Clock::now() > end)
      fail("the node has not registered its devices with the domain", scratch_.path());
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

/// Starts orbweaver with its state, caches and messages in the scratch folder.
std::unique_ptr<Child> MeasuredDomain::start(const std::string& program,
                                             std::vector<std::string> arguments) const {
  const std::string& folder = scratch_.path();
  std::vector<std::string> all = {"-c",
                                  "log=$1; shift; exec env \"$@\" 2>> \"$log\"",
                                  "sh",
                                  log_in(folder),
                                  "XDG_STATE_HOME=" + folder,
                                  "XDG_CACHE_HOME=" + folder};
  all.insert(all.end(), environment_.begin(), environment_.end());
  all.push_back(program);
  all.insert(all.end(), arguments.begin(), arguments.end());
  all.insert(all.end(), options_.begin(), options_.end());
  return std::make_unique<Child>("/bin/sh", all);
}

std::string MeasuredDomain::start_domain(const std::string& program, const DomainSetup& setup) {
  std::vector<std::string> arguments{"domain", "--root", root_, "--port", "0"};
  if (setup.separate_naming) {
    naming_ = start(program, {"naming", "--port", "0"});
    const std::string line = naming_->read_line(kStart).value_or("");
    if (url_in(line, "corbaloc:").empty()) fail("the naming service has not started", scratch_.path());
    arguments.insert(arguments.end(), {"--naming", url_in(line, "corbaloc:")});
  }
  if (setup.monitor) arguments.insert(arguments.end(), {"--http", "0"});
  domain_ = start(program, arguments);
  for (;;) {
    const auto line = domain_->read_line(kStart);
    if (!line) fail("the domain has not started", scratch_.path());
    if (const std::string url = url_in(*line, "http:"); !url.empty()) monitor_url_ = url;
    if (const std::string url = url_in(*line, "corbaloc:"); !url.empty()) return url;
  }
}

MeasuredDomain::~MeasuredDomain() {
  factory_ = nullptr;
  manager_ = nullptr;
  client_.reset();
}

void MeasuredDomain::install(const Assembly& assembly) {
  write_assembly(assembly, root_);
  install(assembly.file_name());
}

void MeasuredDomain::install(const std::string& file_name) {
  manager_->installApplication("/" + file_name);
  for (const auto& each : manager_->applicationFactories())
    if (each->softwareProfile() == "/" + file_name)
      factory_ = client_->for_action<CF::ApplicationFactory>(each);
  if (!factory_) throw std::runtime_error(file_name + " is not installed");
}

MeasuredDomain::ApplicationRef MeasuredDomain::create() {
  return client_->for_action<CF::Application>(factory_->create("bench", {}, {}));
}

Cycle MeasuredDomain::run() {
  Cycle cycle;
  auto begin = Clock::now();
  const auto application = create();
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
  std::vector<HeldBy> processes;
  if (naming_) add_processes("naming service", naming_->pid(), processes);
  add_processes("domain manager", domain_->pid(), processes);
  add_processes("node", node_->pid(), processes);
  return {std::move(processes), files_in(scratch_.path()), state_kib_in(scratch_.path())};
}

Held MeasuredDomain::held_at_rest() const {
  const auto end = Clock::now() + kLongestRest;
  auto since = Clock::now();
  Held before = held();
  for (;;) {
    std::this_thread::sleep_for(kRestPoll);
    Held now = held();
    if (!before.same_counts(now)) since = Clock::now();
    if (Clock::now() - since > kRest || Clock::now() > end) return now;
    before = std::move(now);
  }
}

}  // namespace orbweaver::bench
