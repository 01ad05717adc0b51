#pragma once

#include <orbweaver/typecode.h>
#include <orbweaver/value.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "dynamic/any/encoded_value.h"

namespace orbweaver::dynamic {

class Node;
class ValueGraph;
using NodeRef = CORBA::object_reference<Node>;

/// The DynAny of a shared value, while there is one.
class SharedValueNode {
 public:
  /// The state, with all changes.
  virtual EncodedValue state() = 0;
  /// Writes the state.
  virtual void write_state(ValueWriter& out) = 0;
  virtual Node& node() noexcept = 0;

 protected:
  ~SharedValueNode() = default;
};

/// A value of a value type or value box, to which any number of places of one DynAny refer. Its references
/// are counted without atomics: one thread at a time for a DynAny and all of its components.
class SharedValue {
 public:
  SharedValue(ValueGraph& graph, const CORBA::TypeCode& value_type);
  SharedValue(const SharedValue&) = delete;
  SharedValue& operator=(const SharedValue&) = delete;

  void _add_ref() const noexcept { ++count_; }
  void _remove_ref() const noexcept;
  /// Whether there are references besides that of the caller.
  bool has_others() const noexcept { return count_ > 1; }

  /// The state, with all changes. Raises IMP_LIMIT if it was too large to be kept.
  EncodedValue current_state() const;
  /// Becomes the value that `fresh` is, which then refers to this one.
  void become(SharedValue& fresh);
  /// Becomes null, or a value with the initial state of its type.
  void become_initial(bool null);

  CORBA::typecode_reference type;  ///< Its own type, without aliases; kept if it becomes null.
  /// Repository ids as received, the most derived first; null: those of `type`. Owned by the graph.
  const std::vector<std::string>* ids = nullptr;
  bool is_null = false;
  bool is_chunked = false;                           ///< As received.
  bool is_lost = false;                              ///< A state that was too large to be kept.
  EncodedValue state;                                ///< Unless `node` has changes of it.
  CORBA::object_reference<CORBA::ValueBase> custom;  ///< If its program marshals the state.
  SharedValueNode* node = nullptr;                   ///< Not owned; removes itself.
  SharedValueRef same_as;                            ///< The value that this one has become part of.

 private:
  friend class ValueGraph;
  ~SharedValue() = default;

  mutable std::size_t count_ = 1;
  ValueGraph& graph_;
  SharedValue *previous_ = nullptr, *next_ = nullptr;  // of the graph
  SharedValue* next_released_ = nullptr;
};

/// The value that a place refers to; null for null.
SharedValueRef resolved(const SharedValueRef& value);

/// The values of one DynAny and its components. Each of their nodes holds it; the values do not, so that
/// those in cycles are freed with it. It frees values without recursion.
class ValueGraph {
 public:
  ValueGraph() = default;
  ValueGraph(const ValueGraph&) = delete;
  ValueGraph& operator=(const ValueGraph&) = delete;
  ~ValueGraph();

  /// Makes a value with the initial state of its type, which is without aliases.
  SharedValueRef make(const CORBA::TypeCode& type);
  /// The same list, owned by the graph.
  const std::vector<std::string>* keep_ids(std::vector<std::string> ids);
  /// The order in which the nodes were made, from 1.
  std::uint64_t next_age() noexcept { return ++age_; }
  /// The DynAnys of all values.
  std::vector<NodeRef> nodes() const;
  /// The octets of the states of all values, without changes that their DynAnys hold. Linear in the number of
  /// values.
  std::uint64_t state_bytes() const noexcept;

  /// The DynAny of the whole; null: it exists no more.
  const Node* root = nullptr;

 private:
  friend class SharedValue;
  void release(SharedValue& value) noexcept;

  SharedValue* first_ = nullptr;
  SharedValue* released_ = nullptr;  // to be deleted
  bool releasing_ = false;
  std::uint64_t age_ = 0;
  std::set<std::vector<std::string>> ids_;
};

}  // namespace orbweaver::dynamic
