#pragma once

#include <functional>
#include <map>

#include "cdr/typecode_graph.h"

namespace orbweaver::typecode {

/// Copies TypeCodes, including their cycles, into a graph under construction. Each node is copied once.
class GraphCopier {
 public:
  /// Returns the replacement of a node, or null to copy it.
  using Replacement = std::function<const TypeCode*(const TypeCode& node)>;

  GraphCopier(Graph& graph, bool with_names, Replacement instead)
      : graph_(graph), names_(with_names), replacement_(std::move(instead)) {}

  /// Returns the copy of `type`, owned by the graph; null for null. Raises BAD_TYPECODE beyond kMaxWalk
  /// levels.
  const TypeCode* operator()(const TypeCode* type);

 private:
  Graph& graph_;
  const bool names_;
  const Replacement replacement_;
  std::map<const TypeCode*, const TypeCode*> copies_;
  int depth_ = 0;
};

}  // namespace orbweaver::typecode
