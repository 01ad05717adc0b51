// Copies TypeCodes: without names (CORBA 3.3 part 1, 8.11.2, get_compact_typecode), or with placeholders
// replaced (create_recursive_tc).
#include "cdr/typecode_copy.h"

namespace orbweaver::typecode {

const TypeCode* GraphCopier::operator()(const TypeCode* type) {
  if (type == nullptr) return nullptr;
  const auto [known, fresh] = copies_.insert({type, nullptr});
  if (!fresh) return known->second;
  if (const TypeCode* other = replacement_(*type)) return known->second = other;
  if (depth_ >= kMaxWalk) raise_too_deep(*type);
  ++depth_;
  TypeCode& copy = graph_.make(type->kind());
  known->second = &copy;
  Graph::name(copy, graph_.text(Access::id(*type)), names_ ? graph_.text(Access::name(*type)) : "");
  Graph::numbers(copy, Access::length(*type), Access::extra(*type));
  Graph::content(copy, (*this)(Access::content(*type)));
  const std::uint32_t n = Access::count(*type);
  TypeCode::Member* const members = graph_.members(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    members[i] = Access::members(*type)[i];
    members[i].name = names_ ? graph_.text(members[i].name) : "";
    members[i].type = (*this)(members[i].type);
  }
  Graph::members(copy, members, n);
  --depth_;
  return &copy;
}

CORBA::typecode_reference without_names(const TypeCode& type) {
  auto graph = std::make_unique<Graph>();
  GraphCopier copy(*graph, false, [](const TypeCode&) { return nullptr; });
  const TypeCode* root = copy(&type);
  return Graph::finish(std::move(graph), *root);
}

}  // namespace orbweaver::typecode

CORBA::typecode_reference CORBA::TypeCode::get_compact_typecode() const {
  return orbweaver::typecode::without_names(*this);
}
