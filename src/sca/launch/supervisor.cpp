#include "sca/launch/supervisor.h"

#include <orbweaver/deadline.h>

#include <algorithm>

namespace orbweaver::sca {
namespace {

/// Longer lines are passed on in pieces, which bounds the memory for a line that never ends.
constexpr std::size_t kMaxLineBytes = 4096;
/// Output of one process that is read at a time, so that one which prints without end does not keep the
/// others and the stop signals waiting.
constexpr std::size_t kMaxReadBytes = 64u << 10;
/// Of a process that has ended: more than a pipe holds. Its own children may still write.
constexpr std::size_t kMaxLastBytes = 2u << 20;

}  // namespace

Supervisor::~Supervisor() {
  kill_all();
  wait_for_all(-1);
}

Result<std::size_t> Supervisor::start(const std::string& name, const platform::SpawnRequest& request) {
  Child child;
  child.name = name;
  if (const int error = child.process.spawn(request)) {
    return Error{ErrorKind::unavailable,
                 "cannot start " + request.program + " for " + name + ": " + platform::error_text(error)};
  }
  child.pid = child.process.pid();
  children_.push_back(std::move(child));
  return children_.size() - 1;
}

void Supervisor::handle_events(int timeout_ms) {
  platform::Poller poller;
  const platform::Fd no_fd;
  for (const Child& child : children_) {
    poller.add(child.process.ended());
    poller.add(child.open ? child.process.output() : no_fd);
  }
  poller.add(signals_.arrived());
  if (!poller.wait(timeout_ms)) return;
  for (std::size_t i = 0; i < children_.size(); ++i) {
    Child& child = children_[i];
    const bool ended = poller.ready(2 * i);
    if (poller.ready(2 * i + 1) || (ended && child.open))
      read_from(child, ended ? kMaxLastBytes : kMaxReadBytes);
    if (!ended) continue;
    child.end = child.process.reap();
    if (!child.partial.empty()) line_(child.name, child.partial);
    child.partial.clear();
    child.open = false;  // do not wait for end of file: a grandchild may keep the pipe open
  }
}

void Supervisor::read_from(Child& child, std::size_t at_most) {
  std::size_t bytes = 0;
  for (bool at_end = false; !at_end && bytes < at_most;) {
    const std::string text = platform::read_available(child.process.output(), at_end);
    if (at_end) child.open = false;
    if (text.empty()) return;
    bytes += text.size();
    child.partial += text;
    std::size_t begin = 0;
    for (auto end = child.partial.find('\n'); end != std::string::npos;
         end = child.partial.find('\n', begin)) {
      line_(child.name, child.partial.substr(begin, end - begin));
      begin = end + 1;
    }
    child.partial.erase(0, begin);
    if (child.partial.size() > kMaxLineBytes) {
      line_(child.name, child.partial);
      child.partial.clear();
    }
  }
}

bool Supervisor::all_ended() const {
  return std::all_of(children_.begin(), children_.end(), [](const Child& c) { return c.end.has_value(); });
}

std::int64_t Supervisor::cpu_ns(std::size_t index) const {
  const Child& child = children_[index];
  const auto usage = child.end ? child.end->usage : child.process.usage();
  return usage.user_ns + usage.system_ns;
}

void Supervisor::terminate_all() {
  for (Child& child : children_) child.process.terminate();
}

void Supervisor::kill_all() {
  for (Child& child : children_) child.process.kill();
}

void Supervisor::wait_for_all(int at_most_ms) {
  const auto deadline = at_most_ms < 0 ? Deadline::never() : Deadline::in_ms(at_most_ms);
  while (!all_ended() && !deadline.passed()) {
    handle_events(deadline.poll_ms());
    if (at_most_ms >= 0 && take_stop_signal() != 0) return kill_all();
  }
}

void Supervisor::shut_down_all(int exit_ms, int terminate_ms) {
  wait_for_all(exit_ms);
  if (!all_ended()) {
    terminate_all();
    wait_for_all(terminate_ms);
  }
  kill_all();
  wait_for_all(-1);
}

}  // namespace orbweaver::sca
