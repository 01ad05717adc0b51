#pragma once

#include <errno.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "platform/socket.h"

/// What socket.cpp, datagram.cpp and message_queue.cpp share, and nobody else includes: it brings the system's headers.
namespace orbweaver::platform {

inline const sockaddr* raw(const SocketAddress& a) noexcept { return reinterpret_cast<const sockaddr*>(a.storage); }
inline sockaddr* raw(SocketAddress& a) noexcept { return reinterpret_cast<sockaddr*>(a.storage); }
inline sa_family_t family(const SocketAddress& a) noexcept {
  return a.length < sizeof(sa_family_t) ? sa_family_t{AF_UNSPEC} : raw(a)->sa_family;
}

/// What calls_made tells. Initial-exec: an add to a known place, where the usual model of a shared library calls a
/// function.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local std::uint64_t system_calls;

/// Repeats a system call that a signal interrupted.
template <class Call>
auto uninterrupted(Call call) noexcept {
  decltype(call()) result;
  do ++system_calls, result = call();
  while (result == -1 && errno == EINTR);
  return result;
}

inline FdResult failed() noexcept { return {Fd(), errno}; }
inline IoResult io_result(ssize_t n) noexcept {
  return n < 0 ? IoResult{0, errno} : IoResult{static_cast<std::size_t>(n), 0};
}
inline int wait_flag(Block block) noexcept { return block == Block::no ? MSG_DONTWAIT : 0; }

}  // namespace orbweaver::platform
