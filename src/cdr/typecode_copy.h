#pragma once

#include <functional>
#include <map>

#include "cdr/typecode_graph.h"

namespace orbweaver::typecode {

/// Copies TypeCodes into a graph that is being filled, each node once, with their circles.
class Copy {
 public:
  /// What stands in a node's place; null: its copy.
  using Instead = std::function<const TypeCode*(const TypeCode& node)>;

  Copy(Graph& graph, bool with_names, Instead instead)
      : graph_(graph), names_(with_names), instead_(std::move(instead)) {}

  /// Raises BAD_TYPECODE beyond kMaxWalk.
  const TypeCode* operator()(const TypeCode* type);

 private:
  Graph& graph_;
  const bool names_;
  const Instead instead_;
  std::map<const TypeCode*, const TypeCode*> made_;
  int depth_ = 0;
};

}  // namespace orbweaver::typecode
