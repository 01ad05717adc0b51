#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace orbweaver::sca::detail {

/// The right to run functions of a component with direct inputs: one thread at a time has it, the component's
/// own thread or that of a sender. If both wait, they have it by turns, however fast the senders are. No
/// effect until enable(): the own thread of a component without direct inputs is alone.
class Turn {
 public:
  /// Before the component is started.
  void enable() noexcept { enabled_ = true; }

  /// Waits until no other thread has the turn: at most for the sender that has it, and one more after
  /// release(). By the component's own thread, as the next three.
  void take();
  /// Gives the turn back. If senders wait, one of them has it before the next take() returns.
  void release();
  /// Lets waiting senders go first. The thread has the turn before and afterwards.
  void pass() {
    if (!enabled_) return;
    release();
    take();
  }
  /// Whether senders may take the turn; otherwise they wait. At first they may not.
  void admit_senders(bool admit);

  /// Waits until senders are admitted and no other thread has the turn. False once closed. By a sender.
  bool take_as_sender();
  /// Gives the turn back. By a sender.
  void release_as_sender();

  /// Admits no sender any more; those that wait return. Any thread; never waits for the turn.
  void close();

 private:
  bool enabled_ = false;
  std::mutex mutex_;  // for the following
  std::condition_variable changed_;
  bool taken_ = false;
  bool admits_senders_ = false;
  bool closed_ = false;
  std::size_t waiting_senders_ = 0;
  bool own_waits_ = false;  // in take()
  bool senders_first_ =
      false;  // the own thread lets one sender go first; otherwise it goes first if it waits
};

}  // namespace orbweaver::sca::detail
