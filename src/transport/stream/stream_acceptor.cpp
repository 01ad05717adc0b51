#include "transport/stream/stream_acceptor.h"

#include <cerrno>

#include "platform/futex.h"

namespace orbweaver::transport {
namespace {

constexpr std::int64_t kOutOfDescriptorsPause_ms = 20;

bool out_of_something(int error) noexcept {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

}  // namespace

Result<std::unique_ptr<Channel>> StreamAcceptor::accept() noexcept {
  while (closed_ == 0) {
    platform::FdResult accepted = platform::accept_from(socket_, Deadline::never());
    if (closed_ != 0) break;
    if (accepted) {
      if (auto channel = welcome_(std::move(accepted.fd))) return channel;
      continue;
    }
    if (out_of_something(accepted.error)) {
      // The peer stays in the backlog and accept would fail again at once: wait until somebody has
      // closed something, or until we are closed.
      platform::futex_wait(&closed_, 0, Deadline::in_ms(kOutOfDescriptorsPause_ms), false);
    } else if (accepted.error == EINVAL || accepted.error == EBADF || accepted.error == ENOTSOCK) {
      return Error{Remedy::give_up, address_ + ": " + platform::error_text(accepted.error)};
    }  // else that peer's trouble (it went, its network failed): the next one, please
  }
  return Error{Remedy::give_up, "no longer listening on " + address_};
}

Result<std::unique_ptr<Channel>> StreamAcceptor::try_accept() noexcept {
  if (closed_ != 0) return Error{Remedy::give_up, "no longer listening on " + address_};
  platform::FdResult accepted = platform::accept_from(socket_, Deadline{0});
  if (accepted) return welcome_(std::move(accepted.fd));
  // As above: the descriptor stays readable, and whoever polls it would come back at once, again and again.
  if (out_of_something(accepted.error)) platform::futex_wait(&closed_, 0, Deadline::in_ms(kOutOfDescriptorsPause_ms), false);
  return std::unique_ptr<Channel>();
}

void StreamAcceptor::close() noexcept {
  // Before the shutdown that wakes accept, which then looks at it.
  const bool first = closed_.exchange(1) == 0;
  platform::shutdown_both(socket_);
  platform::futex_wake(&closed_, 1, false);
  if (first && told_closed_) told_closed_();
}

}  // namespace orbweaver::transport
