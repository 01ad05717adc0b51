// Copies values of value types along their TypeCodes (CORBA 3.3 part 2, 9.3.4): the C++ type is not needed,
// except for custom marshalling.
#include <orbweaver/any.h>

#include <algorithm>

#include "cdr/typecode_graph.h"
#include "cdr/value_copy.h"
#include "cdr/value_types.h"

namespace orbweaver::any {

using cdr::Fault;
using CORBA::TCKind;
using CORBA::TypeCode;
using Fields = typecode::Access;
using Kind = cdr::ValueReader::Header::Kind;

namespace {

constexpr std::int32_t kCustom = 1, kAbstract = 2;  // VM_CUSTOM, VM_ABSTRACT

}  // namespace

const TypeCode* base_of(const TypeCode& type) {
  const TypeCode* const base = typecode::is_value(type.kind()) ? Fields::content(type) : nullptr;
  return base == nullptr ? nullptr : &typecode::resolved(*base);
}

bool is_custom(const TypeCode& type) {
  for (const TypeCode* each = &type; each != nullptr && typecode::is_value(each->kind());
       each = base_of(*each)) {
    if (Fields::extra(*each) == kCustom) return true;
  }
  return false;
}

bool is_concrete(const TypeCode& type) {
  return type.kind() != TCKind::tk_abstract_interface && &type != &typecode::k_ValueBase &&
         (type.kind() == TCKind::tk_value_box || Fields::extra(type) != kAbstract);
}

const TypeCode* find_value_type(std::string_view id, const TypeCode& declared) {
  for (const TypeCode* each = &declared; each != nullptr && typecode::has_id(each->kind());
       each = base_of(*each)) {
    if (id == Fields::id(*each)) return each;
  }
  const ValueType* const known = values::known_type(id);
  return known == nullptr ? nullptr : known->typecode;
}

std::vector<const TypeCode*> value_chain(const TypeCode& type) {
  std::vector<const TypeCode*> chain;
  for (const TypeCode* each = &type; each != nullptr; each = base_of(*each)) chain.push_back(each);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

cdr::ValueReader& ValueCopy::reader() {
  if (cdr::ValueReader* const known = cdr::ValueReader::of(in_)) return *known;
  own_reader_ = std::make_unique<cdr::ValueReader>(in_, cdr::ValueReader::Earlier::unknown);
  return *own_reader_;
}

cdr::ValueWriter& ValueCopy::writer() {
  if (cdr::ValueWriter* const known = cdr::ValueWriter::of(out_)) return *known;
  own_writer_ = std::make_unique<cdr::ValueWriter>(out_);
  return *own_writer_;
}

void ValueCopy::copy_value(const TypeCode& declared) {
  if (values_ != nullptr) return values_->copy(in_, out_, declared);
  cdr::ValueReader& from = reader();
  const Header header = from.read_header();
  if (header.kind == Kind::null) return writer().put_null();
  if (!from.enter()) return;
  if (header.kind == Kind::indirection) copy_shared(header.at, declared);
  if (header.kind == Kind::value) copy_state(header, declared);
  from.leave();
}

/// Refers to the copy of a value, which is made here if the value is not one of those copied.
void ValueCopy::copy_shared(std::size_t at, const TypeCode& declared) {
  if (const auto known = copied().find(at); known != copied().end()) {
    return writer().put_indirection(known->second);
  }
  if (const auto value = reader().known_object(at); value != nullptr) return writer().write(value.get());
  reader().reread(at, [&](cdr::Decoder& again) {
    ValueCopy copy(again, *this);
    copy.value(declared);
    references_ = references_ || copy.references_;
  });
}

void ValueCopy::copy_state(const Header& header, const TypeCode& declared) {
  const TypeCode* type = header.ids.empty() && is_concrete(declared) ? &declared : nullptr;
  std::size_t skipped = 0;  // ids of types that are not known: the value is truncated
  for (; type == nullptr && skipped < header.ids.size(); ++skipped) {
    if (skipped > 0 && !header.is_chunked) break;
    type = find_value_type(header.ids[skipped], declared);
    if (type != nullptr) break;
  }
  if (type == nullptr) return in_.fail(Fault::unsupported_type);
  if (is_custom(*type)) return copy_custom(header, *type);
  cdr::ValueWriter::Header copy;
  copy.ids.assign(header.ids.begin() + static_cast<std::ptrdiff_t>(skipped), header.ids.end());
  // An any may be extracted as a base type: its values have ids.
  if (copy.ids.empty() && *Fields::id(*type) != 0) copy.ids.push_back(Fields::id(*type));
  copy.is_list = copy.ids.size() > 1;
  copy.is_chunked = header.is_chunked || writer().in_chunks();
  copied()[header.at] = writer().begin_value(copy);
  reader().begin_state(header);
  state(*type);
  reader().end_state(header, skipped > 0);
  writer().end_value(copy.is_chunked);
}

/// Decodes a value that its program marshals, and encodes it again.
void ValueCopy::copy_custom(Header header, const TypeCode& type) {
  if (header.ids.empty()) header.ids.push_back(Fields::id(type));
  const auto value = reader().read_state(header, CORBA::ValueBase::_static_value_type());
  if (value == nullptr) return;
  writer().write(value.get());
  references_ = references_ || out_.broker() != nullptr;
}

void ValueCopy::copy_value_of_any(const TypeCode& type) {
  if (values_ == nullptr || !typecode::may_contain_values(type)) return value(type);
  cdr::encode_apart(out_, [&](cdr::Encoder& apart) {
    ValueCopy copy(in_, apart);
    copy.value(type);
    references_ = references_ || copy.references_;
  });
}

void ValueCopy::state(const TypeCode& type) {
  if (type.kind() == TCKind::tk_value_box) return value(*Fields::content(type));
  for (const TypeCode* each : value_chain(type)) {
    if (!in_.count_steps()) return;
    for (std::uint32_t i = 0; i < Fields::count(*each) && in_.ok(); ++i)
      value(*Fields::members(*each)[i].type);
  }
}

void encode_copy(cdr::Encoder& out, const TypeCode& type, const std::vector<std::uint8_t>& bytes) {
  const bool unchanged =
      out.wchar_encoding() == cdr::WcharEncoding::giop_1_2 || !typecode::may_contain_wchar(type);
  if (out.size() % 8 == 0 && unchanged) return out.put_bytes(bytes.data(), bytes.size());
  cdr::Decoder in(bytes.data(), bytes.size(), false);
  if (typecode::may_contain_values(type))
    cdr::encode_apart(out, [&](cdr::Encoder& apart) { ValueCopy(in, apart).value(type); });
  else
    ValueCopy(in, out).value(type);
  Access::check(in);
}

}  // namespace orbweaver::any
