#pragma once

#include <orbweaver/dynamic_any.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "cdr/typecode_graph.h"
#include "dynamic/any/value_forms.h"
#include "dynamic/any/value_graph.h"

namespace orbweaver::dynamic {

class Composite;

/// A DynAny: its type, its value, and its place in a parent. This class implements the functions of DynAny
/// for values without components; Composite is the base of the others.
///
/// The components of a value are made when they are asked for. They refer to the same buffer, at another
/// offset, until they are changed. A parent holds a count of the components that have been changed, and of
/// the current one; it knows others only as long as the program has them (Composite).
///
/// A value of a value type has one node, a component of the one that has made it (ValuePlace). References
/// that last are from older to newer nodes, so that values in cycles are freed.
class Node : public virtual DynamicAny::DynAny {
 public:
  using Ref = CORBA::object_reference<DynAny>;

  using GraphPtr = std::shared_ptr<ValueGraph>;

  /// The graph of a new DynAny; null if its type has no values.
  static GraphPtr new_graph(const CORBA::TypeCode& type);
  /// Makes the node for a type, which owns a reference to the type. The value refers to values of the graph.
  static NodeRef make(const CORBA::TypeCode& type, EncodedValue value, GraphPtr graph);
  /// As make, for the DynAny of a whole.
  static NodeRef make_root(const CORBA::TypeCode& type, EncodedValue value, const GraphPtr& graph);
  ~Node() override;

  /// The type with its aliases.
  const CORBA::TypeCode& declared_type() const noexcept { return *type_; }
  /// The type without its aliases.
  const CORBA::TypeCode& value_type() const noexcept { return typecode::resolved(*type_); }
  CORBA::TCKind kind() const noexcept { return value_type().kind(); }

  /// Writes the value.
  virtual void write(ValueWriter& out) { out.value(value_, value_type()); }
  /// The value, which is written if it was changed.
  virtual EncodedValue encoded() { return value_; }
  /// Replaces the value by one of the same type, and that of each component that is in use.
  void set_value(EncodedValue value);
  /// As set_value, within a change of the parent.
  virtual void replace(EncodedValue value) { value_ = std::move(value); }
  /// Ends the use of the value and of its components.
  virtual void mark_destroyed() noexcept;
  /// Raises OBJECT_NOT_EXIST if the value has been destroyed.
  void check_exists() const;
  /// The type of the value that this is now, without aliases.
  virtual const CORBA::TypeCode& held_type() const noexcept { return value_type(); }

  // DynAny
  CORBA::typecode_reference type() override;
  void assign(const Ref& other) override;
  void from_any(const CORBA::Any& value) override;
  CORBA::Any to_any() override;
  bool equal(const Ref& other) override;
  void destroy() override;
  Ref copy() override;
#define ORBWEAVER_NODE_VALUE(NAME, IN, OUT) \
  void insert_##NAME(IN value) override;    \
  OUT get_##NAME() override;
  ORBWEAVER_NODE_VALUE(boolean, bool, bool)
  ORBWEAVER_NODE_VALUE(octet, std::uint8_t, std::uint8_t)
  ORBWEAVER_NODE_VALUE(char, char, char)
  ORBWEAVER_NODE_VALUE(short, std::int16_t, std::int16_t)
  ORBWEAVER_NODE_VALUE(ushort, std::uint16_t, std::uint16_t)
  ORBWEAVER_NODE_VALUE(long, std::int32_t, std::int32_t)
  ORBWEAVER_NODE_VALUE(ulong, std::uint32_t, std::uint32_t)
  ORBWEAVER_NODE_VALUE(float, float, float)
  ORBWEAVER_NODE_VALUE(double, double, double)
  ORBWEAVER_NODE_VALUE(string, const std::string&, std::string)
  ORBWEAVER_NODE_VALUE(reference, const CORBA::object_reference<CORBA::Object>&,
                       CORBA::object_reference<CORBA::Object>)
  ORBWEAVER_NODE_VALUE(typecode, const CORBA::typecode_reference&, CORBA::typecode_reference)
  ORBWEAVER_NODE_VALUE(longlong, std::int64_t, std::int64_t)
  ORBWEAVER_NODE_VALUE(ulonglong, std::uint64_t, std::uint64_t)
  ORBWEAVER_NODE_VALUE(longdouble, long double, long double)
  ORBWEAVER_NODE_VALUE(wchar, wchar_t, wchar_t)
  ORBWEAVER_NODE_VALUE(wstring, const std::wstring&, std::wstring)
  ORBWEAVER_NODE_VALUE(any, const CORBA::Any&, CORBA::Any)
  ORBWEAVER_NODE_VALUE(val, const CORBA::object_reference<CORBA::ValueBase>&,
                       CORBA::object_reference<CORBA::ValueBase>)
  ORBWEAVER_NODE_VALUE(abstract, const CORBA::object_reference<CORBA::AbstractBase>&,
                       CORBA::object_reference<CORBA::AbstractBase>)
  ORBWEAVER_NODE_VALUE(dyn_any, const Ref&, Ref)
  ORBWEAVER_NODE_VALUE(boolean_seq, const std::vector<bool>&, std::vector<bool>)
  ORBWEAVER_NODE_VALUE(octet_seq, const std::vector<std::uint8_t>&, std::vector<std::uint8_t>)
  ORBWEAVER_NODE_VALUE(char_seq, const std::vector<char>&, std::vector<char>)
  ORBWEAVER_NODE_VALUE(short_seq, const std::vector<std::int16_t>&, std::vector<std::int16_t>)
  ORBWEAVER_NODE_VALUE(ushort_seq, const std::vector<std::uint16_t>&, std::vector<std::uint16_t>)
  ORBWEAVER_NODE_VALUE(long_seq, const std::vector<std::int32_t>&, std::vector<std::int32_t>)
  ORBWEAVER_NODE_VALUE(ulong_seq, const std::vector<std::uint32_t>&, std::vector<std::uint32_t>)
  ORBWEAVER_NODE_VALUE(float_seq, const std::vector<float>&, std::vector<float>)
  ORBWEAVER_NODE_VALUE(double_seq, const std::vector<double>&, std::vector<double>)
  ORBWEAVER_NODE_VALUE(longlong_seq, const std::vector<std::int64_t>&, std::vector<std::int64_t>)
  ORBWEAVER_NODE_VALUE(ulonglong_seq, const std::vector<std::uint64_t>&, std::vector<std::uint64_t>)
  ORBWEAVER_NODE_VALUE(longdouble_seq, const std::vector<long double>&, std::vector<long double>)
  ORBWEAVER_NODE_VALUE(wchar_seq, const std::vector<wchar_t>&, std::vector<wchar_t>)
#undef ORBWEAVER_NODE_VALUE
  bool seek(std::int32_t index) override;
  void rewind() override { seek(0); }
  bool next() override;
  std::uint32_t component_count() override;
  Ref current_component() override;

