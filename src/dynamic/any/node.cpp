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

namespace {

/// Raises TypeMismatch unless a place of type `expected` may hold a value of type `found`.
void check_holds(const TypeCode& expected, const TypeCode& found) {
  const TypeCode &declared = typecode::resolved(expected), &held = typecode::resolved(found);
  if (!is_value_kind(declared.kind())) return check_equivalent(expected, found);
  if (!is_value_kind(held.kind()) || !may_hold(declared, held)) raise_other_type(expected, found);
}

}  // namespace

EncodedValue Node::value_as(const TypeCode& expected, const Ref& dyn_any, ValueImport& import) {
  Node& node = node_of(dyn_any);
  check_holds(expected, node.held_type());
  EncodedValue value = node.encoded();
  const TypeCode &type = typecode::resolved(expected), &held = typecode::resolved(node.held_type());
  // Equivalent TypeCodes can differ in their members if they have one repository id.
  const bool is_value = is_value_kind(type.kind());
  const bool may_differ = !value.is_initial() && &held != &type && (!is_value || has_same_id(type, held));
  if (may_differ && typecode::may_contain_values(type) && !type.equal(reference_to(held))) {
    ValueWriter writer(ValueWriter::Form::any);
    node.write(writer);
    bool truncated = false;
    const CORBA::Any any = writer.to_any(expected);
    if (auto read = encoded_value_of(any, expected, import.graph(), truncated)) return std::move(*read);
    raise_other_type(expected, node.declared_type());
  }
  if (may_differ && !is_value) {
    cdr::Decoder in = value.decoder();
    ValueWriter writer;
    if (!writer.copy(in, expected, value.values.get())) raise_other_type(expected, node.declared_type());
    value = writer.finish();
  }
  return import(value, expected);
}

EncodedValue Node::value_as(const TypeCode& expected, const CORBA::Any& any) const {
  const CORBA::typecode_reference found = any.type();
  check_holds(expected, *found);
  // A value of a derived type is decoded by that.
  const TypeCode& declared = typecode::resolved(expected);
  const bool is_other = is_value_kind(declared.kind()) && !has_same_id(declared, typecode::resolved(*found));
  const TypeCode& type = is_other ? *found : expected;
  bool truncated = false;
  if (auto value = encoded_value_of(any, type, graph_.get(), truncated)) return std::move(*value);
  raise_invalid("the any contains no legal value of " + typecode::describe(expected));
}

Node::GraphPtr Node::new_graph(const TypeCode& type) {
  return typecode::may_contain_values(type) ? std::make_shared<ValueGraph>() : nullptr;
}

NodeRef Node::make(const TypeCode& type, EncodedValue value, GraphPtr graph) {
  NodeRef node = make_for_kind(type);
  if (graph != nullptr && typecode::may_contain_values(type)) {
    node->age_ = graph->next_age();
    node->graph_ = std::move(graph);
  }
  node->replace(std::move(value));
  return node;
}

NodeRef Node::make_root(const TypeCode& type, EncodedValue value, const GraphPtr& graph) {
  NodeRef node = make(type, std::move(value), graph);
  if (graph != nullptr) graph->root = node.get();
  return node;
}

Node::~Node() {
  if (parent_ != nullptr) parent_->forget(index_);
  if (graph_ != nullptr && graph_->root == this) graph_->root = nullptr;
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
  ValueImport import(graph_.get());
  set_value(value_as(*type_, other, import));
}

void Node::from_any(const CORBA::Any& value) {
  check_exists();
  set_value(value_as(*type_, value));
}

CORBA::Any Node::to_any() {
  check_exists();
  ValueWriter writer(ValueWriter::Form::any);
  write(writer);
  return writer.to_any(*type_);
}

bool Node::equal(const Ref& other) {
  check_exists();
  Node& node = node_of(other);
  if (&node == this) return true;
  if (!reference_to(held_type())->equivalent(reference_to(node.held_type()))) return false;
  const EncodedValue mine = encoded(), its = node.encoded();
  if (mine.is_initial() && its.is_initial() && &value_type() == &node.value_type()) return true;
  return equal_values(value_type(), written(mine, value_type()), written(its, node.value_type()));
}

void Node::destroy() {
  check_exists();
  const bool is_part = graph_ != nullptr && graph_->root != nullptr && graph_->root != this;
  if (parent_ != nullptr || is_part) return;
  // The DynAnys of its values are parts, too, wherever they are now.
  std::vector<NodeRef> values;
  if (graph_ != nullptr && graph_->root == this) values = graph_->nodes();
  mark_destroyed();
  for (const NodeRef& each : values) {
    // The component of a part that has been released has no parent, but may be one of this value's.
    Node* top = each.get();
    while (top->parent_ != nullptr && (top == each.get() || !top->is_shared_value())) top = top->parent_;
    const NodeRef hold = top->self();
    top->mark_destroyed();
    each->mark_destroyed();
  }
}

Node::Ref Node::copy() {
  check_exists();
  const GraphPtr graph = new_graph(*type_);
  ValueImport import(graph.get());
  return make_root(*type_, import(encoded(), *type_), graph);
}

NodeRef Node::basic_target() {
  check_exists();
  return self();
}

NodeRef Node::elements_target(TCKind) {
  check_exists();
  raise_mismatch(typecode::describe(*type_) + " is no sequence or array of this type");
}

NodeRef Node::value_target() {
  check_exists();
  if (is_value_kind(kind())) return self();
  raise_mismatch(typecode::describe(*type_) + " is no value of a value type");
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
