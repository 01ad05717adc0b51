#pragma once

#include "dynamic/any/struct_node.h"

namespace orbweaver::dynamic {

/// A value of a value type, which may be shared, or a place that has only been null. `value_` is the state.
/// `Base` is the Composite of the state's components. Derived classes call `keep_changes` in their
/// destructor.
template <class Base>
class ValuePlace : public Base, public SharedValueNode {
 public:
  void write(ValueWriter& out) final { out.shared_value(held_ == nullptr ? nullptr : resolved(held_)); }
  EncodedValue encoded() final;
  void replace(EncodedValue place) final;
  void mark_destroyed() noexcept final;
  const CORBA::TypeCode& held_type() const noexcept final {
    return held_ == nullptr ? this->value_type() : *held_->type;
  }

  // SharedValueNode
  EncodedValue state() final { return Composite::encoded(); }
  void write_state(ValueWriter& out) final;
  Node& node() noexcept final { return *this; }

 protected:
  using Base::Base;

  bool is_shared_value() const noexcept final { return held_ != nullptr; }
  bool holds_null() const noexcept { return held_ == nullptr || held_->is_null; }
  /// Makes it null, or an initial value if it is null. Raises TypeMismatch if there are no values of the
  /// type.
  void make_null();
  void make_value();
  /// Replaces the state of a value that is not null.
  void set_state(EncodedValue state);
  /// To be called when the value's type may have changed, before its components are used.
  virtual void type_changed() {}
  /// The value keeps the changes of its state for those who refer to it. At the end of this node.
  void keep_changes() noexcept;
  /// Whether its program marshals the state, which then has no components.
  bool is_custom() const noexcept { return held_ != nullptr && held_->custom != nullptr; }

 private:
  void bind_state();

  SharedValueRef held_;  // null: it has only been null
};

extern template class ValuePlace<Composite>;
extern template class ValuePlace<MembersNode>;

}  // namespace orbweaver::dynamic
