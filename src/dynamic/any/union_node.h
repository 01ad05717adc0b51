#pragma once

#include "dynamic/any/composite.h"

namespace orbweaver::dynamic {

/// A union. The discriminator is a component like others, so that it can be changed as any value: the active
/// member follows each change.
class UnionNode final : public Composite, public virtual DynamicAny::DynUnion {
 public:
  explicit UnionNode(const CORBA::TypeCode& type) : Composite(type) {}

  Ref get_discriminator() override;
  void set_discriminator(const Ref& d) override;
  void set_to_default_member() override;
  void set_to_no_active_member() override;
  bool has_no_active_member() override;
  CORBA::TCKind discriminator_kind() override;
  bool is_set_to_default_member() override;
  Ref member() override;
  DynamicAny::FieldName member_name() override;
  CORBA::TCKind member_kind() override;

 private:
  const CORBA::TypeCode& discriminator_type() const { return *typecode::Access::content(value_type()); }
  std::uint32_t count() const override { return active_ == nullptr ? 1 : 2; }
  const CORBA::TypeCode& component_type(std::uint32_t index) const override {
    return index == 0 ? discriminator_type() : *active_->type;
  }
  void value_replaced() override;
  bool is_reshaped() const override { return reshaped_; }
  EncodedValue component_value(std::uint32_t index) override { return index == 0 ? discriminator_ : member_; }
  void component_was_changed(std::uint32_t index) override;
  std::int64_t label_of(const EncodedValue& discriminator) const;
  void set_label(std::int64_t label);
  const CORBA::TypeCode::Member& checked_member() const;

  EncodedValue discriminator_, member_;              // where these components are not changed
  const CORBA::TypeCode::Member* active_ = nullptr;  // null: no member
  bool reshaped_ = false;                            // `active_` is not that of value_
};

}  // namespace orbweaver::dynamic
