// Prints anys in the format of the generated operator<<, by a traversal of the TypeCode. Both the steps and
// the printed bytes of names, which a peer chooses and which are printed with each element, are limited by
// the size of the value.
#include <orbweaver/any.h>
#include <orbweaver/fixed.h>
#include <orbweaver/limits.h>
#include <orbweaver/print.h>

#include <cstring>
#include <optional>
#include <ostream>
#include <utility>

#include "cdr/typecode_graph.h"
#include "cdr/value_copy.h"

namespace orbweaver::any {
namespace {

using CORBA::TCKind;
using CORBA::TypeCode;
using Fields = typecode::Access;

class Printer {
 public:
  Printer(std::ostream& os, cdr::Decoder& in)
      : os_(os), in_(in),
        name_bytes_left_(limits::kMaxPrintedNameBytes + limits::kStepsPerByte * in.remaining()) {}

  /// Prints the type, then the value in braces or parentheses.
  void typed(const TypeCode& type) {
    print_name(typecode::describe(type));
    const TCKind kind = typecode::resolved(type).kind();
    if (typecode::is_reference(kind)) return skip_reference();
    if (typecode::min_encoded_bytes(type) == 0) return;
    if (typecode::is_value(kind) || kind == TCKind::tk_value_box)
      return value_of_value_type(typecode::resolved(type), "(null)");
    const bool braces = kind == TCKind::tk_struct || kind == TCKind::tk_union || kind == TCKind::tk_except;
    if (!braces) os_ << '(';
    value(type);
    if (!braces) os_ << ')';
  }

 private:
  void value(const TypeCode& given) {
    if (!in_.count_steps()) {
      os_ << "…";
      return;
    }
    const TypeCode& type = typecode::resolved(given);
    switch (type.kind()) {
      case TCKind::tk_boolean: return primitive<bool>();
      case TCKind::tk_char: return primitive<char>();
      case TCKind::tk_octet: return primitive<std::uint8_t>();
      case TCKind::tk_short: return primitive<std::int16_t>();
      case TCKind::tk_ushort: return primitive<std::uint16_t>();
      case TCKind::tk_long: return primitive<std::int32_t>();
      case TCKind::tk_ulong: return primitive<std::uint32_t>();
      case TCKind::tk_longlong: return primitive<std::int64_t>();
      case TCKind::tk_ulonglong: return primitive<std::uint64_t>();
      case TCKind::tk_float: return primitive<float>();
      case TCKind::tk_double: return primitive<double>();
      case TCKind::tk_longdouble: return primitive<long double>();
      case TCKind::tk_wchar: return primitive<wchar_t>();
      case TCKind::tk_string: return primitive<std::string>();
      case TCKind::tk_wstring: return primitive<std::wstring>();
      case TCKind::tk_fixed: return print_fixed(type);
      case TCKind::tk_TypeCode: return print_typecode();
      case TCKind::tk_any: return print_any();
      case TCKind::tk_enum: return enumerator(type);
      case TCKind::tk_except: in_.get_string_view(); return members(type);
      case TCKind::tk_struct: return members(type);
      case TCKind::tk_union: return union_value(type);
      case TCKind::tk_array: return elements(*Fields::content(type), Fields::length(type));
      case TCKind::tk_sequence: return elements(*Fields::content(type), in_.get<std::uint32_t>());
      case TCKind::tk_value:
      case TCKind::tk_event:
      case TCKind::tk_value_box: return value_of_value_type(type);
      case TCKind::tk_abstract_interface:
        if (!in_.get_boolean()) return value_of_value_type(type);
        [[fallthrough]];
      default:
        // The size of the value is not known: printing ends here.
        os_ << '(';
        print_name(typecode::describe(type));
        os_ << ')';
        in_.fail(cdr::Fault::unsupported_type);
    }
  }

  void print_fixed(const TypeCode& type) {
    const auto digits = static_cast<std::uint16_t>(Fields::length(type));
    const std::uint8_t* const at = in_.get_bytes(fixed::octets_of(digits));
    if (at != nullptr)
      print_name(fixed::describe(at, digits, static_cast<std::int16_t>(Fields::extra(type))));
  }
  void print_typecode() {
    CORBA::typecode_reference inner;
    cdr::decode(in_, inner);
    if (in_.ok()) print_name(typecode::describe(*inner));
  }
  void print_any() {
    CORBA::typecode_reference inner;
    cdr::decode(in_, inner);
    if (!in_.ok() || !enters()) return;
    typed(*inner);
    in_.leave();
  }
  void enumerator(const TypeCode& type) {
    const auto position = in_.get<std::uint32_t>();
    if (in_.ok() && position < Fields::count(type)) print_name(Fields::members(type)[position].name);
  }
  void union_value(const TypeCode& type) {
    const TypeCode::Member* member = find_case(type, discriminator(type));
    os_ << '{';
    if (member != nullptr && enters()) {
      named(*member);
      in_.leave();
    }
    os_ << '}';
  }

