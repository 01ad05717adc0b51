#include "dynamic/any/value_place.h"

#include "cdr/value_copy.h"
#include "cdr/value_types.h"
#include "dynamic/any/errors.h"

namespace orbweaver::dynamic {

template <class Base>
EncodedValue ValuePlace<Base>::encoded() {
  if (held_ == nullptr) return {};
  ValueWriter writer;
  write(writer);
  return writer.finish();
}

template <class Base>
void ValuePlace<Base>::write_state(ValueWriter& out) {
  if (this->is_changed()) return Composite::write_changed(out);
  out.state(this->value_, *held_->type);
}

template <class Base>
void ValuePlace<Base>::replace(EncodedValue place) {
  const SharedValueRef found = shared_value_at(place);
  if (held_ != nullptr && found == nullptr) {
    held_->become_initial(true);
  } else if (held_ != nullptr) {
    held_->become(*found);
  } else if (found != nullptr) {
    if (found->node != nullptr) return mark_destroyed();  // the place has a DynAny already
    found->current_state();                               // raises if it has been lost
    held_ = found;
    held_->node = this;
  }
  bind_state();
}

/// The state of the value becomes that of the components.
template <class Base>
void ValuePlace<Base>::bind_state() {
  type_changed();
  Composite::replace(held_ == nullptr ? EncodedValue() : held_->state);
}

template <class Base>
void ValuePlace<Base>::mark_destroyed() noexcept {
  keep_changes();
  Composite::mark_destroyed();
  held_ = nullptr;
}

template <class Base>
void ValuePlace<Base>::keep_changes() noexcept {
  if (held_ == nullptr) return;
  held_->node = nullptr;
  if (!this->is_changed() || !held_->has_others()) return;
  try {
    held_->state = Composite::encoded();
  } catch (...) {
    held_->is_lost = true;
  }
}

template <class Base>
void ValuePlace<Base>::make_null() {
  this->check_exists();
  this->set_value({});
}

template <class Base>
void ValuePlace<Base>::make_value() {
  this->check_exists();
  if (!holds_null()) return;
  const CORBA::TypeCode& type = held_type();
  if (!has_values(type))
    raise_mismatch(typecode::describe(type) + " is abstract: it has no values of its own; assign one");
  CORBA::object_reference<CORBA::ValueBase> custom;
  if (any::is_custom(type)) {
    custom = values::make(typecode::Access::id(type));
    if (custom == nullptr)
      throw CORBA::MARSHAL(
          minor::kNoValueFactory, CORBA::CompletionStatus::COMPLETED_NO,
          "no factory is registered for " + typecode::describe(type) + ", whose program marshals its values");
  }
  if (held_ == nullptr) {
    held_ = this->graph_->make(type);
    held_->node = this;
  }
  held_->become_initial(false);
  held_->custom = std::move(custom);
  bind_state();
  this->changed();
}

template <class Base>
void ValuePlace<Base>::set_state(EncodedValue state) {
  held_->state = std::move(state);
  bind_state();
  this->changed();
}

template class ValuePlace<Composite>;
template class ValuePlace<MembersNode>;

}  // namespace orbweaver::dynamic
