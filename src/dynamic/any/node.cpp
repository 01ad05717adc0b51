// What all DynAnys have in common. The values of basic types are in node_values.cpp.
#include "dynamic/any/node.h"

#include "dynamic/any/composite.h"
#include "dynamic/any/elements_node.h"
#include "dynamic/any/errors.h"
#include "dynamic/any/scalar_nodes.h"
#include "dynamic/any/struct_node.h"
#include "dynamic/any/union_node.h"
#include "dynamic/any/value_nodes.h"

namespace orbweaver::dynamic {

using CORBA::CompletionStatus;
using CORBA::TCKind;
using CORBA::TypeCode;

namespace {

/// A value without components and without an interface of its own.
class BasicNode final : public Node {
 public:
  explicit BasicNode(const TypeCode& type) : Node(type) {}
};

NodeRef make_for_kind(const TypeCode& type) {
  switch (typecode::resolved(type).kind()) {
    case TCKind::tk_struct:
    case TCKind::tk_except: return CORBA::make_reference<StructNode>(type);
    case TCKind::tk_union: return CORBA::make_reference<UnionNode>(type);
    case TCKind::tk_sequence: return CORBA::make_reference<SequenceNode>(type);
    case TCKind::tk_array: return CORBA::make_reference<ArrayNode>(type);
    case TCKind::tk_enum: return CORBA::make_reference<EnumNode>(type);
    case TCKind::tk_fixed: return CORBA::make_reference<FixedNode>(type);
    case TCKind::tk_value:
    case TCKind::tk_event: return CORBA::make_reference<ValueNode>(type);
    case TCKind::tk_value_box: return CORBA::make_reference<ValueBoxNode>(type);
    default: return CORBA::make_reference<BasicNode>(type);
  }
}

[[noreturn]] void raise_bad_param(const char* what) {
  throw CORBA::BAD_PARAM(minor::kNilArgument, CompletionStatus::COMPLETED_NO, what);
}

}  // namespace

Node& node_of(const Node::Ref& dyn_any) {
  if (dyn_any == nullptr) raise_bad_param("a nil DynAny");
  auto* const node = dynamic_cast<Node*>(dyn_any.get());
  if (node == nullptr) raise_bad_param("a DynAny that the DynAnyFactory of this ORB has not made");
  node->check_exists();
  return *node;
}

void check_equivalent(const TypeCode& expected, const TypeCode& found) {
  if (&expected == &found || reference_to(expected)->equivalent(reference_to(found))) return;
  raise_other_type(expected, found);
}

EncodedValue value_as(const TypeCode& expected, const Node::Ref& dyn_any) {
  Node& node = node_of(dyn_any);
  check_equivalent(expected, node.declared_type());
  EncodedValue value = node.encoded();
  if (value.is_initial() || &node.value_type() == &typecode::resolved(expected)) return value;
  // Equivalent TypeCodes can differ in their members if they have one repository id.
  cdr::Decoder in = value.decoder();
  ValueWriter writer;
  if (!writer.copy(in, expected)) raise_other_type(expected, node.declared_type());
  return writer.finish();
}

EncodedValue value_as(const TypeCode& expected, const CORBA::Any& any) {
  check_equivalent(expected, *any.type());
  if (auto value = encoded_value_of(any, expected)) return std::move(*value);
  raise_invalid("the any contains no legal value of " + typecode::describe(expected));
}

NodeRef Node::make(const TypeCode& type, EncodedValue value) {
  NodeRef node = make_for_kind(type);
  node->replace(std::move(value));
  return node;
}

Node::~Node() {
  if (parent_ != nullptr) parent_->forget(index_);
}

NodeRef Node::self() noexcept {
  _add_ref();
  return NodeRef::adopt(this);
}

void Node::check_exists() const {
  if (!destroyed_) return;
  throw CORBA::OBJECT_NOT_EXIST(minor::kDestroyedDynAny, CompletionStatus::COMPLETED_NO,
                                "the DynAny has been destroyed, or its value has this component no longer");
}

void Node::mark_destroyed() noexcept {
  destroyed_ = true;
  parent_ = nullptr;
  value_ = {};
}

void Node::changed() {
  if (parent_ != nullptr) parent_->component_changed(*this);
}

void Node::set_value(EncodedValue value) {
  replace(std::move(value));
  changed();
}

CORBA::typecode_reference Node::type() {
  check_exists();
  return type_;
}

void Node::assign(const Ref& other) {
  check_exists();
  set_value(value_as(*type_, other));
}

void Node::from_any(const CORBA::Any& value) {
  check_exists();
  set_value(value_as(*type_, value));
}

CORBA::Any Node::to_any() {
  check_exists();
  ValueWriter writer;
  write(writer);
  return writer.to_any(*type_);
}

bool Node::equal(const Ref& other) {
  check_exists();
  Node& node = node_of(other);
  if (&node == this) return true;
  if (!type_->equivalent(node.type_)) return false;
  const EncodedValue mine = encoded(), its = node.encoded();
  if (mine.is_initial() && its.is_initial() && &value_type() == &node.value_type()) return true;
  return equal_values(value_type(), written(mine, value_type()), written(its, node.value_type()));
}

void Node::destroy() {
  check_exists();
  if (parent_ == nullptr) mark_destroyed();
}

Node::Ref Node::copy() {
  check_exists();
  return make(*type_, encoded());
}

NodeRef Node::basic_target() {
  check_exists();
  return self();
}

NodeRef Node::elements_target(TCKind) {
  check_exists();
  raise_mismatch(typecode::describe(*type_) + " is no sequence or array of this type");
}

bool Node::seek(std::int32_t) {
  check_exists();
  return false;
}

bool Node::next() {
  check_exists();
  return false;
}

std::uint32_t Node::component_count() {
  check_exists();
  return 0;
}

Node::Ref Node::current_component() {
  check_exists();
  raise_mismatch(typecode::describe(*type_) + " has no components");
}

}  // namespace orbweaver::dynamic
