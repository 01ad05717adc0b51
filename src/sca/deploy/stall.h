#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sca/profile/assembly.h"

namespace orbweaver::sca {

/// The state of each component and the progress of each connection at one moment of a run. Plain data.
struct Snapshot {
  enum class State {
    unknown,          ///< Not an Orbweaver component: its activity cannot be queried.
    process_stopped,  ///< Stopped by SIGSTOP or a debugger.
    unresponsive,     ///< It did not respond in time.
    not_started,
    working,  ///< In one of its functions; if `sending` is set, in a push.
    waiting,  ///< Waiting for packets: its queues are empty.
    sleeping,
    finished,
  };
  struct Queue {
    std::string port;
    std::size_t limit = 0;
    std::size_t used = 0;
  };
  struct Component {
    State state = State::unknown;
    std::uint64_t steps = 0;
    std::string handling;                ///< The input port whose packet it is handling; empty: none.
    std::optional<std::size_t> sending;  ///< Index of the connection on which it is pushing.
    bool waiting_for_block = false;      ///< The push waits until receivers return blocks.
    std::vector<Queue> queues;
    int pid = -1;
  };
  struct Connection {
    std::uint64_t sent = 0;
    std::uint64_t taken = 0;
    bool ended = false;   ///< The receiver has seen the end of the stream.
    bool broken = false;  ///< The sender can no longer send.
  };
  std::vector<Component> components;    ///< Parallel to Assembly::components.
  std::vector<Connection> connections;  ///< Parallel to Assembly::connections.

  /// Whether no component and no connection has made progress between the two snapshots.
  bool same_as(const Snapshot& other) const;
};

/// The explanation of a stalled run.
struct Stall {
  enum class Kind {
    none,      ///< No stall: a source is sleeping until its next send time.
    waiting,   ///< The components in `text` wait for one that is busy, stopped or unresponsive; may continue.
    broken,    ///< A connection is broken: the stream over it never ends.
    deadlock,  ///< Components wait for each other's full queues: none can ever continue.
    empty_loop  ///< Only a loop without packets is left; `component` is in it and can be ended.
  };
  Kind kind = Kind::none;
  std::string text;
  std::size_t component = 0;
};

/// Explains a run in which nothing has moved for `seconds`.
Stall explain_stall(const Assembly& assembly, const Snapshot& snapshot, double seconds);

}  // namespace orbweaver::sca
