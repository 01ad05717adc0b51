// Values of value types in their two forms: in an any by the rules of CDR (CORBA 3.3 part 2, 9.3.4), where
// they refer to each other by offsets, and in DynAnys, as SharedValues.
#include "dynamic/any/value_forms.h"

#include <orbweaver/limits.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "cdr/typecode_graph.h"
#include "cdr/value_copy.h"
#include "dynamic/any/errors.h"

namespace orbweaver::dynamic {

using cdr::Fault;
using CORBA::TCKind;
using CORBA::TypeCode;
using Fields = typecode::Access;
using Header = cdr::ValueReader::Header;

bool has_values(const TypeCode& type) {
  return any::is_concrete(type) && std::strcmp(Fields::id(type), Fields::id(typecode::k_ValueBase)) != 0;
}

bool has_same_id(const TypeCode& a, const TypeCode& b) {
  return &a == &b || (a.kind() == b.kind() && std::strcmp(Fields::id(a), Fields::id(b)) == 0);
}

bool may_hold(const TypeCode& declared, const TypeCode& found) {
  if (&declared == &found) return true;
  if (declared.kind() == TCKind::tk_value_box || has_values(declared)) {
    for (const TypeCode* each = &found; each != nullptr; each = any::base_of(*each)) {
      if (has_same_id(declared, *each)) return true;
    }
    return false;
  }
  return true;  // an abstract type: the TypeCode of a value does not name those that it supports
}

SharedValueRef shared_value_at(const EncodedValue& place) {
  if (place.is_initial() || place.values == nullptr) return nullptr;
  cdr::Decoder in = place.decoder();
  const auto position = in.get<std::uint32_t>();
  if (position == 0) return nullptr;
  if (position > place.values->size()) in.fail(Fault::bad_value);
  check(in);
  return resolved((*place.values)[position - 1]);
}

namespace {

/// Copies references to values.
class CopyReferences final : public any::ValueCopy::Values {
 public:
  CopyReferences(ValueWriter& writer, const SharedValues* from) : writer_(writer), from_(from) {}
  void copy(cdr::Decoder& in, cdr::Encoder&, const TypeCode&) override {
    const auto position = in.get<std::uint32_t>();
    if (position == 0) return writer_.shared_value(nullptr);
    if (from_ == nullptr || position > from_->size()) return in.fail(Fault::bad_value);
    const ValueWriter::Nested nested(writer_, in.depth());
    writer_.shared_value((*from_)[position - 1]);
  }

 private:
  ValueWriter& writer_;
  const SharedValues* const from_;
};

/// Skips references to values.
class SkipReferences final : public any::ValueCopy::Values {
  void copy(cdr::Decoder& in, cdr::Encoder&, const TypeCode&) override { in.get<std::uint32_t>(); }
};

/// What has been read of one any.
struct ReadValues {
  ValueGraph& graph;
  bool& truncated;
  std::map<std::size_t, SharedValueRef> known;  // by offset
};

/// Makes values of a graph of the values in an any.
class ReadValue final : public any::ValueCopy::Values {
 public:
  ReadValue(ReadValues& all, ValueWriter& writer) : all_(all), writer_(writer) {}

  void copy(cdr::Decoder& in, cdr::Encoder&, const TypeCode& declared) override {
    writer_.shared_value(read(in, declared));
  }

 private:
  SharedValueRef read(cdr::Decoder& in, const TypeCode& declared) {
    cdr::ValueReader& reader = *cdr::ValueReader::of(in);
    const Header header = reader.read_header();
    if (header.kind == Header::Kind::null || !reader.enter()) return nullptr;
    SharedValueRef value = header.kind == Header::Kind::indirection ? read_earlier(in, header.at, declared)
                                                                    : read_new(in, header, declared);
    reader.leave();
    if (value != nullptr && !may_hold(declared, *value->type)) in.fail(Fault::bad_value);
    return in.ok() ? value : nullptr;
  }

  SharedValueRef read_earlier(cdr::Decoder& in, std::size_t at, const TypeCode& declared) {
    if (const auto known = all_.known.find(at); known != all_.known.end()) return known->second;
    // It is part of an any, or of a value that its program marshals.
    SharedValueRef value;
    cdr::ValueReader::of(in)->reread(at, [&](cdr::Decoder& again) { value = read(again, declared); });
    return value;
  }

