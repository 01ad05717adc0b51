// How the threads of an ORB whose connections have none of their own wait for a server: they do not stop the others.
#include <array>

#include "orb/client_connection.h"
#include "orb/reactor.h"
#include "orb/thread_pool.h"
#include "platform/socket.h"

namespace orbweaver {
namespace {

// Where no descriptor tells: of room for a request, of a reply that another thread reads.
constexpr std::int64_t kBetweenLooks_ms = 1;
// A reply that comes at once is waited for in the channel, which is faster than poll.
constexpr std::int64_t kFirstWait_ns = 20'000;

}  // namespace

Result<MutableBytes> ClientConnection::claim_serving(std::size_t bytes, Deadline deadline) {
  for (;;) {
    const bool serves = reactor_->serves_here();
    if (sending_.try_lock()) {
      look_after_pause();
      auto room = channel_->claim(bytes, Deadline{0});
      if (room) return room;
      sending_.unlock();
      if (room.error().remedy != Remedy::wait || deadline.passed()) return fail(room.take_error());
    } else if (serves && deadline.passed()) {
      return Error{Remedy::wait, description_ + ": other requests waited to be sent until the deadline"};
    }
    if (!serves) {
      const orb::ThreadPool::Away away;
      return claim_now(bytes, deadline);
    }
    reactor_->serve_while_waiting(Deadline::in_ms(kBetweenLooks_ms));
  }
}

Result<void> ClientConnection::await_serving(std::uint32_t request_id, Deadline deadline, Reply& reply) {
  for (;;) {
    auto there = take_if_there(request_id, reply);
    if (there && *there) return {};
    if (there && deadline.passed()) there = Error{Remedy::wait, "no reply until the deadline"};
    if (!there) {
      forget(request_id);
      return fail(there.take_error());
    }
    sleep_serving(deadline);
  }
}

/// Looks for the reply, at most for a moment.
Result<bool> ClientConnection::take_if_there(std::uint32_t request_id, Reply& reply) {
  if (unclaimed_count_.load(std::memory_order_relaxed) != 0 && claim_arrived(request_id, reply)) return true;
  if (reading_.exchange(true, std::memory_order_seq_cst)) return false;  // whoever reads will hand it over
  // Another thread may have read it between the two; it told so before it gave up the role.
  if (unclaimed_count_.load(std::memory_order_relaxed) != 0 && claim_arrived(request_id, reply)) {
    stop_reading();
    return true;
  }
  auto read = read_until(request_id, Deadline::in_ns(kFirstWait_ns), reply);
  if (read) return true;
  if (read.error().remedy == Remedy::wait) return false;
  return read.take_error();
}

/// Until there may be a reply, or until a request has been served: both can be waited for at once.
void ClientConnection::sleep_serving(Deadline deadline) {
  const bool reader = !reading_.exchange(true, std::memory_order_seq_cst);
  const int fd = reader ? channel_->descriptor() : -1;
  if (reader && fd >= 0 && !channel_->arm()) return stop_reading();
  if (fd < 0) deadline.ns = std::min(deadline.ns, Deadline::in_ms(kBetweenLooks_ms).ns);
  std::array<platform::PollItem, 2> items{{{reactor_->fd().get(), platform::kReadable}, {fd, platform::kReadable}}};
  const bool serves = reactor_->serves_here();
  if (!serves) items[0].fd = -1;  // the ORB shuts down: this call is finished, nothing new begun
  platform::poll(items, deadline);
  // The role goes back before anything is served: what is called then may wait for replies here, too.
  if (reader) stop_reading();
  if (serves && items[0].ready != 0) reactor_->serve_while_waiting(Deadline{0});
}

}  // namespace orbweaver
