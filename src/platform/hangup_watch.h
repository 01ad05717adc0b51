#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "platform/fd.h"

/// Detection of a socket's or pipe's hang-up, or of received data, while no thread reads from the socket.
namespace orbweaver::platform {

/// The registration of a socket, the read end of a pipe, or a peer event. `on_hangup` is called once, from
/// the watch's thread, when the peer hangs up or dies; never for an event. `on_readable`, if set, is called
/// repeatedly while received data has not been read, or the event is not cleared. The destructor waits for a
/// callback in progress; no callback starts afterwards. A callback may destroy its own registration. One
/// thread serves all registrations of the process, and ends with the last of them.
class HangupWatch {
 public:
  /// `socket` must stay open as long as the registration exists.
  HangupWatch(const Fd& socket, std::function<void()> on_hangup, std::function<void()> on_readable = nullptr);
  ~HangupWatch();
  HangupWatch(const HangupWatch&) = delete;
  HangupWatch& operator=(const HangupWatch&) = delete;

  /// False if the process had no descriptor or thread left: the socket is not watched.
  bool works() const noexcept { return id_ != 0; }

 private:
  class Watcher;
  static std::shared_ptr<Watcher> watcher();

  std::shared_ptr<Watcher> watcher_;
  int socket_;
  std::uint64_t id_ = 0;
};

}  // namespace orbweaver::platform