  SharedValueRef read_new(cdr::Decoder& in, const Header& header, const TypeCode& declared) {
    const TypeCode* type = header.ids.empty() && has_values(declared) ? &declared : nullptr;
    std::size_t skipped = 0;  // ids of types that are not known: the value is truncated
    for (; type == nullptr && skipped < header.ids.size(); ++skipped) {
      if (skipped > 0 && !header.is_chunked) break;
      type = any::find_value_type(header.ids[skipped], declared);
      if (type != nullptr) break;
    }
    if (type == nullptr) return in.fail(Fault::unsupported_type), nullptr;
    if (any::is_custom(*type)) return read_custom(in, header, *type);
    SharedValueRef value = all_.graph.make(*type);
    if (skipped < header.ids.size()) {
      value->ids = all_.graph.keep_ids(std::vector<std::string>(
          header.ids.begin() + static_cast<std::ptrdiff_t>(skipped), header.ids.end()));
    }
    value->is_chunked = header.is_chunked;
    all_.known[header.at] = value;
    cdr::ValueReader& reader = *cdr::ValueReader::of(in);
    reader.begin_state(header);
    ValueWriter writer;
    ReadValue nested(all_, writer);
    any::ValueCopy copy(in, writer.out(), &nested);
    copy.state(*type);
    if (copy.references() && in.broker() != nullptr) writer.out().broker(in.broker());
    reader.end_state(header, skipped > 0);
    if (skipped > 0) all_.truncated = true;
    value->state = writer.finish();
    return value;
  }

  /// The program of the type decodes its state.
  SharedValueRef read_custom(cdr::Decoder& in, Header header, const TypeCode& type) {
    if (header.ids.empty()) header.ids.push_back(Fields::id(type));
    auto custom = cdr::ValueReader::of(in)->read_state(header, CORBA::ValueBase::_static_value_type());
    if (custom == nullptr) return nullptr;
    SharedValueRef value = all_.graph.make(type);
    value->custom = std::move(custom);
    all_.known[header.at] = value;
    return value;
  }

  ReadValues& all_;
  ValueWriter& writer_;
};

/// Discards what is written.
class Discard final : public cdr::OverflowHandler {
 public:
  Buffer flush_buffer(std::size_t, const cdr::OutOfLineSegment&) override {
    return {buffer_, sizeof buffer_, 0};
  }
  std::uint8_t* begin() noexcept { return buffer_; }
  static constexpr std::size_t size() noexcept { return sizeof buffer_; }

