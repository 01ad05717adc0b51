#include "cdr/typecode_graph.h"

namespace orbweaver::typecode {

Graph::~Graph() {
  for (const TypeCode& node : nodes_) delete node.wire_.load(std::memory_order_relaxed);
}

TypeCode& Graph::make(TCKind kind) {
  TypeCode& node = nodes_.emplace_back(kind);
  node.graph_ = this;
  return node;
}

const char* Graph::text(std::string_view words) {
  return words.empty() ? "" : texts_.emplace_back(words).c_str();
}

TypeCode::Member* Graph::members(std::size_t count) { return members_.emplace_back(count).data(); }

const TypeCode& Graph::hold(const CORBA::typecode_reference& other) {
  if (other->graph_ != nullptr && other->graph_ != this) held_.push_back(other);
  return *other;
}

CORBA::typecode_reference Graph::finish(std::unique_ptr<Graph> graph, const TypeCode& root) {
  graph->add();
  const Graph* const kept = graph.release();
  CORBA::typecode_reference made = reference_to(root);
  const_cast<Graph*>(kept)->drop();
  return made;
}

void Graph::wire(TypeCode& node, std::string bytes) {
  delete node.wire_.exchange(new std::string(std::move(bytes)), std::memory_order_relaxed);
}

const TypeCode& resolved(const TypeCode& type) noexcept {
  const TypeCode* at = &type;
  while (at->kind() == TCKind::tk_alias) at = Access::content(*at);
  return *at;
}

}  // namespace orbweaver::typecode

namespace CORBA {

void TypeCode::share() const noexcept { graph_->add(); }
void TypeCode::unshare() const noexcept { graph_->drop(); }

}  // namespace CORBA
