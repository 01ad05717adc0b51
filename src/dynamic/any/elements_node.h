#pragma once

#include "dynamic/any/composite.h"

namespace orbweaver::dynamic {

/// Raises InvalidValue if the sequence or array `type` cannot have `count` elements.
void check_element_count(const CORBA::TypeCode& type, std::size_t count);

/// A sequence or array.
class ElementsNode : public Composite, public virtual DynamicAny::DynElements {
 public:
  DynamicAny::AnySeq get_elements() final;
  void set_elements(const DynamicAny::AnySeq& value) final;
  DynamicAny::DynAnySeq get_elements_as_dyn_any() final;
  void set_elements_as_dyn_any(const DynamicAny::DynAnySeq& value) final;

 protected:
  using Composite::Composite;

  const CORBA::TypeCode& element() const noexcept { return *typecode::Access::content(value_type()); }
  const CORBA::TypeCode& component_type(std::uint32_t) const final { return element(); }
  NodeRef elements_target(CORBA::TCKind kind) final;
  std::size_t offset_of(std::uint32_t index) final;
  void write_range(ValueWriter& out, std::uint32_t first, std::uint32_t last) final;

 private:
  /// Raises IMP_LIMIT if there are too many elements for a list of them.
  void check_list_size() const;
  template <class Values>
  void set_all(const Values& values);
};

/// A sequence. A shorter or longer length than that in the buffer is in `length_`.
class SequenceNode final : public ElementsNode, public virtual DynamicAny::DynSequence {
 public:
  explicit SequenceNode(const CORBA::TypeCode& type) : ElementsNode(type) {}
  std::uint32_t get_length() override { return component_count(); }
  void set_length(std::uint32_t len) override;

 private:
  std::uint32_t count() const override { return length_; }
  std::uint32_t count_in_buffer() const override { return in_buffer_; }
  void value_replaced() override;
  bool is_reshaped() const override { return reshaped_; }
  void write_header(ValueWriter& out) override { out.out().put(length_); }
  void skip_header(cdr::Decoder& in) const override { in.get<std::uint32_t>(); }

  std::uint32_t length_ = 0, in_buffer_ = 0;
  bool reshaped_ = false;
};

/// An array.
class ArrayNode final : public ElementsNode, public virtual DynamicAny::DynArray {
 public:
  explicit ArrayNode(const CORBA::TypeCode& type) : ElementsNode(type) {}

 private:
  std::uint32_t count() const override { return typecode::Access::length(value_type()); }
};

}  // namespace orbweaver::dynamic
