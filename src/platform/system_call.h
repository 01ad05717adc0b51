#pragma once

#include <errno.h>
#include <mqueue.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

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

/// The C library's functions for calls that may wait let a thread be cancelled there, and where there are several threads
/// they say so before and after the call, by two atomic exchanges. Whoever calls these is noexcept and may not be
/// cancelled anyhow. The sanitizers watch the library's.
#if !defined(__LP64__) || defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline ssize_t call_send(int fd, const void* bytes, std::size_t n, int flags) noexcept { return ::send(fd, bytes, n, flags); }
inline ssize_t call_recv(int fd, void* room, std::size_t n, int flags) noexcept { return ::recv(fd, room, n, flags); }
inline int call_mq_send(int queue, const void* message, std::size_t n, const timespec* until) noexcept {
  const char* const bytes = n == 0 ? "" : static_cast<const char*>(message);  // never null, it asks
  return until == nullptr ? mq_send(queue, bytes, n, 0) : mq_timedsend(queue, bytes, n, 0, until);
}
inline ssize_t call_mq_receive(int queue, void* room, std::size_t n, const timespec* until) noexcept {
  char* const bytes = static_cast<char*>(room);
  return until == nullptr ? mq_receive(queue, bytes, n, nullptr) : mq_timedreceive(queue, bytes, n, nullptr, until);
}
#else
inline ssize_t call_send(int fd, const void* bytes, std::size_t n, int flags) noexcept {
  return syscall(SYS_sendto, fd, bytes, n, flags, nullptr, 0);
}
inline ssize_t call_recv(int fd, void* room, std::size_t n, int flags) noexcept {
  return syscall(SYS_recvfrom, fd, room, n, flags, nullptr, nullptr);
}
inline int call_mq_send(int queue, const void* message, std::size_t n, const timespec* until) noexcept {
  return static_cast<int>(syscall(SYS_mq_timedsend, queue, message, n, 0, until));
}
inline ssize_t call_mq_receive(int queue, void* room, std::size_t n, const timespec* until) noexcept {
  return syscall(SYS_mq_timedreceive, queue, room, n, nullptr, until);
}
#endif

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
