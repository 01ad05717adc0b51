#pragma once

#include <map>
#include <utility>
#include <vector>

#include "dynamic/any/value_graph.h"

namespace orbweaver::dynamic {

/// Copies values of one DynAny to another one, sharing among them included. The values are copied when they
/// are imported.
class ValueImport {
 public:
  /// `graph`: that of the other DynAny; null if its type has no values.
  explicit ValueImport(ValueGraph* graph) : graph_(graph) {}
  /// The same value, of this type, which refers to copies.
  EncodedValue operator()(const EncodedValue& value, const CORBA::TypeCode& type);
  ValueGraph* graph() const noexcept { return graph_; }

 private:
  EncodedValue with_copies(EncodedValue value);
  SharedValueRef copy_of(const SharedValueRef& original);

  ValueGraph* const graph_;
  std::map<const SharedValue*, SharedValueRef> copies_;
  std::vector<std::pair<SharedValueRef, SharedValueRef>> work_;  // originals and copies without state
};

/// Whether a place of type `declared` may hold a value of type `found`; both are without aliases, and the
/// latter is a value type or value box.
bool may_hold(const CORBA::TypeCode& declared, const CORBA::TypeCode& found);
/// Whether the types, value types or value boxes without aliases, are of one kind and repository id.
bool has_same_id(const CORBA::TypeCode& a, const CORBA::TypeCode& b);
/// Whether values of exactly this type exist.
bool has_values(const CORBA::TypeCode& type);

}  // namespace orbweaver::dynamic
