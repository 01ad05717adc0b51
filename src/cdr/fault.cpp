#include <orbweaver/cdr/decoder.h>

namespace orbweaver::cdr {

const char* describe(Fault fault) noexcept {
  switch (fault) {
    case Fault::none: return "no fault";
    case Fault::truncated: return "truncated";
    case Fault::bad_length: return "a length beyond what arrived";
    case Fault::bad_string: return "a string that does not end where it says";
    case Fault::bound_exceeded: return "longer than its IDL bound";
    case Fault::bad_enum: return "an enumerator that does not exist";
    case Fault::bad_boolean: return "a boolean that is neither 0 nor 1";
    case Fault::too_deep: return "nested too deep";
    case Fault::bad_reference: return "not an object reference";
    case Fault::bad_union: return "a discriminator that selects nothing";
    case Fault::bad_typecode: return "a TypeCode that makes no sense";
    case Fault::no_run_time: return "an any of a type that has no run time here";
    case Fault::too_much_work: return "a TypeCode by which few bytes are too many values";
    case Fault::wide_in_giop_10: return "a wide character in GIOP 1.0, which has none";
  }
  return "unknown fault";
}

std::uint32_t minor_code(const Decoder& in) noexcept {
  if (in.fault() != Fault::wide_in_giop_10) return 0x4f570000 + static_cast<std::uint32_t>(in.fault());
  return in.wide_form() == WideForm::none_in_reply ? 0x4f4d0006 : 0x4f4d0005;
}

}  // namespace orbweaver::cdr
