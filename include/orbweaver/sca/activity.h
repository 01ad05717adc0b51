#pragma once

#include <cstdint>
#include <string>

/// Components of software-defined radios (SCA 2.2.2): docs/sca.md.
namespace orbweaver::sca {

/// State of a component's thread at one moment: plain data.
struct Activity {
  /// The current activity of the thread.
  enum class State {
    stopped,   ///< Not started, or stopped.
    working,   ///< In a handler, in produce() or another function of the component, possibly in a push().
    waiting,   ///< Waiting for packets: all its queues are empty.
    sleeping,  ///< In sleep_until_ns().
    finished,  ///< The thread has ended.
  };

  State state = State::stopped;  ///< What the thread is doing.
  std::uint64_t steps = 0;       ///< Packets handled and calls of produce(), counted when they return.
  std::string handling;          ///< Input port whose packet is being handled; empty: none.
  std::string sending;           ///< Id of the connection with a push() in progress; empty: none.
  /// All blocks that the output port of `sending` may use are with its receivers: the thread waits for one.
  bool waiting_for_block = false;
};

}  // namespace orbweaver::sca
