// Waiting for replies in an ORB with a reactor (-ORBThreads single, pool:N, unordered:N): requests are served
// meanwhile.
#include <algorithm>
#include <array>

#include "orb/client/reply_reader.h"
#include "orb/server/reactor.h"
#include "platform/socket.h"

namespace orbweaver::orb {
namespace {

// First wait in the channel, which is faster than poll for an immediate reply.
constexpr std::int64_t kFirstWait_ns = 20'000;

}  // namespace

Result<void> ReplyReader::await_while_serving(std::uint32_t request_id, Deadline deadline, Reply& reply) {
  for (;;) {
    auto arrived = poll_reply(request_id, reply);
    if (arrived && *arrived) return {};
    if (arrived && deadline.passed()) {
      arrived = Error{ErrorKind::timed_out, "deadline exceeded while waiting for the reply"};
    }
    if (!arrived) return finish_await(arrived.take_error(), request_id);
    wait_while_serving(deadline);
  }
}

/// Checks for the reply, waiting at most kFirstWait_ns.
Result<bool> ReplyReader::poll_reply(std::uint32_t request_id, Reply& reply) {
  if (replies_.has_early() && replies_.take_early(request_id, reply)) return true;
  if (!role_.try_take()) return false;  // the reader will deliver it
  // Another thread may have read it between the two checks; it stored the reply before it released the role.
  if (replies_.has_early() && replies_.take_early(request_id, reply)) {
    release_role();
    return true;
  }
  auto read = read_until(request_id, Deadline::in_ns(kFirstWait_ns), reply);
  if (read) return true;
  if (read.error().kind == ErrorKind::timed_out) return false;
  return read.take_error();
}

/// Waits until a reply may have arrived or a request has been served, with one poll for both.
void ReplyReader::wait_while_serving(Deadline deadline) {
  const bool reader = role_.try_take();
  transport::Readiness* const readiness = reader ? state_.channel->capabilities().readiness : nullptr;
  const int fd = readiness != nullptr ? readiness->descriptor() : -1;
  if (fd >= 0 && !readiness->arm()) return release_role();
  if (fd < 0) deadline.ns = std::min(deadline.ns, Deadline::in_ms(kServeInterval_ms).ns);
  std::array<platform::PollItem, 2> items{
      {{reactor_->fd().get(), platform::kReadable}, {fd, platform::kReadable}}};
  const bool serves = reactor_->must_serve_while_waiting();
  if (!serves) items[0].fd = -1;  // shutdown: only this call is completed
  platform::poll(items, deadline);
  // Released before a request is served: the upcall may wait for replies here, too.
  if (reader) release_role();
  if (serves && items[0].ready != 0) reactor_->serve_while_waiting(Deadline{0});
}

}  // namespace orbweaver::orb
