#include "server.h"

#include <signal.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "platform/testing/reserved_port.h"

namespace interop {
namespace {

namespace platform = orbweaver::platform;
using Clock = std::chrono::steady_clock;

/// Appends the output of the child to `text` until `enough(text)`, the end of the output, or the time `end`.
template <class Enough>
void read_until(platform::ChildProcess& child, std::string& text, Clock::time_point end, Enough enough) {
  platform::Poller poller;
  const std::size_t output = poller.add(child.output());
  for (bool at_end = false; !at_end && !enough(text) && Clock::now() < end;)
    if (poller.wait(100) && poller.ready(output)) text += platform::read_available(child.output(), at_end);
}

/// The first complete line that begins with `beginning`; empty: none yet. An ORB may print other lines, too.
std::string line_of(const std::string& output, const std::string& beginning) {
  std::size_t at = 0;
  for (std::size_t end; (end = output.find('\n', at)) != std::string::npos; at = end + 1) {
    if (output.compare(at, beginning.size(), beginning) == 0) return output.substr(at, end - at);
  }
  return {};
}

}  // namespace

std::string free_port() { return platform::testing::reserve_port(); }

Server::Server(const std::string& program, std::vector<std::string> environment)
    : program_(program), environment_(std::move(environment)) {
  // Another process may take the port before the server does: then another port is tried.
  std::string output;
  for (int attempt = 0; attempt < 3; ++attempt) {
    output.clear();
    port_ = free_port();
    if (start(output)) return;
  }
  throw std::runtime_error(program + " printed no reference, but: " + output);
}

void Server::restart() {
  const std::lock_guard lock(mutex_);
  process_ = platform::ChildProcess();
  std::string output;
  if (!start(output)) throw std::runtime_error(program_ + " did not restart: " + output);
}

void Server::kill() {
  const std::lock_guard lock(mutex_);
  process_.kill();
  process_.reap();
}

void Server::stop() { stop_process(process_); }

void Server::go_on() { process_.signal(SIGCONT); }

std::set<std::string> Server::sockets() const {
  std::set<std::string> sockets;
  for (const auto& descriptor :
       std::filesystem::directory_iterator("/proc/" + std::to_string(process_.pid()) + "/fd")) {
    std::error_code closed;
    const std::string target = std::filesystem::read_symlink(descriptor.path(), closed).string();
    if (target.rfind("socket:", 0) == 0) sockets.insert(target);
  }
  return sockets;
}

bool Server::start(std::string& output) {
  platform::SpawnRequest request;
  request.program = program_;
  request.arguments = {port_};
  request.extra_environment = environment_;
  process_ = platform::ChildProcess();
  if (process_.spawn(request) != 0) throw std::runtime_error("cannot start " + program_);
  read_until(process_, output, Clock::now() + std::chrono::seconds(120),
             [](const std::string& so_far) { return !line_of(so_far, "corbaloc:").empty(); });
  ior_ = line_of(output, "IOR:");
  corbaloc_ = line_of(output, "corbaloc:");
  return !ior_.empty() && !corbaloc_.empty();
}

void stop_process(platform::ChildProcess& process) {
  process.signal(SIGSTOP);
  waitpid(process.pid(), nullptr, WUNTRACED);
}

ProgramResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                          std::chrono::seconds limit) {
  platform::SpawnRequest request;
  request.program = program;
  request.arguments = arguments;
  platform::ChildProcess child;
  ProgramResult result;
  if (child.spawn(request) != 0) return result;
  const auto end = Clock::now() + limit;
  read_until(child, result.output, end, [](const std::string&) { return false; });
  if (Clock::now() >= end) {
    child.kill();
    result.output += "\n(ended after " + std::to_string(limit.count()) + " s)";
  }
  const platform::ExitStatus how = child.reap();
  result.status = how.signalled ? -1 : how.code;
  return result;
}

std::vector<std::string> options_from_environment() {
  const char* const given = std::getenv("INTEROP_ORB_OPTIONS");
  std::istringstream words(given != nullptr ? given : "");
  return {std::istream_iterator<std::string>(words), {}};
}

std::string giop_version() {
  const char* const given = std::getenv("INTEROP_GIOP");
  return given != nullptr ? given : "1.2";
}

std::string sibling_program(const std::string& name) {
  const std::string own = platform::executable_path();
  return own.substr(0, own.rfind('/') + 1) + name;
}

}  // namespace interop
