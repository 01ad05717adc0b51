#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "platform/fd.h"

/// Notices that the other end of a socket has gone, or has sent something, while nobody reads from it.
namespace orbweaver::platform {

/// One registration: `gone` is called once, from the watch's thread, when the peer hangs up or dies. `readable`, where
/// there is one, is called when something has arrived, again and again until it is read.
/// Destroying the registration waits for a call in progress; afterwards there will be none. A call may destroy its own.
/// One thread serves all registrations of the process, and ends with the last of them.
class HangupWatch {
 public:
  /// `socket` must stay open as long as the registration.
  HangupWatch(const Fd& socket, std::function<void()> gone, std::function<void()> readable = nullptr);
  ~HangupWatch();
  HangupWatch(const HangupWatch&) = delete;
  HangupWatch& operator=(const HangupWatch&) = delete;

  /// Was there a descriptor and a thread to watch with?
  bool works() const noexcept { return id_ != 0; }

 private:
  class Watcher;
  static std::shared_ptr<Watcher> watcher();

  std::shared_ptr<Watcher> watcher_;
  int socket_;
  std::uint64_t id_ = 0;
};

}  // namespace orbweaver::platform
