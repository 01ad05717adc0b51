#include "transport/stream/stream_acceptor.h"

#include <cerrno>

#include "base/contained.h"
#include "base/log.h"
#include "platform/clock.h"
#include "platform/futex.h"

namespace orbweaver::transport {
namespace {

constexpr std::int64_t kOutOfDescriptorsPause_ms = 20;
constexpr std::int64_t kBetweenLogs_ns = 10'000'000'000;

bool out_of_something(int error) noexcept {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

}  // namespace

Result<std::unique_ptr<Channel>> StreamAcceptor::accept() noexcept {
  while (closed_ == 0) {
    platform::FdResult accepted = platform::accept_from(socket_, Deadline::never());
    if (closed_ != 0) break;
    if (accepted) {
      if (auto channel = welcome(std::move(accepted.fd))) return channel;
      continue;
    }
    if (out_of_something(accepted.error)) {
      out_of_descriptors();
    } else if (accepted.error == EINVAL || accepted.error == EBADF || accepted.error == ENOTSOCK) {
      return Error{Remedy::give_up, address_ + ": " + platform::error_text(accepted.error)};
    }  // else that peer's trouble (it went, its network failed): the next one, please
  }
  return Error{Remedy::give_up, "no longer listening on " + address_};
}

Result<std::unique_ptr<Channel>> StreamAcceptor::try_accept() noexcept {
  if (closed_ != 0) return Error{Remedy::give_up, "no longer listening on " + address_};
  platform::FdResult accepted = platform::accept_from(socket_, Deadline{0});
  if (accepted) return welcome(std::move(accepted.fd));
  if (out_of_something(accepted.error)) out_of_descriptors();
  return std::unique_ptr<Channel>();
}

/// Null where it is turned away: its socket is then closed.
std::unique_ptr<Channel> StreamAcceptor::welcome(platform::Fd socket) noexcept {
  std::unique_ptr<Channel> channel;
  contained("a connection is turned away", [&] { channel = welcome_(std::move(socket)); });
  return channel;
}

/// The peer stays in the backlog, where it would wait for as long as its patience lasts, and accept would fail again at
/// once: it is turned away by the spare descriptor.
void StreamAcceptor::out_of_descriptors() noexcept {
  const bool had_spare = static_cast<bool>(spare_);
  spare_ = platform::Fd();
  const bool turned_away = had_spare && static_cast<bool>(platform::accept_from(socket_, Deadline{0}).fd);
  spare_ = platform::spare_descriptor();
  if (!turned_away) {
    // Another thread was quicker, or nobody waits: until somebody has closed something, or until this is closed.
    platform::futex_wait(&closed_, 0, Deadline::in_ms(kOutOfDescriptorsPause_ms), false);
    return;
  }
  ++turned_away_;
  if (const std::int64_t now = platform::now_ns(); now >= next_log_ns_) {
    next_log_ns_ = now + kBetweenLogs_ns;
    contained("a connection is turned away for want of descriptors", [&] {
      log::warn(address_ + ": " + std::to_string(turned_away_) +
                " connections were turned away: this process has no descriptors left (ulimit -n)");
    });
    turned_away_ = 0;
  }
}

void StreamAcceptor::close() noexcept {
  // Before the shutdown that wakes accept, which then looks at it.
  const bool first = closed_.exchange(1) == 0;
  platform::shutdown_both(socket_);
  platform::futex_wake(&closed_, 1, false);
  if (first && told_closed_) told_closed_();
}

}  // namespace orbweaver::transport
