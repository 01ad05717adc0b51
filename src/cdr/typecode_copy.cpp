// The same type without its names: CORBA 3.3 part 1, 8.11.2, get_compact_typecode.
#include <map>

#include "cdr/typecode_graph.h"

namespace orbweaver::typecode {
namespace {

class Strip {
 public:
  explicit Strip(Graph& graph) : graph_(graph) {}

  const TypeCode* operator()(const TypeCode* type) {
    if (type == nullptr) return nullptr;
    const auto [known, fresh] = made_.insert({type, nullptr});
    if (!fresh) return known->second;
    TypeCode& copy = graph_.make(type->kind());
    made_[type] = &copy;
    Graph::name(copy, graph_.text(Access::id(*type)), "");
    Graph::numbers(copy, Access::length(*type), Access::extra(*type));
    Graph::content(copy, (*this)(Access::content(*type)));
    const std::uint32_t n = Access::count(*type);
    TypeCode::Member* const members = graph_.members(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      members[i] = Access::members(*type)[i];
      members[i].name = "";
      members[i].type = (*this)(members[i].type);
    }
    Graph::members(copy, members, n);
    return &copy;
  }

 private:
  Graph& graph_;
  std::map<const TypeCode*, const TypeCode*> made_;
};

}  // namespace

CORBA::typecode_reference without_names(const TypeCode& type) {
  auto graph = std::make_unique<Graph>();
  const TypeCode* root = Strip(*graph)(&type);
  return Graph::finish(std::move(graph), *root);
}

}  // namespace orbweaver::typecode

CORBA::typecode_reference CORBA::TypeCode::get_compact_typecode() const {
  return orbweaver::typecode::without_names(*this);
}
