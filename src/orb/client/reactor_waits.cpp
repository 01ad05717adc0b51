// Waiting of a client connection in an ORB with a reactor (-ORBThreads single, pool:N): requests are served
// meanwhile.
#include <array>

#include "orb/client/client_connection.h"
#include "orb/server/reactor.h"
#include "orb/server/thread_pool.h"
#include "platform/socket.h"

namespace orbweaver {
namespace {

// Polling interval for events without a descriptor: free space for a request, and a reply that another thread
// reads.
constexpr std::int64_t kPollInterval_ms = 1;
// First wait in the channel, which is faster than poll for an immediate reply.
constexpr std::int64_t kFirstWait_ns = 20'000;

}  // namespace

Result<MutableBytes> ClientConnection::claim_while_serving(std::size_t bytes, Deadline deadline) {
  for (;;) {
    const bool serves = reactor_->must_serve_while_waiting();
    if (send_lock_.try_lock()) {
      check_after_idle();
      auto room = channel_->claim(bytes, Deadline{0});
      if (room) return room;
      send_lock_.unlock();
      if (room.error().kind != ErrorKind::timed_out || deadline.passed()) return fail(room.take_error());
    } else if (serves && deadline.passed()) {
      return Error{ErrorKind::timed_out,
                   description_ + ": deadline exceeded while waiting for the send lock"};
    }
    if (!serves) {
      const orb::ThreadPool::BlockedScope blocked;
      return claim_blocking(bytes, deadline);
    }
    reactor_->serve_while_waiting(Deadline::in_ms(kPollInterval_ms));
  }
}

Result<void> ClientConnection::await_while_serving(std::uint32_t request_id, Deadline deadline,
                                                   Reply& reply) {
  for (;;) {
    auto arrived = poll_reply(request_id, reply);
    if (arrived && *arrived) return {};
    if (arrived && deadline.passed()) {
      arrived = Error{ErrorKind::timed_out, "deadline exceeded while waiting for the reply"};
    }
    if (!arrived) {
      ignore_reply(request_id);
      return fail(arrived.take_error());
    }
    wait_while_serving(deadline);
  }
}

/// Checks for the reply, waiting at most kFirstWait_ns.
Result<bool> ClientConnection::poll_reply(std::uint32_t request_id, Reply& reply) {
  if (early_reply_count_.load(std::memory_order_relaxed) != 0 && take_early_reply(request_id, reply))
    return true;
  if (has_reader_.exchange(true, std::memory_order_seq_cst)) return false;  // the reader will deliver it
  // Another thread may have read it between the two checks; it stored the reply before it released the role.
  if (early_reply_count_.load(std::memory_order_relaxed) != 0 && take_early_reply(request_id, reply)) {
    release_reader_role();
    return true;
  }
  auto read = read_until(request_id, Deadline::in_ns(kFirstWait_ns), reply);
  if (read) return true;
  if (read.error().kind == ErrorKind::timed_out) return false;
  return read.take_error();
}

/// Waits until a reply may have arrived or a request has been served, with one poll for both.
void ClientConnection::wait_while_serving(Deadline deadline) {
  const bool reader = !has_reader_.exchange(true, std::memory_order_seq_cst);
  const int fd = reader ? channel_->descriptor() : -1;
  if (reader && fd >= 0 && !channel_->arm()) return release_reader_role();
  if (fd < 0) deadline.ns = std::min(deadline.ns, Deadline::in_ms(kPollInterval_ms).ns);
  std::array<platform::PollItem, 2> items{
      {{reactor_->fd().get(), platform::kReadable}, {fd, platform::kReadable}}};
  const bool serves = reactor_->must_serve_while_waiting();
  if (!serves) items[0].fd = -1;  // shutdown: only this call is completed
  platform::poll(items, deadline);
  // Released before a request is served: the upcall may wait for replies here, too.
  if (reader) release_reader_role();
  if (serves && items[0].ready != 0) reactor_->serve_while_waiting(Deadline{0});
}

}  // namespace orbweaver
