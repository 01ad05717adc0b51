#include "sca/deploy/stall.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace orbweaver::sca {
namespace {

using State = Snapshot::State;

/// Wait graph of a snapshot. A component blocked in a push waits for the receiver, or for all receivers of
/// the port if it waits for a block; a component with empty queues waits for the senders whose streams have
/// not ended.
class WaitGraph {
 public:
  struct Edge {
    std::size_t connection;
    std::size_t on;  // the component that is waited for
    bool pushing;
  };

  WaitGraph(const Assembly& assembly, const Snapshot& snapshot) : assembly_(assembly), snapshot_(snapshot) {}

  std::vector<Edge> of(std::size_t component) const {
    const Snapshot::Component& c = snapshot_.components[component];
    std::vector<Edge> waits;
    if (c.state == State::working && c.sending) {
      for (std::size_t i = 0; i < assembly_.connections.size(); ++i) {
        if (pushes_on(component, i)) waits.push_back({i, assembly_.connections[i].provides.component, true});
      }
      return waits;
    }
    if (c.state != State::waiting) return waits;
    for (std::size_t i = 0; i < assembly_.connections.size(); ++i) {
      if (assembly_.connections[i].provides.component == component && !snapshot_.connections[i].ended)
        waits.push_back({i, assembly_.connections[i].uses.component, false});
    }
    return waits;
  }

  /// Whether `component` waits in a push for the receiver of `connection`.
  bool pushes_on(std::size_t component, std::size_t connection) const {
    const Snapshot::Component& c = snapshot_.components[component];
    if (!c.sending) return false;
    return *c.sending == connection || (c.waiting_for_block && same_port(*c.sending, connection));
  }
  /// Whether the sender cannot continue before the receiver of `connection` has processed packets.
  bool blocked(std::size_t sender, std::size_t connection) const {
    return full(connection) || snapshot_.components[sender].waiting_for_block;
  }

  const Snapshot::Queue* queue_of(std::size_t connection) const {
    const PortReference& to = assembly_.connections[connection].provides;
    for (const auto& queue : snapshot_.components[to.component].queues) {
      if (queue.port == to.port) return &queue;
    }
    return nullptr;
  }
  bool full(std::size_t connection) const {
    const auto* queue = queue_of(connection);
    return queue != nullptr && queue->used >= queue->limit;
  }

  std::string from(std::size_t connection) const {
    const PortReference& uses = assembly_.connections[connection].uses;
    return assembly_.components[uses.component].id + "." + uses.port;
  }
  std::string to(std::size_t connection) const {
    const PortReference& provides = assembly_.connections[connection].provides;
    return assembly_.components[provides.component].id + (provides.port.empty() ? "" : "." + provides.port);
  }
  /// A connection with its queue: "source_1.out → filter_1.in queue 64/64".
  std::string arrow(std::size_t connection) const {
    const auto* queue = queue_of(connection);
    return from(connection) + " → " + to(connection) +
           (queue != nullptr ? fmt::format(" queue {}/{}", queue->used, queue->limit) : "") +
           (waits_for_block(connection) ? ", all blocks of " + from(connection) + " in use" : "");
  }
  std::string text(const Edge& wait) const {
    return wait.pushing ? arrow(wait.connection)
                        : to(wait.connection) + " waits for packets of " + from(wait.connection);
  }

 private:
  bool same_port(std::size_t a, std::size_t b) const {
    const PortReference& one = assembly_.connections[a].uses;
    const PortReference& other = assembly_.connections[b].uses;
    return one.component == other.component && one.port == other.port;
  }
  bool waits_for_block(std::size_t connection) const {
    const std::size_t sender = assembly_.connections[connection].uses.component;
    return snapshot_.components[sender].waiting_for_block && pushes_on(sender, connection);
  }

