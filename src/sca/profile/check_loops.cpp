#include <algorithm>
#include <set>

#include "sca/profile/check.h"
#include "sca/profile/xml.h"

namespace orbweaver::sca {
namespace {

constexpr std::size_t kNone = ~std::size_t{0};

/// The streams of an assembly: its connections to ports. A connection to a component itself carries calls.
class StreamGraph {
 public:
  explicit StreamGraph(const Assembly& assembly)
      : assembly_(assembly), receivers_(assembly.components.size()) {
    for (std::size_t i = 0; i < assembly.connections.size(); ++i) {
      const Connection& connection = assembly.connections[i];
      if (connection.provides.port.empty()) continue;
      if (connection.uses.kind != EndKind::component || connection.provides.kind != EndKind::component)
        continue;
      streams_.push_back(i);
      receivers_[from(i)].insert(to(i));
    }
  }

  const std::vector<std::size_t>& streams() const { return streams_; }
  std::size_t from(std::size_t stream) const { return assembly_.connections[stream].uses.component; }
  std::size_t to(std::size_t stream) const { return assembly_.connections[stream].provides.component; }
  bool is_direct(std::size_t stream) const {
    const PortReference& port = assembly_.connections[stream].provides;
    const auto& direct = assembly_.components[port.component].direct_inputs;
    return std::find(direct.begin(), direct.end(), port.port) != direct.end();
  }

  /// The components on a shortest path between two, both included. There must be one.
  std::vector<std::size_t> path(std::size_t begin, std::size_t end) const {
    std::vector<std::size_t> before(assembly_.components.size(), kNone);
    std::vector<std::size_t> reached{begin};
    before[begin] = begin;
    for (std::size_t i = 0; i < reached.size() && before[end] == kNone; ++i) {
      for (const std::size_t receiver : receivers_[reached[i]]) {
        if (before[receiver] != kNone) continue;
        before[receiver] = reached[i];
        reached.push_back(receiver);
      }
    }
    std::vector<std::size_t> path{end};
    while (path.back() != begin) path.push_back(before[path.back()]);
    std::reverse(path.begin(), path.end());
    return path;
  }

  /// Marks a component and all that its packets can reach.
  void mark_reached(std::size_t component, std::vector<bool>& reached) const {
    std::vector<std::size_t> open{component};
    reached[component] = true;
    while (!open.empty()) {
      const std::size_t next = open.back();
      open.pop_back();
      for (const std::size_t receiver : receivers_[next]) {
        if (reached[receiver]) continue;
        reached[receiver] = true;
        open.push_back(receiver);
      }
    }
  }

  /// A stream to the component; kNone if there is none.
  std::size_t stream_to(std::size_t component) const {
    for (const std::size_t stream : streams_) {
      if (to(stream) == component) return stream;
    }
    return kNone;
  }

  /// "a → b → a"
  std::string text(const std::vector<std::size_t>& components) const {
    std::string text;
    for (const std::size_t i : components) text += (text.empty() ? "" : " → ") + assembly_.components[i].id;
    return text;
  }

 private:
  const Assembly& assembly_;
  std::vector<std::size_t> streams_;
  std::vector<std::set<std::size_t>> receivers_;  // by component: those to which it sends
};

void check_direct_inputs(const Assembly& assembly) {
  for (std::size_t i = 0; i < assembly.components.size(); ++i) {
    const Instantiation& component = assembly.components[i];
    const ComponentDescriptor& described = assembly.package_of(i).component;
    for (const std::string& port : component.direct_inputs) {
      if (described.find_provides(port) != nullptr) continue;
      std::vector<std::string> known;
      for (const auto& other : described.provides) known.push_back(other.name);
      throw ProfileError(component.direct_inputs_where,
                         "component '" + component.id + "' has no provides port '" + port + "'",
                         known.empty() ? "it declares none" : "it declares " + one_of(known));
    }
  }
}

/// The sender of a direct call waits until the handler has returned, and no function of a component runs
/// during another: a loop with a direct call would call a component from within itself, or fill a queue that
/// only its own thread empties.
void reject_direct_loops(const Assembly& assembly, const StreamGraph& graph) {
  // By component with direct inputs: what its packets reach. Searched once, not for each of its streams.
  std::vector<std::vector<bool>> reached(assembly.components.size());
  for (const std::size_t stream : graph.streams()) {
    if (!graph.is_direct(stream)) continue;
    std::vector<bool>& reached_here = reached[graph.to(stream)];
    if (reached_here.empty()) {
      reached_here.resize(reached.size());
      graph.mark_reached(graph.to(stream), reached_here);
    }
    if (!reached_here[graph.from(stream)]) continue;
    std::vector<std::size_t> loop = graph.path(graph.to(stream), graph.from(stream));
    loop.insert(loop.begin(), graph.from(stream));
    const Connection& connection = assembly.connections[stream];
    const Instantiation& receiver = assembly.components[connection.provides.component];
    throw ProfileError(connection.where,
                       "the loop " + graph.text(loop) + " would wait for itself: port '" +
                           connection.provides.port + "' of '" + receiver.id + "' is a direct input",
                       "leave it out of " + std::string(kDirectInputs) + " in line " +
                           std::to_string(receiver.direct_inputs_where.line));
  }
}

void warn_about_closed_loops(Assembly& assembly, const StreamGraph& graph) {
  std::vector<bool> reached(assembly.components.size(), false);
  for (std::size_t i = 0; i < assembly.components.size(); ++i) {
    if (!reached[i] && graph.stream_to(i) == kNone) graph.mark_reached(i, reached);  // a source
  }
  for (std::size_t i = 0; i < assembly.components.size(); ++i) {
    if (reached[i]) continue;
    // Every stream to a component that no source reaches comes from another such component: against the
    // direction of the streams, each leads into a loop.
    std::vector<std::size_t> path{i};
    std::size_t at = i;
    do {
      at = graph.from(graph.stream_to(at));
      path.push_back(at);
    } while (std::find(path.begin(), path.end() - 1, at) == path.end() - 1);
    path.erase(path.begin(), std::find(path.begin(), path.end(), at));
    std::reverse(path.begin(), path.end());
    const Connection& entry = assembly.connections[graph.stream_to(at)];
    assembly.warnings.push_back(
        entry.where.text() + ": no packet can enter the loop " + graph.text(path) +
        ": it waits for itself, unless a component of it sends packets in on_start()");
    graph.mark_reached(at, reached);
  }
}

}  // namespace

void check_loops(Assembly& assembly) {
  check_direct_inputs(assembly);
  const StreamGraph graph(assembly);
  reject_direct_loops(assembly, graph);
  warn_about_closed_loops(assembly, graph);
}

}  // namespace orbweaver::sca
