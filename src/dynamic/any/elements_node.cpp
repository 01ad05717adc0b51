#include "dynamic/any/elements_node.h"

#include <orbweaver/limits.h>

#include <algorithm>

#include "dynamic/any/errors.h"

namespace orbweaver::dynamic {

using CORBA::TCKind;
using CORBA::TypeCode;
using Fields = typecode::Access;

namespace {

constexpr std::uint32_t kMaxListedElements = std::uint32_t{1} << 24;
/// Of types without octets, of which a message of a few octets can announce any number.
constexpr std::uint32_t kMaxListedEmptyElements = static_cast<std::uint32_t>(limits::kFreeSteps);

}  // namespace

void check_element_count(const TypeCode& type, std::size_t count) {
  const std::uint32_t length = Fields::length(type);
  const bool fits = type.kind() == TCKind::tk_array ? count == length : length == 0 || count <= length;
  if (!fits) raise_invalid(std::to_string(count) + " elements for " + typecode::describe(type));
}

NodeRef ElementsNode::elements_target(TCKind kind) {
  if (typecode::resolved(element()).kind() == kind) return Node::basic_target();
  return Composite::elements_target(kind);
}

std::size_t ElementsNode::offset_of(std::uint32_t index) {
  cdr::Decoder in = value_.decoder();
  skip_header(in);
  const typecode::PlainLayout block = typecode::plain_layout_of(element());
  if (block.size == block.align) in.align(block.align);  // a number
  if (typecode::min_encoded_bytes(element()) == 0) return in.offset();
  if (block.size != 0 && in.offset() % block.align == 0) return in.offset() + std::size_t{index} * block.size;
  return Composite::offset_of(index);
}

void ElementsNode::write_range(ValueWriter& out, std::uint32_t first, std::uint32_t last) {
  const std::uint32_t in_buffer = value_.is_initial() ? 0 : count_in_buffer();
  if (typecode::min_encoded_bytes(element()) == 0) return;
  if (first < in_buffer) {
    const std::uint32_t end = std::min(last, in_buffer);
    const typecode::PlainLayout block = typecode::plain_layout_of(element());
    cdr::Decoder in = component_value(first).decoder();
    for (; first < end; ++first) {
      if (block.size != 0 && in.offset() % block.align == 0 && out.out().size() % block.align == 0) {
        const std::size_t bytes = std::size_t{end - first} * block.size;
        const std::uint8_t* const at = in.get_bytes(bytes);
        check(in);
        out.out().put_bytes(at, bytes);
        first = end;
        break;
      }
      if (!out.copy(in, element(), value_.values.get())) check(in);
    }
  }
  if (first < last) out.initial_elements(element(), last - first);
}

void ElementsNode::check_list_size() const {
  const bool empty = typecode::min_encoded_bytes(element()) == 0;
  const std::uint32_t most = empty ? kMaxListedEmptyElements : kMaxListedElements;
  if (count() > most)
    raise_limit(std::to_string(count()) + " elements, of which at most " + std::to_string(most) +
                " can be listed: use seek and current_component");
}

DynamicAny::AnySeq ElementsNode::get_elements() {
  check_exists();
  check_list_size();
  DynamicAny::AnySeq elements;
  elements.reserve(count());
  components_as_anys(count(), [&](std::uint32_t, CORBA::Any&& each) { elements.push_back(std::move(each)); });
  return elements;
}

DynamicAny::DynAnySeq ElementsNode::get_elements_as_dyn_any() {
  check_exists();
  check_list_size();
  DynamicAny::DynAnySeq elements;
  elements.reserve(count());
  for (std::uint32_t i = 0; i < count(); ++i) elements.push_back(component(i));
  return elements;
}

template <class Values>
void ElementsNode::set_all(const Values& values) {
  check_exists();
  check_element_count(value_type(), values.size());
  ValueWriter writer;
  ValueImport import(graph_.get());
  if (kind() == TCKind::tk_sequence) writer.out().put(static_cast<std::uint32_t>(values.size()));
  for (const auto& each : values) writer.value(value_as(element(), each, import), element());
  set_value(writer.finish());
}

void ElementsNode::set_elements(const DynamicAny::AnySeq& value) { set_all(value); }

void ElementsNode::set_elements_as_dyn_any(const DynamicAny::DynAnySeq& value) { set_all(value); }

// ---- sequences ----

void SequenceNode::value_replaced() {
  length_ = 0;
  reshaped_ = false;
  if (!value_.is_initial()) {
    cdr::Decoder in = value_.decoder();
    length_ = in.get_length(typecode::min_encoded_bytes(element()), Fields::length(value_type()));
    check(in);
  }
  in_buffer_ = length_;
}

void SequenceNode::set_length(std::uint32_t len) {
  check_exists();
  const std::uint32_t bound = Fields::length(value_type());
  if (bound != 0 && len > bound)
    raise_invalid("a length of " + std::to_string(len) + " for " + typecode::describe(*type_));
  const std::uint32_t before = std::exchange(length_, len);
  if (len < before) {
    drop_components(len);
    in_buffer_ = std::min(in_buffer_, len);
    if (position() >= std::int64_t{len}) move_to(-1);
  } else if (len > before && position() < 0) {
    move_to(before);
  }
  if (len != before) {
    reshaped_ = true;
    changed();
  }
}

}  // namespace orbweaver::dynamic