  const Assembly& assembly_;
  const Snapshot& snapshot_;
};

class StallExplainer {
 public:
  StallExplainer(const Assembly& assembly, const Snapshot& snapshot, double seconds)
      : assembly_(assembly), snapshot_(snapshot), seconds_(seconds), wait_graph_(assembly, snapshot) {}

  Stall make() const {
    for (std::size_t i = 0; i < snapshot_.connections.size(); ++i) {
      if (snapshot_.connections[i].broken) {
        return {Stall::Kind::broken,
                "connection '" + assembly_.connections[i].id + "' (" + wait_graph_.from(i) + " → " +
                    wait_graph_.to(i) + ") is broken: its stream will never end",
                assembly_.connections[i].uses.component};
      }
    }
    if (const auto stall = deadlock()) return *stall;
    return explain_chain();
  }

 private:
  /// Finds a cycle of components each of which is blocked in a push: the next one's queue is full, or it
  /// holds the blocks that the sender may use.
  std::optional<Stall> deadlock() const {
    for (std::size_t start = 0; start < snapshot_.components.size(); ++start) {
      std::string text;
      std::size_t at = start;
      for (std::size_t step = 0; step <= snapshot_.components.size(); ++step) {
        const auto waits = wait_graph_.of(at);
        if (waits.size() != 1 || !waits[0].pushing || !wait_graph_.blocked(at, waits[0].connection)) break;
        text += (text.empty() ? "" : ", ") + wait_graph_.arrow(waits[0].connection);
        at = waits[0].on;
        if (at != start) continue;
        return Stall{Stall::Kind::deadlock,
                     "deadlock: each of these waits for space in the next one's queue: " + text +
                         ". The loop holds more packets than its queues and blocks: admit fewer, give its "
                         "inputs longer queues, or raise -ORBTune pool-bytes (docs/sca.md, Feedback loops)",
                     start};
      }
    }
    return std::nullopt;
  }

  /// Rank of a component as the cause of the stall; 0 if it only waits for others.
  static int cause_rank(const Snapshot::Component& c) {
    switch (c.state) {
      case State::process_stopped: return 5;
      case State::unresponsive: return 4;
      case State::working: return c.sending ? 0 : 3;
      case State::not_started:
      case State::unknown: return 2;
      case State::sleeping: return 1;
      case State::waiting:
      case State::finished: break;
    }
    return 0;
  }

  std::string reason(std::size_t component) const {
    const Snapshot::Component& c = snapshot_.components[component];
    const std::string& id = assembly_.components[component].id;
    switch (c.state) {
      case State::process_stopped:
        return fmt::format("{} is stopped, by SIGSTOP or a debugger: kill -CONT {} resumes it", id, c.pid);
      case State::unresponsive: return fmt::format("{} (process {}) does not respond", id, c.pid);
      case State::working:
        if (c.handling.empty()) return id + " is busy in produce(), on_start() or on_end()";
        return id + " is busy handling one packet of its port '" + c.handling + "'";
      case State::not_started: return id + " has been stopped";
      default: return id + " is not an Orbweaver component: its activity is unknown";
    }
  }

