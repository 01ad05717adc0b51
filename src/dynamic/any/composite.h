#pragma once

#include <map>
#include <set>
#include <vector>

#include "dynamic/any/node.h"

namespace orbweaver::dynamic {

/// A DynAny that may have components: the current position, and the components in use.
///
/// A component's value is first that in the buffer of this value, or the initial one. Components that have
/// been changed are `kept`: their values replace these. A component that is kept has a parent that is kept.
class Composite : public Node {
 public:
  ~Composite() override;

  void write(ValueWriter& out) override;
  EncodedValue encoded() override;
  void replace(EncodedValue value) override;
  void mark_destroyed() noexcept override;

  bool seek(std::int32_t index) override;
  bool next() override;
  std::uint32_t component_count() override;
  Ref current_component() override;

  /// The component `index`, which exists. Raises IMP_LIMIT beyond limits::kMaxNesting levels.
  NodeRef component(std::uint32_t index);
  /// A copy of the component's value.
  CORBA::Any component_as_any(std::uint32_t index) { return component_as_any(index, nullptr); }
  /// Calls `add(index, any)` with a copy of each component's value. Raises IMP_LIMIT if values that several
  /// components share make them too large.
  template <class Add>
  void components_as_anys(std::uint32_t n, const Add& add) {
    ComponentList list(*this);
    for (std::uint32_t i = 0; i < n; ++i) add(i, component_as_any(i, &list));
  }
  /// Called by a component that has been changed.
  void component_changed(Node& component);
  /// Makes the node of a value, which has no parent, the component `index`.
  void adopt(std::uint32_t index, Node& value);
  /// Called by a component at its end.
  void forget(std::uint32_t index) noexcept { components_.erase(index); }

 protected:
  using Node::Node;

  bool may_have_components() const override { return true; }
  NodeRef basic_target() override;
  NodeRef elements_target(CORBA::TCKind element) override;
  NodeRef value_target() override;

  // Of the derived class:
  /// Number of components.
  virtual std::uint32_t count() const = 0;
  /// Number of components of which the values are in the buffer.
  virtual std::uint32_t count_in_buffer() const { return count(); }
  /// Type of a component.
  virtual const CORBA::TypeCode& component_type(std::uint32_t index) const = 0;
  /// Called when the value has been replaced, before the components are.
  virtual void value_replaced() {}
  /// Whether `value_` is not the value although no component is kept.
  virtual bool is_reshaped() const { return false; }
  /// Writes what precedes the components.
  virtual void write_header(ValueWriter&) {}
  /// Moves `in` from the beginning of the value behind that.
  virtual void skip_header(cdr::Decoder&) const {}
  /// Writes the values of components that are not kept, from `first` to `last`, exclusive.
  virtual void write_range(ValueWriter& out, std::uint32_t first, std::uint32_t last);
  /// Writes the value, if it is not `value_`.
  virtual void write_changed(ValueWriter& out);
  /// The value of a component in the buffer, or the initial one.
  virtual EncodedValue component_value(std::uint32_t index);
  /// Called when a component has been changed.
  virtual void component_was_changed(std::uint32_t) {}

  /// The position of a component in the buffer.
  virtual std::size_t offset_of(std::uint32_t index);
  /// Raises InvalidValue if the current position is -1.
  std::uint32_t checked_position() const;
  std::int64_t position() const noexcept { return position_; }
  /// Sets the current position, which may be -1; then another component is the current one.
  void move_to(std::int64_t position);
  /// 0, or -1 if there are no components.
  std::int64_t first_position() const { return count() == 0 ? -1 : 0; }
  /// Ends the use of the components from `first` on. Values that are not null have no parent then.
  void drop_components(std::uint32_t first) noexcept;
  /// Whether a component has been changed, or `value_` is not the value.
  bool is_changed() const { return kept_ != 0 || is_reshaped(); }

 private:
  struct Component {
    Node* node = nullptr;  // removes itself with `forget`
    NodeRef kept;          // nil: unchanged
  };

  /// Limits the octets of anys that contain values which earlier ones of the list contain, too.
  class ComponentList {
   public:
    explicit ComponentList(const Composite& whole);
    /// Adds a component that `writer` has written.
    void add(const ValueWriter& writer, const CORBA::Any& any);

   private:
    std::set<const SharedValue*> values_;
    std::uint64_t left_ = kMaxInitialBytes;
  };

  CORBA::Any component_as_any(std::uint32_t index, ComponentList* list);
  void replace_components();
  void drop_values() noexcept;

  std::map<std::uint32_t, Component> components_;
  std::uint32_t kept_ = 0;              // number of components that are kept
  std::vector<std::uint32_t> offsets_;  // of the components in the buffer; empty: not yet known
  std::int64_t position_ = -1;
  NodeRef current_;  // so that its own position lasts; nil: not asked for
};

}  // namespace orbweaver::dynamic
