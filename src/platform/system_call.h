#pragma once

#include <errno.h>
#include <mqueue.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "platform/socket.h"

/// System calls, and sockaddr of a SocketAddress, for the sources of this folder. Not for other headers: it
/// includes system headers.
namespace orbweaver::platform {

inline const sockaddr* as_sockaddr(const SocketAddress& a) noexcept {
  return reinterpret_cast<const sockaddr*>(a.storage);
}
inline sockaddr* as_sockaddr(SocketAddress& a) noexcept { return reinterpret_cast<sockaddr*>(a.storage); }
inline sa_family_t family(const SocketAddress& a) noexcept {
  return a.length < sizeof(sa_family_t) ? sa_family_t{AF_UNSPEC} : as_sockaddr(a)->sa_family;
}

/// The counter of system_calls_made. Initial-exec TLS: an increment at a fixed offset; the default model of a
/// shared library calls a function.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local std::uint64_t system_calls;

/// Blocking system calls without the C library's cancellation points, which cost two atomic exchanges in a
/// process with several threads. The callers are noexcept and cannot be cancelled. Sanitizer builds call the
/// C library, whose functions the sanitizers intercept.
#if !defined(__LP64__) || defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline ssize_t call_send(int fd, const void* bytes, std::size_t n, int flags) noexcept {
  return ::send(fd, bytes, n, flags);
}
inline ssize_t call_recv(int fd, void* buffer, std::size_t n, int flags) noexcept {
  return ::recv(fd, buffer, n, flags);
}
inline int call_mq_send(int queue, const void* message, std::size_t n, const timespec* until) noexcept {
  const char* const bytes = n == 0 ? "" : static_cast<const char*>(message);  // declared nonnull
  return until == nullptr ? mq_send(queue, bytes, n, 0) : mq_timedsend(queue, bytes, n, 0, until);
}
inline ssize_t call_mq_receive(int queue, void* buffer, std::size_t n, const timespec* until) noexcept {
  char* const bytes = static_cast<char*>(buffer);
  return until == nullptr ? mq_receive(queue, bytes, n, nullptr)
                          : mq_timedreceive(queue, bytes, n, nullptr, until);
}
#else
inline ssize_t call_send(int fd, const void* bytes, std::size_t n, int flags) noexcept {
  return syscall(SYS_sendto, fd, bytes, n, flags, nullptr, 0);
}
inline ssize_t call_recv(int fd, void* buffer, std::size_t n, int flags) noexcept {
  return syscall(SYS_recvfrom, fd, buffer, n, flags, nullptr, nullptr);
}
inline int call_mq_send(int queue, const void* message, std::size_t n, const timespec* until) noexcept {
  return static_cast<int>(syscall(SYS_mq_timedsend, queue, message, n, 0, until));
}
inline ssize_t call_mq_receive(int queue, void* buffer, std::size_t n, const timespec* until) noexcept {
  return syscall(SYS_mq_timedreceive, queue, buffer, n, nullptr, until);
}
#endif

/// Repeats a system call while a signal interrupts it, and counts each attempt.
template <class Call>
auto retry_on_eintr(Call call) noexcept {
  decltype(call()) result;
  do ++system_calls, result = call();
  while (result == -1 && errno == EINTR);
  return result;
}

inline FdResult errno_result() noexcept { return {Fd(), errno}; }
inline IoResult io_result(ssize_t n) noexcept {
  return n < 0 ? IoResult{0, errno} : IoResult{static_cast<std::size_t>(n), 0};
}
inline int dontwait_flag(Blocking block) noexcept { return block == Blocking::no ? MSG_DONTWAIT : 0; }

}  // namespace orbweaver::platform
