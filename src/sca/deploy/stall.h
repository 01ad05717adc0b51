#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sca/profile/assembly.h"

namespace orbweaver::sca {

/// What each component of a run does at one moment, and how far each connection has come: plain data.
struct Snapshot {
  enum class State {
    unknown,          ///< No Orbweaver component: it cannot tell.
    process_stopped,  ///< By SIGSTOP or a debugger.
    silent,           ///< It did not answer in time.
    not_started,
    working,  ///< In one of its functions; `sending` says whether in a push.
    waiting,  ///< For packets: its queues are empty.
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
    std::string handling;                ///< The input whose packet it handles; empty: none.
    std::optional<std::size_t> sending;  ///< The connection on which it pushes: index.
    std::vector<Queue> queues;
    int pid = -1;
  };
  struct Connection {
    std::uint64_t sent = 0;
    std::uint64_t taken = 0;
    bool ended = false;   ///< The receiver has seen the end of the stream.
    bool broken = false;  ///< The sender cannot send any more.
  };
  std::vector<Component> components;    ///< Parallel to Assembly::components.
  std::vector<Connection> connections;  ///< Parallel to Assembly::connections.

  /// Whether nothing has moved between the two.
  bool same_as(const Snapshot& other) const;
};

/// Why a run does not go on.
struct Stall {
  enum class Kind {
    none,      ///< Nothing to say: a source sleeps until its time has come.
    waiting,   ///< The components in `text` wait for one that is busy, stopped or silent; it may go on.
    broken,    ///< A connection is broken: the stream over it never ends.
    deadlock,  ///< Components wait for each other's full queues: none of them will ever go on.
    empty_loop ///< All that is left is a loop in which no packet is: `component` is on it, and can be ended.
  };
  Kind kind = Kind::none;
  std::string text;
  std::size_t component = 0;
};

/// Explains a run in which nothing has moved for `seconds`.
Stall explain_stall(const Assembly& assembly, const Snapshot& snapshot, double seconds);

}  // namespace orbweaver::sca