  void value_of_value_type(const TypeCode& declared, const char* null = "null") {
    using Kind = cdr::ValueReader::Header::Kind;
    if (!reader_) reader_.emplace(in_, cdr::ValueReader::Earlier::none);
    const cdr::ValueReader::Header header = reader_->read_header();
    if (!in_.ok() || header.kind != Kind::value) {
      os_ << (header.kind == Kind::indirection ? "{…}" : in_.ok() ? null : "…");
      return;
    }
    const TypeCode* const type = header.ids.empty() ? &declared : find_value_type(header.ids[0], declared);
    if (type == nullptr || is_custom(*type)) {  // the size of its state is not known
      os_ << "{…}";
      return in_.fail(cdr::Fault::unsupported_type);
    }
    if (!enters()) return;
    reader_->begin_state(header);
    os_ << '{';
    if (type->kind() == TCKind::tk_value_box) {
      value(*Fields::content(*type));
    } else {
      const char* separator = "";
      for (const TypeCode* each : value_chain(*type)) {
        for (std::uint32_t i = 0; i < Fields::count(*each) && in_.ok(); ++i) {
          os_ << std::exchange(separator, ", ");
          named(Fields::members(*each)[i]);
        }
      }
    }
    os_ << '}';
    reader_->end_state(header, false);
    in_.leave();
  }

  template <class T>
  void primitive() {
    T value{};
    cdr::decode(in_, value);
    if (in_.ok()) print(os_, value);
  }
  std::int64_t discriminator(const TypeCode& type) {
    return read_discriminator(in_, typecode::resolved(*Fields::content(type)));
  }
  /// Enters one level of nesting. False beyond the limit: prints "…", and printing ends.
  bool enters() {
    if (in_.enter()) return true;
    os_ << "…";
    return false;
  }
  /// Prints a name that a peer may have chosen, within the limit of name_bytes_left_.
  void print_name(std::string_view text) {
    if (text.size() > name_bytes_left_) {
      os_ << "…";
      return in_.fail(cdr::Fault::too_many_steps);
    }
    name_bytes_left_ -= text.size();
    os_ << text;
  }
  /// Skips an object reference: only its interface is printed.
  void skip_reference() {
    in_.get_string_view();
    const std::uint32_t profiles = in_.get_length(8);
    for (std::uint32_t i = 0; i < profiles && in_.ok(); ++i) {
      in_.get<std::uint32_t>();
      in_.get_bytes(in_.get_length(1));
    }
  }
  void named(const TypeCode::Member& member) {
    print_name(member.name);
    if (!in_.ok()) return;
    os_ << ": ";
    value(*member.type);
  }
  void members(const TypeCode& type) {
    if (!enters()) return;
    os_ << '{';
    for (std::uint32_t i = 0; i < Fields::count(type) && in_.ok(); ++i) {
      if (i > 0) os_ << ", ";
      named(Fields::members(type)[i]);
    }
    os_ << (in_.ok() ? "}" : ", …}");
    in_.leave();
  }
  void elements(const TypeCode& element, std::uint32_t n) {
    if (!enters()) return;
    os_ << '[';
    std::uint32_t i = 0;
    for (; i < n && i < kMaxPrintedElements && in_.ok(); ++i) {
      if (i > 0) os_ << ", ";
      value(element);
    }
    if (i < n) {
      os_ << ", … " << n << " in all";
      in_.fail(cdr::Fault::unsupported_type);
    }
    os_ << ']';
    in_.leave();
  }

  std::ostream& os_;
  cdr::Decoder& in_;
  std::uint64_t name_bytes_left_;
  std::optional<cdr::ValueReader> reader_;  // of values of value types
};

}  // namespace

void Access::print(std::ostream& os, const CORBA::Any& any) {
  cdr::Decoder in(any.bytes_.data(), any.bytes_.size(), false);
  Printer(os, in).typed(*any.type());
}

}  // namespace orbweaver::any

namespace CORBA {

std::ostream& operator<<(std::ostream& os, const Any& any) {
  orbweaver::any::Access::print(os, any);
  return os;
}

}  // namespace CORBA