 private:
  alignas(8) std::uint8_t buffer_[2048];
};

}  // namespace

void skip_value(cdr::Decoder& in, const TypeCode& type) {
  Discard discard;
  cdr::Encoder out(discard.begin(), Discard::size());
  out.set_overflow_handler(discard);
  out.take(in.offset() % 8);  // the same alignment, so that blocks are skipped at once
  SkipReferences values;
  any::ValueCopy(in, out, &values).value(type);
}

// ---- ValueWriter ----

bool ValueWriter::copy(cdr::Decoder& in, const TypeCode& type, const SharedValues* values) {
  CopyReferences references(*this, values);
  any::ValueCopy copy(in, out_, &references);
  copy.value(type);
  if (copy.references() && in.broker() != nullptr) out_.broker(in.broker());
  return in.ok();
}

bool ValueWriter::read(cdr::Decoder& in, const TypeCode& type, ValueGraph* graph, bool& truncated) {
  if (graph == nullptr) return copy(in, type, nullptr);
  ReadValues all{*graph, truncated, {}};
  ReadValue values(all, *this);
  const cdr::ValueReader reader(in, cdr::ValueReader::Earlier::none);
  any::ValueCopy copy(in, out_, &values);
  copy.value(type);
  if (copy.references() && in.broker() != nullptr) out_.broker(in.broker());
  return in.ok();
}

void ValueWriter::state(const EncodedValue& state, const TypeCode& type) {
  if (!state.is_initial()) {
    cdr::Decoder in = state.decoder();
    CopyReferences references(*this, state.values.get());
    any::ValueCopy copy(in, out_, &references);
    copy.state(type);
    check(in);
    if (copy.references() && in.broker() != nullptr) out_.broker(in.broker());
    return;
  }
  if (type.kind() == TCKind::tk_value_box) return initial(*Fields::content(type));
  for (const TypeCode* each : any::value_chain(type)) {
    for (std::uint32_t i = 0; i < Fields::count(*each); ++i) initial(*Fields::members(*each)[i].type);
  }
}

void ValueWriter::shared_value(const SharedValueRef& value) {
  if (form_ == Form::any) return expand(resolved(value));
  if (value == nullptr) return out_.put(std::uint32_t{0});
  values_.push_back(value);
  out_.put(static_cast<std::uint32_t>(values_.size()));
}

namespace {

/// The ids with which values of a type are written: those of bases to which they may be truncated, too.
std::vector<std::string_view> ids_of(const SharedValue& value) {
  if (value.ids != nullptr) return {value.ids->begin(), value.ids->end()};
  constexpr std::int32_t kTruncatable = 3;  // VM_TRUNCATABLE
  std::vector<std::string_view> ids;
  for (const TypeCode* each = value.type.get();; each = any::base_of(*each)) {
    ids.emplace_back(Fields::id(*each));
    const bool is_truncatable = typecode::is_value(each->kind()) && Fields::extra(*each) == kTruncatable;
    if (!is_truncatable || any::base_of(*each) == nullptr) return ids;
  }
}

}  // namespace

void ValueWriter::expand(const SharedValueRef& value) {
  if (!value_writer_) value_writer_.emplace(out_);
  cdr::ValueWriter& writer = *value_writer_;
  if (value == nullptr) return writer.put_null();
  if (const auto known = written_.find(value.get()); known != written_.end())
    return writer.put_indirection(known->second);
  if (value->custom != nullptr) {
    written_custom_.insert(value.get());
    return writer.write(value->custom.get());
  }
  if (nesting_ > limits::kMaxNesting)
    throw CORBA::MARSHAL(0x4f570000 + static_cast<std::uint32_t>(Fault::too_deep),
                         CORBA::CompletionStatus::COMPLETED_NO,
                         "values nested in more than " + std::to_string(limits::kMaxNesting) +
                             " structs, unions, sequences and arrays");
  writer.enter();
  cdr::ValueWriter::Header header;
  header.ids = ids_of(*value);
  header.is_list = header.ids.size() > 1;
  header.is_chunked = value->is_chunked || header.is_list || writer.in_chunks();
  written_[value.get()] = writer.begin_value(header);
  if (value->node != nullptr && !value->is_lost)
    value->node->write_state(*this);
  else
    state(value->current_state(), *value->type);
  writer.end_value(header.is_chunked);
  writer.leave();
}

// ---- ValueImport ----

EncodedValue ValueImport::operator()(const EncodedValue& value, const TypeCode& type) {
  if (value.values == nullptr) return value;
  ValueWriter writer;  // of the values to which this one refers, not the whole of which it is a part
  writer.value(value, type);
  EncodedValue copy = with_copies(writer.finish());
  while (!work_.empty()) {
    const auto [original, made] = std::move(work_.back());
    work_.pop_back();
    made->state = with_copies(original->current_state());
  }
  return copy;
}

EncodedValue ValueImport::with_copies(EncodedValue value) {
  if (value.values == nullptr) return value;
  auto copies = std::make_shared<SharedValues>();
  copies->reserve(value.values->size());
  for (const SharedValueRef& each : *value.values) copies->push_back(copy_of(resolved(each)));
  value.values = std::move(copies);
  return value;
}

SharedValueRef ValueImport::copy_of(const SharedValueRef& original) {
  if (original == nullptr) return nullptr;
  SharedValueRef& copy = copies_[original.get()];
  if (copy != nullptr) return copy;
  copy = graph_->make(*original->type);
  if (original->ids != nullptr) copy->ids = graph_->keep_ids(*original->ids);
  copy->is_chunked = original->is_chunked;
  copy->custom = original->custom;
  if (copy->custom == nullptr) work_.emplace_back(original, copy);
  return copy;
}

}  // namespace orbweaver::dynamic
