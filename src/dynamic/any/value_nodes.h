#pragma once

#include "dynamic/any/value_place.h"

namespace orbweaver::dynamic {

/// A value type, null or with its state members.
class ValueNode final : public ValuePlace<MembersNode>, public virtual DynamicAny::DynValue {
 public:
  /// Raises BAD_TYPECODE if the type is its own base.
  explicit ValueNode(const CORBA::TypeCode& type) : ValuePlace(type) { ValueNode::type_changed(); }
  ~ValueNode() override { keep_changes(); }
  bool is_null() override;
  void set_to_null() override { make_null(); }
  void set_to_value() override { make_value(); }

 private:
  std::uint32_t count() const override { return holds_null() ? 0 : member_count(); }
  std::uint32_t member_count() const override { return static_cast<std::uint32_t>(members_.size()); }
  const Member& member(std::uint32_t index) const override { return *members_[index]; }
  void check_value() const override;
  void set_member_values(std::vector<EncodedValue> values) override;
  void type_changed() override;

  CORBA::typecode_reference state_type_;  // that of members_
  std::vector<const Member*> members_;    // those of the bases first; none if the program marshals them
};

/// A value box, null or with one component.
class ValueBoxNode final : public ValuePlace<Composite>, public virtual DynamicAny::DynValueBox {
 public:
  explicit ValueBoxNode(const CORBA::TypeCode& type) : ValuePlace(type) {}
  ~ValueBoxNode() override { keep_changes(); }
  bool is_null() override;
  void set_to_null() override { make_null(); }
  void set_to_value() override { make_value(); }
  CORBA::Any get_boxed_value() override;
  void set_boxed_value(const CORBA::Any& boxed) override;
  Ref get_boxed_value_as_dyn_any() override;
  void set_boxed_value_as_dyn_any(const Ref& boxed) override;

 private:
  const CORBA::TypeCode& boxed_type() const { return *typecode::Access::content(held_type()); }
  std::uint32_t count() const override { return holds_null() ? 0 : 1; }
  const CORBA::TypeCode& component_type(std::uint32_t) const override { return boxed_type(); }
  void check_value() const;
  void set_boxed(const EncodedValue& value);
};

}  // namespace orbweaver::dynamic
