#include "server.h"

#include <cstdlib>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "platform/testing/reserved_port.h"

namespace interop {
namespace {

namespace platform = orbweaver::platform;
using Clock = std::chrono::steady_clock;

/// Adds what the child prints to `text` until `enough` of it, its end, or the end of the time.
template <class Enough>
void read_until(platform::ChildProcess& child, std::string& text, Clock::time_point end, Enough enough) {
  platform::Poller poller;
  const std::size_t output = poller.add(child.output());
  for (bool at_end = false; !at_end && !enough(text) && Clock::now() < end;)
    if (poller.wait(100) && poller.ready(output)) text += platform::read_available(child.output(), at_end);
}

/// The whole line that begins so; empty: none yet. An ORB may have more to say, such as what it does without.
std::string line_of(const std::string& said, const std::string& beginning) {
  std::size_t at = 0;
  for (std::size_t end; (end = said.find('\n', at)) != std::string::npos; at = end + 1) {
    if (said.compare(at, beginning.size(), beginning) == 0) return said.substr(at, end - at);
  }
  return {};
}

}  // namespace

std::string free_port() { return platform::testing::reserve_port(); }

Server::Server(const std::string& program) : program_(program) {
  // Between our look and the server's, somebody else may take the port: then another.
  std::string said;
  for (int attempt = 0; attempt < 3; ++attempt) {
    said.clear();
    port_ = free_port();
    if (start(said)) return;
  }
  throw std::runtime_error(program + " did not say where it is, but: " + said);
}

void Server::restart() {
  process_ = platform::ChildProcess();
  std::string said;
  if (!start(said)) throw std::runtime_error(program_ + " did not come back, but said: " + said);
}

bool Server::start(std::string& said) {
  platform::SpawnRequest request;
  request.program = program_;
  request.arguments = {port_};
  process_ = platform::ChildProcess();
  if (process_.spawn(request) != 0) throw std::runtime_error("cannot start " + program_);
  read_until(process_, said, Clock::now() + std::chrono::seconds(120),
             [](const std::string& so_far) { return !line_of(so_far, "corbaloc:").empty(); });
  ior_ = line_of(said, "IOR:");
  corbaloc_ = line_of(said, "corbaloc:");
  return !ior_.empty() && !corbaloc_.empty();
}

Finished run_to_end(const std::string& program, const std::vector<std::string>& arguments,
                    std::chrono::seconds limit) {
  platform::SpawnRequest request;
  request.program = program;
  request.arguments = arguments;
  platform::ChildProcess child;
  Finished finished;
  if (child.spawn(request) != 0) return finished;
  const auto end = Clock::now() + limit;
  read_until(child, finished.output, end, [](const std::string&) { return false; });
  if (Clock::now() >= end) {
    child.kill();
    finished.output += "\n(ended after " + std::to_string(limit.count()) + " s)";
  }
  const platform::ProcessEnd how = child.reap();
  finished.status = how.signalled ? -1 : how.code;
  return finished;
}

std::vector<std::string> options_from_environment() {
  const char* const given = std::getenv("INTEROP_ORB_OPTIONS");
  std::istringstream words(given != nullptr ? given : "");
  return {std::istream_iterator<std::string>(words), {}};
}

std::string beside_us(const std::string& name) {
  const std::string own = platform::own_program();
  return own.substr(0, own.rfind('/') + 1) + name;
}

}  // namespace interop
