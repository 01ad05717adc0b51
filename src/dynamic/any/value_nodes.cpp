#include "dynamic/any/value_nodes.h"

#include <algorithm>

#include "dynamic/any/errors.h"

namespace orbweaver::dynamic {

using CORBA::TypeCode;
using Fields = typecode::Access;

namespace {

[[noreturn]] void raise_not_encoded(const TypeCode& type) {
  throw CORBA::MARSHAL(minor::kUnsupportedType, CORBA::CompletionStatus::COMPLETED_NO,
                       typecode::describe(type) + ": values of value types are not encoded, except for null");
}

[[noreturn]] void raise_null(const TypeCode& type) {
  raise_invalid("the value of " + typecode::describe(type) + " is null");
}

}  // namespace

// ---- value types ----

ValueNode::ValueNode(const TypeCode& type) : MembersNode(type) {
  std::vector<const TypeCode*> bases;
  for (const TypeCode* each = &value_type(); each != nullptr; each = Fields::content(*each)) {
    each = &typecode::resolved(*each);
    if (std::find(bases.begin(), bases.end(), each) != bases.end())
      throw CORBA::BAD_TYPECODE(minor::kUntypedArgument, CORBA::CompletionStatus::COMPLETED_NO,
                                typecode::describe(type) + " is its own base");
    bases.push_back(each);
  }
  for (auto each = bases.rbegin(); each != bases.rend(); ++each) {
    for (std::uint32_t i = 0; i < Fields::count(**each); ++i) members_.push_back(Fields::members(**each) + i);
  }
}

bool ValueNode::is_null() {
  check_exists();
  return null_;
}

void ValueNode::set_to_null() {
  check_exists();
  set_value({});
}

void ValueNode::set_to_value() {
  check_exists();
  if (!null_) return;
  null_ = false;
  move_to(first_position());
  changed();
}

void ValueNode::check_value() const {
  if (null_) raise_null(*type_);
}

void ValueNode::set_member_values(std::vector<EncodedValue> values) {
  set_to_value();
  for (std::uint32_t i = 0; i < values.size(); ++i) component(i)->set_value(std::move(values[i]));
  move_to(first_position());
}

void ValueNode::write_changed(ValueWriter&) { raise_not_encoded(*type_); }

// ---- value boxes ----

bool ValueBoxNode::is_null() {
  check_exists();
  return null_;
}

void ValueBoxNode::set_to_null() {
  check_exists();
  set_value({});
}

void ValueBoxNode::set_to_value() {
  check_exists();
  if (!null_) return;
  null_ = false;
  move_to(0);
  changed();
}

void ValueBoxNode::check_value() const {
  check_exists();
  if (null_) raise_null(*type_);
}

CORBA::Any ValueBoxNode::get_boxed_value() {
  check_value();
  return component_as_any(0);
}

Node::Ref ValueBoxNode::get_boxed_value_as_dyn_any() {
  check_value();
  return component(0);
}

void ValueBoxNode::set_boxed(EncodedValue value) {
  set_to_value();
  component(0)->set_value(std::move(value));
  move_to(0);
}

void ValueBoxNode::set_boxed_value(const CORBA::Any& boxed) {
  check_exists();
  set_boxed(value_as(boxed_type(), boxed));
}

void ValueBoxNode::set_boxed_value_as_dyn_any(const Ref& boxed) {
  check_exists();
  set_boxed(value_as(boxed_type(), boxed));
}

void ValueBoxNode::write_changed(ValueWriter&) { raise_not_encoded(*type_); }

}  // namespace orbweaver::dynamic