 protected:
  friend class Composite;
  explicit Node(const CORBA::TypeCode& type) : type_(reference_to(type)) {}

  /// Whether the type has components, though this value may have none.
  virtual bool may_have_components() const { return false; }
  /// The value itself, or its current component, for functions of basic types. Raises InvalidValue and
  /// TypeMismatch.
  virtual NodeRef basic_target();
  /// The sequence or array of `element`, itself or its current component.
  virtual NodeRef elements_target(CORBA::TCKind element);
  /// The value of a value type or value box, itself or its current component.
  virtual NodeRef value_target();
  /// Whether it is a value of a value type that is not null, which other places may refer to.
  virtual bool is_shared_value() const noexcept { return false; }
  /// The value of a DynAny, for a place of type `expected` in this one. Raises TypeMismatch, and what node_of
  /// raises.
  static EncodedValue value_as(const CORBA::TypeCode& expected, const Ref& dyn_any, ValueImport& import);
  /// The value of an any, for a place of type `expected` in this one. Raises TypeMismatch and InvalidValue.
  EncodedValue value_as(const CORBA::TypeCode& expected, const CORBA::Any& any) const;
  EncodedValue value_as(const CORBA::TypeCode& expected, const CORBA::Any& any, ValueImport&) const {
    return value_as(expected, any);
  }
  /// To be called after a change of the value: the parents keep it.
  void changed();
  NodeRef self() noexcept;

  const CORBA::typecode_reference type_;
  GraphPtr graph_;  // null: the type has no values
  EncodedValue value_;
  Composite* parent_ = nullptr;
  std::uint64_t age_ = 0;    // the order in which the nodes with the graph were made
  std::uint32_t index_ = 0;  // in the parent
  std::uint16_t depth_ = 0;
  bool destroyed_ = false;

 private:
  template <class T>
  void insert(CORBA::TCKind kind, const T& value);
  template <class T>
  T get(CORBA::TCKind kind);
  template <class T>
  void insert_elements(CORBA::TCKind kind, const std::vector<T>& value);
  template <class T>
  std::vector<T> get_elements_of(CORBA::TCKind kind);
};

/// The node of a DynAny. Raises BAD_PARAM for nil, and for an object of another implementation;
/// OBJECT_NOT_EXIST if it has been destroyed.
Node& node_of(const Node::Ref& dyn_any);
/// Raises TypeMismatch unless the types are equivalent.
void check_equivalent(const CORBA::TypeCode& expected, const CORBA::TypeCode& found);
/// Whether the kind is that of a value type or value box.
constexpr bool is_value_kind(CORBA::TCKind kind) {
  return typecode::is_value(kind) || kind == CORBA::TCKind::tk_value_box;
}

}  // namespace orbweaver::dynamic
