#include <orbweaver/detail/cdr/decoder.h>
#include <orbweaver/fixed.h>

namespace orbweaver::cdr {

const char* describe(Fault fault) noexcept {
  switch (fault) {
    case Fault::none: return "no fault";
    case Fault::truncated: return "truncated";
    case Fault::bad_length: return "length exceeds the message";
    case Fault::bad_string: return "string without terminating NUL";
    case Fault::bound_exceeded: return "IDL bound exceeded";
    case Fault::bad_enum: return "enumerator out of range";
    case Fault::bad_boolean: return "invalid boolean";
    case Fault::too_deep: return "nested too deeply";
    case Fault::bad_reference: return "invalid object reference";
    case Fault::bad_union: return "invalid union discriminator";
    case Fault::bad_typecode: return "invalid TypeCode";
    case Fault::unsupported_type: return "any of an unsupported type";
    case Fault::too_many_steps: return "TypeCode with too many values for the size of the message";
    case Fault::wchar_in_giop_1_0: return "wide character in GIOP 1.0";
  }
  return fault == fixed::kMalformed ? "malformed fixed-point number" : "unknown fault";
}

std::uint32_t minor_code(const Decoder& in) noexcept {
  if (in.fault() != Fault::wchar_in_giop_1_0) return 0x4f570000 + static_cast<std::uint32_t>(in.fault());
  return in.wchar_encoding() == WcharEncoding::none_in_reply ? 0x4f4d0006 : 0x4f4d0005;
}

}  // namespace orbweaver::cdr
