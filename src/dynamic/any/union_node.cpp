#include "dynamic/any/union_node.h"

#include "cdr/value_copy.h"
#include "dynamic/any/errors.h"
#include "dynamic/any/union_labels.h"

namespace orbweaver::dynamic {

using CORBA::TCKind;
using CORBA::TypeCode;

namespace {

EncodedValue encoded_label(const TypeCode& discriminator, std::int64_t label) {
  ValueWriter writer;
  any::write_discriminator(writer.out(), typecode::resolved(discriminator), label);
  return writer.finish();
}

}  // namespace

std::int64_t UnionNode::label_of(const EncodedValue& discriminator) const {
  if (discriminator.is_initial()) return 0;
  cdr::Decoder in = discriminator.decoder();
  const std::int64_t label = any::read_discriminator(in, typecode::resolved(discriminator_type()));
  check(in);
  return label;
}

void UnionNode::value_replaced() {
  reshaped_ = false;
  const TypeCode::Member* const before = active_;
  if (value_.is_initial()) {
    std::uint64_t steps = 0;
    discriminator_ = encoded_label(discriminator_type(), initial_label(value_type(), steps));
    member_ = {};
  } else {
    discriminator_ = value_;
    cdr::Decoder in = value_.decoder();
    skip_value(in, discriminator_type());
    check(in);
    member_ = {value_.buffer, in.offset(), value_.values};
  }
  active_ = any::find_case(value_type(), label_of(discriminator_));
  if (!same_member(active_, before)) drop_components(1);
}

void UnionNode::component_was_changed(std::uint32_t index) {
  if (index != 0) return;
  const TypeCode::Member* const before = active_;
  active_ = any::find_case(value_type(), label_of(component(0)->encoded()));
  if (same_member(active_, before)) return;
  drop_components(1);
  member_ = {};
  reshaped_ = true;
  if (position() > 0) move_to(active_ == nullptr ? -1 : 1);
}

void UnionNode::set_label(std::int64_t label) {
  component(0)->set_value(encoded_label(discriminator_type(), label));
}

const TypeCode::Member& UnionNode::checked_member() const {
  check_exists();
  if (active_ == nullptr) raise_invalid(typecode::describe(*type_) + " has no active member");
  return *active_;
}

Node::Ref UnionNode::get_discriminator() {
  check_exists();
  return component(0);
}

void UnionNode::set_discriminator(const Ref& d) {
  check_exists();
  ValueImport no_values(nullptr);
  component(0)->set_value(value_as(discriminator_type(), d, no_values));
  move_to(active_ == nullptr ? 0 : 1);
}

void UnionNode::set_to_default_member() {
  check_exists();
  std::uint64_t steps = 0;
  const auto label = unused_label(value_type(), steps);
  if (default_case(value_type()) == nullptr || !label)
    raise_mismatch(typecode::describe(*type_) + " has no default case");
  if (!is_set_to_default_member()) set_label(*label);
  move_to(0);
}

void UnionNode::set_to_no_active_member() {
  check_exists();
  std::uint64_t steps = 0;
  const auto label = unused_label(value_type(), steps);
  if (default_case(value_type()) != nullptr || !label)
    raise_mismatch(typecode::describe(*type_) + " has a member for every value of its discriminator");
  if (active_ != nullptr) set_label(*label);
  move_to(0);
}

bool UnionNode::has_no_active_member() {
  check_exists();
  return active_ == nullptr;
}

TCKind UnionNode::discriminator_kind() {
  check_exists();
  return typecode::resolved(discriminator_type()).kind();
}

bool UnionNode::is_set_to_default_member() {
  check_exists();
  return active_ != nullptr && active_ == default_case(value_type());
}

Node::Ref UnionNode::member() {
  checked_member();
  return component(1);
}

DynamicAny::FieldName UnionNode::member_name() { return checked_member().name; }

TCKind UnionNode::member_kind() { return typecode::resolved(*checked_member().type).kind(); }

}  // namespace orbweaver::dynamic
