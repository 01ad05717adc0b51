// Anys for people to read: a walk along the TypeCode, as generated operator<<s print. Bounded in its steps,
// and in what it writes, by the bytes of the value: names are a peer's, and written with each element.
#include <orbweaver/any.h>
#include <orbweaver/limits.h>
#include <orbweaver/print.h>

#include <cstring>
#include <ostream>

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
      : os_(os), in_(in), names_left_(limits::kPrintedNames + limits::kStepsPerByte * in.remaining()) {}

  /// The type, and the value in braces or parentheses.
  void typed(const TypeCode& type) {
    words(typecode::describe(type));
    const TCKind kind = typecode::resolved(type).kind();
    if (typecode::is_reference(kind)) return skip_reference();
    if (typecode::least_bytes(type) == 0) return;
    const bool braces = kind == TCKind::tk_struct || kind == TCKind::tk_union || kind == TCKind::tk_except;
    if (!braces) os_ << '(';
    value(type);
    if (!braces) os_ << ')';
  }

 private:
  void value(const TypeCode& given) {
    if (!in_.spend()) {
      os_ << "…";
      return;
    }
    const TypeCode& type = typecode::resolved(given);
    switch (type.kind()) {
      case TCKind::tk_boolean:
        return one<bool>();
      case TCKind::tk_char:
        return one<char>();
      case TCKind::tk_octet:
        return one<std::uint8_t>();
      case TCKind::tk_short:
        return one<std::int16_t>();
      case TCKind::tk_ushort:
        return one<std::uint16_t>();
      case TCKind::tk_long:
        return one<std::int32_t>();
      case TCKind::tk_ulong:
        return one<std::uint32_t>();
      case TCKind::tk_longlong:
        return one<std::int64_t>();
      case TCKind::tk_ulonglong:
        return one<std::uint64_t>();
      case TCKind::tk_float:
        return one<float>();
      case TCKind::tk_double:
        return one<double>();
      case TCKind::tk_longdouble:
        return one<long double>();
      case TCKind::tk_wchar:
        return one<wchar_t>();
      case TCKind::tk_string:
        return one<std::string>();
      case TCKind::tk_wstring:
        return one<std::wstring>();
      case TCKind::tk_TypeCode: {
        CORBA::typecode_reference inner;
        cdr::decode(in_, inner);
        if (in_.ok()) words(typecode::describe(*inner));
        return;
      }
      case TCKind::tk_any: {
        CORBA::typecode_reference inner;
        cdr::decode(in_, inner);
        if (in_.ok() && enters()) {
          typed(*inner);
          in_.leave();
        }
        return;
      }
      case TCKind::tk_enum: {
        const auto position = in_.get<std::uint32_t>();
        if (in_.ok() && position < Fields::count(type)) words(Fields::members(type)[position].name);
        return;
      }
      case TCKind::tk_except:
        in_.get_string_view();
        return members(type);
      case TCKind::tk_struct:
        return members(type);
      case TCKind::tk_union: {
        const TypeCode::Member* member = selected(type, discriminator(type));
        os_ << '{';
        if (member != nullptr && enters()) {
          named(*member);
          in_.leave();
        }
        os_ << '}';
        return;
      }
      case TCKind::tk_array:
        return elements(*Fields::content(type), Fields::length(type));
      case TCKind::tk_sequence:
        return elements(*Fields::content(type), in_.get<std::uint32_t>());
      default:
        // Its size is not looked into: nothing is printed after it.
        os_ << '(';
        words(typecode::describe(type));
        os_ << ')';
        in_.fail(cdr::Fault::no_run_time);
    }
  }

  template <class T>
  void one() {
    T value{};
    cdr::decode(in_, value);
    if (in_.ok()) print(os_, value);
  }
  std::int64_t discriminator(const TypeCode& type) {
    return read_discriminator(in_, typecode::resolved(*Fields::content(type)));
  }
  /// What is nested too deep is not printed, and nothing after it.
  bool enters() {
    if (in_.enter()) return true;
    os_ << "…";
    return false;
  }
  /// A name that a peer may have chosen.
  void words(std::string_view text) {
    if (text.size() > names_left_) {
      os_ << "…";
      return in_.fail(cdr::Fault::too_much_work);
    }
    names_left_ -= text.size();
    os_ << text;
  }
  /// Its interface is all that is printed.
  void skip_reference() {
    in_.get_string_view();
    const std::uint32_t profiles = in_.get_length(8);
    for (std::uint32_t i = 0; i < profiles && in_.ok(); ++i) {
      in_.get<std::uint32_t>();
      in_.get_bytes(in_.get_length(1));
    }
  }
  void named(const TypeCode::Member& member) {
    words(member.name);
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
    for (; i < n && i < kMaxPrinted && in_.ok(); ++i) {
      if (i > 0) os_ << ", ";
      value(element);
    }
    if (i < n) {
      os_ << ", … " << n << " in all";
      in_.fail(cdr::Fault::no_run_time);
    }
    os_ << ']';
    in_.leave();
  }

  std::ostream& os_;
  cdr::Decoder& in_;
  std::size_t names_left_;
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
