#pragma once

#include <cstdint>
#include <string>

namespace orbweaver::sca {

/// What a component's thread does at one moment: plain data.
struct Activity {
  enum class State {
    stopped,   ///< Not started, or stopped.
    working,   ///< In a handler, in produce() or another function of the component; perhaps in a push().
    waiting,   ///< For packets: all its queues are empty.
    sleeping,  ///< In sleep_until_ns().
    finished,  ///< At its end.
  };

  State state = State::stopped;
  std::uint64_t steps = 0;  ///< Packets handled and calls of produce(), each counted when it is over.
  std::string handling;     ///< The input port whose packet is in its handler; empty: none.
  std::string sending;      ///< The id of the connection on which a push() is under way; empty: none.
};

}  // namespace orbweaver::sca
