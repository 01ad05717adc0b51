#include "cdr/typecode_graph.h"

#include <algorithm>

namespace orbweaver::typecode {

Graph::~Graph() {
  for (const TypeCode& node : nodes_) {
    delete node.wire_.load(std::memory_order_relaxed);
    delete[] node.cases_.load(std::memory_order_relaxed);
  }
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
  CORBA::typecode_reference reference = reference_to(root);
  const_cast<Graph*>(kept)->drop();
  return reference;
}

void Graph::wire(TypeCode& node, std::string bytes) {
  delete node.wire_.exchange(new std::string(std::move(bytes)), std::memory_order_relaxed);
}

const TypeCode& resolved(const TypeCode& type) noexcept {
  const TypeCode* at = &type;
  while (at->kind() == TCKind::tk_alias) at = Access::content(*at);
  return *at;
}

bool is_discriminator(TCKind kind) noexcept {
  switch (kind) {
    case TCKind::tk_short:
    case TCKind::tk_ushort:
    case TCKind::tk_long:
    case TCKind::tk_ulong:
    case TCKind::tk_longlong:
    case TCKind::tk_ulonglong:
    case TCKind::tk_boolean:
    case TCKind::tk_char:
    case TCKind::tk_wchar:
    case TCKind::tk_octet:
    case TCKind::tk_enum: return true;
    default: return false;
  }
}

bool FiniteSizeCheck::has_bases(const TypeCode& node) {
  int bases = 0;
  for (const TypeCode* each = &node; each != nullptr && is_value(each->kind()); ++bases) {
    if (bases > kMaxDepth) return false;
    each = Access::content(*each);
    if (each != nullptr) each = &resolved(*each);
  }
  return true;
}

int FiniteSizeCheck::nesting_depth(const TypeCode& node, int depth) {
  const TCKind kind = node.kind();
  const bool by_value = kind == TCKind::tk_struct || kind == TCKind::tk_union || kind == TCKind::tk_except ||
                        kind == TCKind::tk_array || kind == TCKind::tk_alias;
  if (!by_value) return 0;
  if (depth > kMaxDepth) return kNever;
  const auto [known, fresh] = nesting_depth_of_.insert({&node, kNever});
  if (!fresh) return known->second;
  const TypeCode* const content = Access::content(node);
  int levels = kind == TCKind::tk_union || content == nullptr ? 0 : nesting_depth(*content, depth + 1);
  for (std::uint32_t i = 0; levels != kNever && i < Access::count(node); ++i) {
    const int inner = nesting_depth(*Access::members(node)[i].type, depth + 1);
    levels = inner == kNever ? kNever : std::max(levels, inner);
  }
  if (levels == kNever || levels >= kMaxDepth) return kNever;
  return nesting_depth_of_[&node] = levels + 1;
}

void raise_too_deep(const TypeCode& type) {
  throw CORBA::BAD_TYPECODE(
      0x4f570043, CORBA::CompletionStatus::COMPLETED_NO,
      "TypeCode " + describe(type) + " is nested more than " + std::to_string(kMaxWalk) + " levels deep");
}

}  // namespace orbweaver::typecode

namespace CORBA {

void TypeCode::share() const noexcept { graph_->add(); }
void TypeCode::unshare() const noexcept { graph_->drop(); }

}  // namespace CORBA