  /// Follows the waits from the ends of the streams to the component that all others wait for in the end.
  Stall explain_chain() const {
    struct Step {
      std::size_t waiting;
      WaitGraph::Edge wait;
    };
    std::map<std::size_t, Step> reached;  // by component: the step that waits for it
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < snapshot_.components.size(); ++i) {
      const bool sends = std::any_of(assembly_.connections.begin(), assembly_.connections.end(),
                                     [&](auto& c) { return c.uses.component == i; });
      if (!sends && snapshot_.components[i].state != State::finished) open.push_back(i);
    }
    std::vector<bool> seen(snapshot_.components.size(), false);
    for (const std::size_t i : open) seen[i] = true;
    for (std::size_t i = 0; i < open.size(); ++i) {
      for (const auto& wait : wait_graph_.of(open[i])) {
        if (seen[wait.on]) continue;
        seen[wait.on] = true;
        reached.emplace(wait.on, Step{open[i], wait});
        open.push_back(wait.on);
      }
    }
    const auto cause = std::max_element(open.begin(), open.end(), [&](auto a, auto b) {
      return cause_rank(snapshot_.components[a]) < cause_rank(snapshot_.components[b]);
    });
    if (cause == open.end()) return {};
    if (cause_rank(snapshot_.components[*cause]) == 0) return loop(open);
    if (snapshot_.components[*cause].state == State::sleeping) return {};
    std::string text = reason(*cause);
    // Senders that push into the cause's full queue come first; components that wait for its packets are at
    // the other end.
    for (std::size_t c = 0; c < assembly_.connections.size(); ++c) {
      const std::size_t sender = assembly_.connections[c].uses.component;
      if (assembly_.connections[c].provides.component == *cause && wait_graph_.pushes_on(sender, c))
        text += "; " + wait_graph_.arrow(c);
    }
    for (auto at = reached.find(*cause); at != reached.end(); at = reached.find(at->second.waiting))
      text += "; " + wait_graph_.text(at->second.wait);
    return {Stall::Kind::waiting, fmt::format("no packet has moved for {:.0f} s: {}", seconds_, text),
            *cause};
  }

  /// Explains a stall in which all remaining components wait for each other's packets.
  Stall loop(const std::vector<std::size_t>& waiting) const {
    // Walk upstream until a component repeats: that component is in the loop.
    std::vector<std::size_t> path;
    std::vector<std::size_t> connections;
    std::size_t at = waiting.front();
    while (std::find(path.begin(), path.end(), at) == path.end()) {
      path.push_back(at);
      const auto waits = wait_graph_.of(at);
      if (waits.empty()) {  // finished, but its receiver still waits
        return {
            Stall::Kind::waiting,
            fmt::format(
                "no packet has moved for {:.0f} s: {} has ended, and the end of its stream has not arrived "
                "over connection '{}'",
                seconds_, assembly_.components[at].id, assembly_.connections[connections.back()].id),
            at};
      }
      connections.push_back(waits.front().connection);
      at = waits.front().on;
    }
    std::string text = assembly_.components[at].id;
    for (auto i = connections.size(); i-- > 0;) {
      // The path was recorded against the direction of the streams.
      text += " → " + assembly_.components[assembly_.connections[connections[i]].provides.component].id;
      if (path[i] == at) break;
    }
    bool empty = true;
    for (const std::size_t i : waiting) {
      empty = empty && snapshot_.components[i].state == State::waiting;
      for (const auto& wait : wait_graph_.of(i)) {
        const auto& c = snapshot_.connections[wait.connection];
        empty = empty && c.sent == c.taken;
      }
    }
    if (empty) return {Stall::Kind::empty_loop, "no packet is left in the loop " + text, at};
    return {Stall::Kind::waiting,
            fmt::format(
                "no packet has moved for {:.0f} s: the loop {} waits for packets that were sent and have not "
                "arrived",
                seconds_, text),
            at};
  }

  const Assembly& assembly_;
  const Snapshot& snapshot_;
  double seconds_;
  WaitGraph wait_graph_;
};

}  // namespace

bool Snapshot::same_as(const Snapshot& other) const {
  const auto same = [](const Component& a, const Component& b) {
    return a.state == b.state && a.steps == b.steps && a.handling == b.handling && a.sending == b.sending;
  };
  const auto same_counts = [](const Connection& a, const Connection& b) {
    return a.sent == b.sent && a.taken == b.taken && a.ended == b.ended && a.broken == b.broken;
  };
  return std::equal(components.begin(), components.end(), other.components.begin(), other.components.end(),
                    same) &&
         std::equal(connections.begin(), connections.end(), other.connections.begin(),
                    other.connections.end(), same_counts);
}

Stall explain_stall(const Assembly& assembly, const Snapshot& snapshot, double seconds) {
  return StallExplainer(assembly, snapshot, seconds).make();
}

}  // namespace orbweaver::sca
