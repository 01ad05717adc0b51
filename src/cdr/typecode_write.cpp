// Writes TypeCodes in CDR (CORBA 3.3 part 2, 9.3.5.1): encapsulations, each with its own alignment, and
// indirections to earlier parts of the same TypeCode.
#include <cstring>
#include <map>

#include "cdr/typecode_graph.h"

namespace orbweaver::typecode {
namespace {

class TypeCodeWriter {
 public:
  explicit TypeCodeWriter(cdr::WcharEncoding wchar_encoding) : wchar_encoding_(wchar_encoding) {}
  std::string take() { return std::move(out_); }

  void type(const TypeCode& type) {
    const TCKind kind = type.kind();
    if (kind == kPlaceholder) {
      throw CORBA::BAD_TYPECODE(
          0x4f4d0001, CORBA::CompletionStatus::COMPLETED_NO,
          std::string("recursive TypeCode used before its enclosing type was created: ") + Access::id(type));
    }
    align(4);
    if (has_id(kind) || kind == TCKind::tk_sequence || kind == TCKind::tk_array) return complex(type);
    put(static_cast<std::uint32_t>(kind));
    if (kind == TCKind::tk_string || kind == TCKind::tk_wstring) put(Access::length(type));
    if (kind == TCKind::tk_fixed) {
      put(static_cast<std::uint16_t>(Access::length(type)));
      put(static_cast<std::int16_t>(Access::extra(type)));
    }
  }

 private:
  struct WrittenNode {
    std::size_t at;
    bool open;  // not written completely yet
  };

  void complex(const TypeCode& type) {
    const WrittenNode here{out_.size(), true};
    const auto [known, fresh] = written_nodes_.insert({&type, here});
    // Readers accept recursive indirections only to types that can contain themselves: an incomplete alias or
    // sequence is written again, up to the struct or union in it.
    if (!fresh && (!known->second.open || may_enclose_itself(type.kind()))) {
      put(std::uint32_t{0xffffffff});
      put(static_cast<std::int32_t>(static_cast<std::int64_t>(known->second.at) -
                                    static_cast<std::int64_t>(out_.size())));
      return;
    }
    if (depth_ >= kMaxWalk) raise_too_deep(type);
    ++depth_;
    known->second = here;
    put(static_cast<std::uint32_t>(type.kind()));
    put(std::uint32_t{0});
    const std::size_t outer = base_;
    base_ = out_.size();
    out_ += __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '\1' : '\0';
    parameters(type);
    const auto bytes = static_cast<std::uint32_t>(out_.size() - base_);
    std::memcpy(out_.data() + base_ - 4, &bytes, 4);
    base_ = outer;
    known->second = {here.at, false};
    --depth_;
  }

  void parameters(const TypeCode& t) {
    const TCKind kind = t.kind();
    if (has_id(kind)) {
      text(Access::id(t));
      text(Access::name(t));
    }
    if (is_value(kind)) put(static_cast<std::int16_t>(Access::extra(t)));
    if (Access::content(t) != nullptr) {
      type(*Access::content(t));
    } else if (is_value(kind)) {
      put(static_cast<std::uint32_t>(TCKind::tk_null));
    }
    if (kind == TCKind::tk_sequence || kind == TCKind::tk_array) put(Access::length(t));
    if (kind == TCKind::tk_union) put(Access::extra(t));
    if (has_members(kind)) members(t);
  }

  void members(const TypeCode& t) {
    const TCKind kind = t.kind();
    put(Access::count(t));
    for (std::uint32_t i = 0; i < Access::count(t); ++i) {
      const TypeCode::Member& member = Access::members(t)[i];
      if (kind == TCKind::tk_union) label(resolved(*Access::content(t)).kind(), member.label);
      text(member.name);
      if (kind != TCKind::tk_enum) type(*member.type);
      if (is_value(kind)) put(member.visibility);
    }
  }

  void label(TCKind kind, std::int64_t value) {
    switch (kind) {
      case TCKind::tk_short:
      case TCKind::tk_ushort: return put(static_cast<std::int16_t>(value));
      case TCKind::tk_longlong:
      case TCKind::tk_ulonglong: return put(value);
      case TCKind::tk_boolean:
      case TCKind::tk_char:
      case TCKind::tk_octet: return put(static_cast<std::uint8_t>(value));
      case TCKind::tk_wchar: {
        if (wchar_encoding_ != cdr::WcharEncoding::giop_1_2) align(2);
        std::uint8_t buffer[8];
        cdr::Encoder wide(buffer, sizeof buffer);
        wide.wchar_encoding(wchar_encoding_);
        cdr::encode(wide, static_cast<wchar_t>(value));
        out_.append(reinterpret_cast<const char*>(buffer), wide.size());
        return;
      }
      default: return put(static_cast<std::int32_t>(value));
    }
  }

  void align(std::size_t to) { out_.append((0 - (out_.size() - base_)) & (to - 1), '\0'); }
  template <class T>
  void put(T value) {
    align(sizeof(T));
    out_.append(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  void text(const char* words) {
    const std::size_t n = std::strlen(words) + 1;
    put(static_cast<std::uint32_t>(n));
    out_.append(words, n);
  }

  const cdr::WcharEncoding wchar_encoding_;
  std::string out_;
  std::size_t base_ = 0;
  int depth_ = 0;
  std::map<const TypeCode*, WrittenNode>
      written_nodes_;  // `complex` keeps an iterator while it inserts others
};

}  // namespace

const std::string& wire_form(const TypeCode& type) {
  std::atomic<const std::string*>& cell = Access::wire(type);
  if (const std::string* form = cell.load(std::memory_order_acquire)) return *form;  // R1: pairs with W1
  TypeCodeWriter writer(cdr::WcharEncoding::giop_1_2);
  writer.type(type);
  const auto* form = new std::string(writer.take());
  const std::string* first = nullptr;
  // W1: publishes the string; pairs with R1. Of several threads, the first one's string is kept.
  if (cell.compare_exchange_strong(first, form, std::memory_order_acq_rel)) return *form;
  delete form;
  return *first;
}

}  // namespace orbweaver::typecode

namespace orbweaver::cdr {

using Reference = CORBA::typecode_reference;

std::size_t Codec<Reference>::bound(const Reference& type) {
  return 3 + (type == nullptr ? 4 : typecode::wire_form(*type).size());
}

void Codec<Reference>::encode(Encoder& out, const Reference& type) {
  const CORBA::TypeCode& given = type == nullptr ? typecode::k_null : *type;
  out.align(4);
  if (out.wchar_encoding() != WcharEncoding::giop_1_2 && typecode::may_contain_wchar(given)) {
    // Labels of unions have the wchar encoding of the message. Those of GIOP 1.1 take no more bytes than
    // those of 1.2.
    typecode::TypeCodeWriter writer(out.wchar_encoding());
    writer.type(given);
    const std::string form = writer.take();
    return out.put_bytes(form.data(), form.size());
  }
  const std::string& form = typecode::wire_form(given);
  out.put_bytes(form.data(), form.size());
}

void Codec<Reference>::decode(Decoder& in, Reference& type) { type = typecode::read(in); }

}  // namespace orbweaver::cdr
