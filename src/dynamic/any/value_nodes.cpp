#include "dynamic/any/value_nodes.h"

#include <algorithm>

#include "cdr/value_copy.h"
#include "dynamic/any/errors.h"

namespace orbweaver::dynamic {

using CORBA::TypeCode;
using Fields = typecode::Access;

namespace {

[[noreturn]] void raise_null(const TypeCode& type) {
  raise_invalid("the value of " + typecode::describe(type) + " is null");
}

}  // namespace

// ---- value types ----

void ValueNode::type_changed() {
  const TypeCode& type = held_type();
  if (state_type_.get() == &type) return;
  std::vector<const TypeCode*> bases;
  for (const TypeCode* each = &type; each != nullptr; each = Fields::content(*each)) {
    each = &typecode::resolved(*each);
    if (!typecode::is_value(each->kind())) break;  // a box, in a place for all values
    if (std::find(bases.begin(), bases.end(), each) != bases.end())
      throw CORBA::BAD_TYPECODE(minor::kUntypedArgument, CORBA::CompletionStatus::COMPLETED_NO,
                                typecode::describe(type) + " is its own base");
    bases.push_back(each);
  }
  std::vector<const Member*> members;
  for (auto each = bases.rbegin(); each != bases.rend() && !any::is_custom(type); ++each) {
    for (std::uint32_t i = 0; i < Fields::count(**each); ++i) members.push_back(Fields::members(**each) + i);
  }
  // Components of other types end.
  std::uint32_t same = 0;
  while (same < members.size() && same < members_.size() &&
         (members[same]->type == members_[same]->type ||
          members[same]->type->equal(reference_to(*members_[same]->type))))
    ++same;
  drop_components(same);
  members_ = std::move(members);
  state_type_ = reference_to(type);
}

bool ValueNode::is_null() {
  check_exists();
  return holds_null();
}

void ValueNode::check_value() const {
  if (holds_null()) raise_null(*type_);
}

void ValueNode::set_member_values(std::vector<EncodedValue> values) {
  make_value();
  ValueWriter writer;
  for (std::uint32_t i = 0; i < values.size(); ++i) writer.value(values[i], component_type(i));
  set_state(writer.finish());
}

// ---- value boxes ----

bool ValueBoxNode::is_null() {
  check_exists();
  return holds_null();
}

void ValueBoxNode::check_value() const {
  check_exists();
  if (holds_null()) raise_null(*type_);
}

CORBA::Any ValueBoxNode::get_boxed_value() {
  check_value();
  return component_as_any(0);
}

Node::Ref ValueBoxNode::get_boxed_value_as_dyn_any() {
  check_value();
  return component(0);
}

void ValueBoxNode::set_boxed(const EncodedValue& value) {
  make_value();
  ValueWriter writer;
  writer.value(value, boxed_type());
  set_state(writer.finish());
}

void ValueBoxNode::set_boxed_value(const CORBA::Any& boxed) {
  check_exists();
  set_boxed(value_as(boxed_type(), boxed));
}

void ValueBoxNode::set_boxed_value_as_dyn_any(const Ref& boxed) {
  check_exists();
  ValueImport import(graph_.get());
  set_boxed(value_as(boxed_type(), boxed, import));
}

}  // namespace orbweaver::dynamic
