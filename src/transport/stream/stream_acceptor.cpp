#include "transport/stream/stream_acceptor.h"

#include <cerrno>

#include "base/catch_and_log.h"
#include "base/log.h"
#include "platform/clock.h"
#include "platform/futex.h"

namespace orbweaver::transport {
namespace {

constexpr std::int64_t kOutOfDescriptorsPause_ms = 20;
constexpr std::int64_t kLogInterval_ns = 10'000'000'000;

bool out_of_something(int error) noexcept {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

}  // namespace

Result<std::unique_ptr<Channel>> StreamAcceptor::accept() noexcept {
  while (closed_ == 0) {
    platform::SocketAddress peer;
    platform::FdResult accepted = platform::accept_from(socket_, Deadline::never(), &peer);
    if (closed_ != 0) break;
    if (accepted) {
      if (auto channel = accept_socket(std::move(accepted.fd), peer)) return channel;
      continue;
    }
    if (out_of_something(accepted.error)) {
      out_of_descriptors();
    } else if (accepted.error == EINVAL || accepted.error == EBADF || accepted.error == ENOTSOCK) {
      return Error{ErrorKind::unavailable, address_ + ": " + platform::error_text(accepted.error)};
    }  // otherwise an error of that connection (peer closed, network failed): accept the next one
  }
  return Error{ErrorKind::unavailable, "no longer listening on " + address_};
}

Result<std::unique_ptr<Channel>> StreamAcceptor::try_accept() noexcept {
  if (closed_ != 0) return Error{ErrorKind::unavailable, "no longer listening on " + address_};
  platform::SocketAddress peer;
  platform::FdResult accepted = platform::accept_from(socket_, Deadline{0}, &peer);
  if (accepted) return accept_socket(std::move(accepted.fd), peer);
  if (out_of_something(accepted.error)) out_of_descriptors();
  return std::unique_ptr<Channel>();
}

/// Null if the connection is rejected; its socket is then closed.
std::unique_ptr<Channel> StreamAcceptor::accept_socket(platform::Fd socket,
                                                       const platform::SocketAddress& peer) noexcept {
  std::unique_ptr<Channel> channel;
  catch_and_log("connection rejected", [&] { channel = make_channel_(std::move(socket), peer); });
  return channel;
}

/// Rejects one connection by means of the reserve descriptor. Without it, the connection would stay in the
/// backlog until its peer gives up, and accept would fail again at once.
void StreamAcceptor::out_of_descriptors() noexcept {
  const bool had_spare = static_cast<bool>(reserve_descriptor_);
  reserve_descriptor_ = platform::Fd();
  const bool rejected = had_spare && static_cast<bool>(platform::accept_from(socket_, Deadline{0}).fd);
  reserve_descriptor_ = platform::spare_descriptor();
  if (!rejected) {
    // Another thread has accepted it, or none is pending: waits until a descriptor may be free, or until this
    // is closed.
    platform::futex_wait(&closed_, 0, Deadline::in_ms(kOutOfDescriptorsPause_ms), false);
    return;
  }
  ++rejected_count_;
  if (const std::int64_t now = platform::now_ns(); now >= next_log_ns_) {
    next_log_ns_ = now + kLogInterval_ns;
    catch_and_log("connection rejected: out of descriptors", [&] {
      log::warn(address_ + ": " + std::to_string(rejected_count_) +
                " connections were rejected: this process has no descriptors left (ulimit -n)");
    });
    rejected_count_ = 0;
  }
}

void StreamAcceptor::close() noexcept {
  // Before the shutdown that wakes accept, which then checks it.
  const bool first = closed_.exchange(1) == 0;
  platform::shutdown_both(socket_);
  platform::futex_wake(&closed_, 1, false);
  if (first && on_closed_) on_closed_();
}

}  // namespace orbweaver::transport
