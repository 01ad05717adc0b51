#pragma once

#include "dynamic/any/composite.h"

namespace orbweaver::dynamic {

/// A value with named members. `member(i)` of the derived class describes them.
class MembersNode : public Composite, public virtual DynamicAny::DynMembers {
 public:
  DynamicAny::FieldName current_member_name() final;
  CORBA::TCKind current_member_kind() final;
  DynamicAny::NameValuePairSeq get_members() final;
  void set_members(const DynamicAny::NameValuePairSeq& value) final;
  DynamicAny::NameDynAnyPairSeq get_members_as_dyn_any() final;
  void set_members_as_dyn_any(const DynamicAny::NameDynAnyPairSeq& value) final;
  Ref current_component() final;

 protected:
  using Composite::Composite;
  using Member = CORBA::TypeCode::Member;

  /// Number of members of the type.
  virtual std::uint32_t member_count() const = 0;
  virtual const Member& member(std::uint32_t index) const = 0;
  /// Called before the members are returned. Raises InvalidValue if there is no value.
  virtual void check_value() const {}
  /// Sets the values of all members.
  virtual void set_member_values(std::vector<EncodedValue> values) = 0;

  const CORBA::TypeCode& component_type(std::uint32_t index) const final { return *member(index).type; }

 private:
  const Member& current_member() const;
  template <class Pairs>
  void set_all(const Pairs& pairs);
};

/// A struct or exception.
class StructNode final : public MembersNode, public virtual DynamicAny::DynStruct {
 public:
  explicit StructNode(const CORBA::TypeCode& type) : MembersNode(type) {}

 private:
  std::uint32_t count() const override { return typecode::Access::count(value_type()); }
  std::uint32_t member_count() const override { return count(); }
  const Member& member(std::uint32_t index) const override {
    return typecode::Access::members(value_type())[index];
  }
  void set_member_values(std::vector<EncodedValue> values) override;
  void write_header(ValueWriter& out) override;
  void skip_header(cdr::Decoder& in) const override;
};

}  // namespace orbweaver::dynamic
