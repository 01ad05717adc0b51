#include "dynamic/any/composite.h"

#include <orbweaver/limits.h>

#include "dynamic/any/errors.h"

namespace orbweaver::dynamic {

using CORBA::TCKind;
using CORBA::TypeCode;

Composite::~Composite() {
  for (auto& [index, component] : components_) component.node->parent_ = nullptr;
}

void Composite::mark_destroyed() noexcept {
  drop_components(0);
  Node::mark_destroyed();
}

void Composite::drop_components(std::uint32_t first) noexcept {
  if (position_ >= std::int64_t{first}) current_ = nullptr;
  for (auto each = components_.lower_bound(first); each != components_.end();) {
    const Component dropped = std::move(each->second);
    each = components_.erase(each);
    if (dropped.kept != nullptr) --kept_;
    dropped.node->parent_ = nullptr;
    if (!dropped.node->is_shared_value()) dropped.node->mark_destroyed();
  }
}

/// Values that are components remain what they are.
void Composite::drop_values() noexcept {
  for (auto each = components_.begin(); each != components_.end();) {
    if (!each->second.node->is_shared_value()) {
      ++each;
      continue;
    }
    const Component dropped = std::move(each->second);
    each = components_.erase(each);
    if (dropped.kept != nullptr) --kept_;
    dropped.node->parent_ = nullptr;
  }
}

// ---- the value ----

void Composite::write(ValueWriter& out) {
  if (!is_changed()) return Node::write(out);
  const ValueWriter::Nested nested(out, 1);
  write_changed(out);
}

EncodedValue Composite::encoded() {
  if (!is_changed()) return value_;
  ValueWriter writer;
  write_changed(writer);
  return writer.finish();
}

void Composite::write_changed(ValueWriter& out) {
  write_header(out);
  std::uint32_t next = 0;
  for (const auto& [index, component] : components_) {
    if (component.kept == nullptr) continue;
    if (next < index) write_range(out, next, index);
    component.kept->write(out);
    next = index + 1;
  }
  if (next < count()) write_range(out, next, count());
}

void Composite::write_range(ValueWriter& out, std::uint32_t first, std::uint32_t last) {
  for (std::uint32_t i = first; i < last; ++i) out.value(component_value(i), component_type(i));
}

void Composite::replace(EncodedValue value) {
  value_ = std::move(value);
  offsets_.clear();
  value_replaced();
  replace_components();
  move_to(first_position());
}

void Composite::replace_components() {
  current_ = nullptr;
  drop_values();
  drop_components(count());
  kept_ = 0;
  std::vector<NodeRef>
      in_use;  // released at the end: components that are not used any more forget themselves
  in_use.reserve(components_.size());
  for (auto& [index, component] : components_) {
    in_use.push_back(component.node->self());
    component.kept = nullptr;
  }
  for (const NodeRef& each : in_use) {
    each->replace(component_value(each->index_));
    if (each->destroyed_) components_.erase(each->index_);  // its place holds a value that has a DynAny
  }
}

std::size_t Composite::offset_of(std::uint32_t index) {
  if (offsets_.empty()) {
    const std::uint32_t n = count_in_buffer();
    cdr::Decoder in = value_.decoder();
    skip_header(in);
    std::vector<std::uint32_t> offsets;
    offsets.reserve(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      offsets.push_back(static_cast<std::uint32_t>(in.offset()));
      skip_value(in, component_type(i));
    }
    check(in);
    offsets_ = std::move(offsets);
  }
  return offsets_[index];
}

EncodedValue Composite::component_value(std::uint32_t index) {
  if (value_.is_initial() || index >= count_in_buffer()) return {};
  return {value_.buffer, offset_of(index), value_.values};
}

// ---- components ----

NodeRef Composite::component(std::uint32_t index) {
  if (const auto known = components_.find(index); known != components_.end())
    return known->second.node->self();
  // Of values, as deep as those of a message: each may be in a sequence.
  const int most = graph_ == nullptr ? limits::kMaxNesting : 2 * limits::kMaxValueNesting;
  if (depth_ + 1 > most) raise_limit("a value nested more than " + std::to_string(most) + " deep");
  const TypeCode* type = &component_type(index);
  EncodedValue value = component_value(index);
  if (is_value_kind(typecode::resolved(*type).kind())) {
    if (const SharedValueRef held = shared_value_at(value)) {
      if (held->node != nullptr) {
        Node& node = held->node->node();
        if (node.parent_ == nullptr && node.age_ > age_) adopt(index, node);
        return node.self();
      }
      if (!held->type->equivalent(reference_to(*type))) type = held->type.get();
      NodeRef made = make(*type, std::move(value), graph_);
      adopt(index, *made);
      return made;
    }
  }
  NodeRef made = make(*type, std::move(value), graph_);
  adopt(index, *made);
  return made;
}

void Composite::adopt(std::uint32_t index, Node& value) {
  components_.emplace(index, Component{&value, nullptr});
  value.parent_ = this;
  value.index_ = index;
  value.depth_ = static_cast<std::uint16_t>(depth_ + 1);
}

CORBA::Any Composite::component_as_any(std::uint32_t index, ComponentList* list) {
  const TypeCode* type = &component_type(index);
  ValueWriter writer(ValueWriter::Form::any);
  NodeRef value;
  if (is_value_kind(typecode::resolved(*type).kind())) {
    value = component(index);  // its type may be another one
    value->check_exists();
    type = &value->declared_type();
    value->write(writer);
  } else if (const auto known = components_.find(index);
             known != components_.end() && known->second.kept != nullptr) {
    known->second.kept->write(writer);
  } else {
    writer.value(component_value(index), *type);
  }
  CORBA::Any any = writer.to_any(*type);
  if (list != nullptr) list->add(writer, any);
  return any;
}

Composite::ComponentList::ComponentList(const Composite& whole) {
  if (whole.graph_ == nullptr) return;
  const std::size_t own = whole.value_.is_initial() ? 0 : whole.value_.buffer->bytes.size();
  left_ += limits::kStepsPerByte * (own + whole.graph_->state_bytes());
}

void Composite::ComponentList::add(const ValueWriter& writer, const CORBA::Any& any) {
  if (writer.add_written(values_)) return;
  const std::uint64_t bytes = any::Access::find(any, *any.type())->size();
  if (bytes > left_)
    raise_limit("components that share values, which each would contain: list them as DynAnys");
  left_ -= bytes;
}

void Composite::component_changed(Node& component) {
  Component& entry = components_.at(component.index_);
  if (entry.kept == nullptr) {
    entry.kept = component.self();
    ++kept_;
  }
  component_was_changed(component.index_);
  changed();
}

NodeRef Composite::basic_target() {
  check_exists();
  NodeRef target = component(checked_position());
  if (target->may_have_components())
    raise_mismatch("the current component, of type " + typecode::describe(target->declared_type()) +
                   ", has components itself");
  return target;
}

NodeRef Composite::elements_target(TCKind element) {
  check_exists();
  NodeRef target = component(checked_position());
  if (const auto* const composite = dynamic_cast<Composite*>(target.get());
      composite == nullptr || (target->kind() != TCKind::tk_sequence && target->kind() != TCKind::tk_array))
    raise_mismatch("the current component, of type " + typecode::describe(target->declared_type()) +
                   ", is no sequence or array");
  const TypeCode& type = *typecode::Access::content(target->value_type());
  if (typecode::resolved(type).kind() != element)
    raise_mismatch("the elements of the current component are of type " + typecode::describe(type));
  return target;
}

NodeRef Composite::value_target() {
  if (is_value_kind(kind())) return Node::value_target();
  check_exists();
  NodeRef target = component(checked_position());
  if (is_value_kind(target->kind())) return target;
  raise_mismatch("the current component, of type " + typecode::describe(target->declared_type()) +
                 ", is no value of a value type");
}

// ---- the current position ----

std::uint32_t Composite::checked_position() const {
  if (position_ >= 0) return static_cast<std::uint32_t>(position_);
  raise_invalid("the current position of " + typecode::describe(*type_) + " is -1");
}

void Composite::move_to(std::int64_t position) {
  if (position != position_) current_ = nullptr;
  position_ = position;
}

bool Composite::seek(std::int32_t index) {
  check_exists();
  const bool exists = index >= 0 && static_cast<std::uint32_t>(index) < count();
  move_to(exists ? index : -1);
  return exists;
}

bool Composite::next() {
  check_exists();
  const bool exists = position_ + 1 < std::int64_t{count()};
  move_to(exists ? position_ + 1 : -1);
  return exists;
}

std::uint32_t Composite::component_count() {
  check_exists();
  return count();
}

Node::Ref Composite::current_component() {
  check_exists();
  if (position_ < 0) return nullptr;
  if (current_ != nullptr) return current_;
  NodeRef found = component(static_cast<std::uint32_t>(position_));
  // A value that contains this one, or was found elsewhere before, is not held: it would never be freed.
  if (!found->is_shared_value() || found->age_ > age_) current_ = found;
  return found;
}

}  // namespace orbweaver::dynamic
