// Decodes an any of a peer. The first octet of the input is the byte order (bit 0) and whether the any is of
// GIOP 1.1 (bit 1), which encodes wide characters differently. A decoded any is also copied, compared and
// printed.
#include <orbweaver/any.h>

#include <cstdlib>
#include <sstream>

using namespace orbweaver;

namespace {

std::string printed(const CORBA::Any& any) {
  std::ostringstream text;
  text << any;
  return text.str();
}

/// Encodes the any after `gap` octets into a buffer of its bound, and decodes it to `same`. False if it
/// cannot be encoded, or has too many steps.
bool round_trips(const CORBA::Any& any, std::size_t gap, cdr::WcharEncoding form, CORBA::Any& same) {
  std::vector<std::uint8_t> bytes(gap + cdr::bound_of(any));
  cdr::Encoder out(bytes.data(), bytes.size());
  out.wchar_encoding(form);
  for (std::size_t i = 0; i < gap; ++i) out.put(std::uint8_t{0});
  try {
    cdr::encode(out, any);
  } catch (const CORBA::SystemException&) {
    return false;  // its encoding allows fewer steps than the input did, or GIOP 1.1 has no such character
  }
  if (!out.ok()) std::abort();
  cdr::Decoder again(bytes.data(), out.size(), false);
  again.wchar_encoding(form);
  again.skip(gap);
  cdr::decode(again, same);
  if (again.fault() == cdr::Fault::too_many_steps) return false;
  if (!again.ok() || again.remaining() != 0) std::abort();
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  cdr::Decoder in(data + 1, size - 1, (*data & 1) != 0);
  if ((*data & 2) != 0) in.wchar_encoding(cdr::WcharEncoding::giop_1_1);
  CORBA::Any any;
  cdr::decode(in, any);
  // Steps are limited by the number of bytes; the step that exceeds the limit is counted as well.
  if (in.steps() > limits::kFreeSteps + limits::kStepsPerByte * size + 1) std::abort();
  if (!in.ok()) return any._empty() ? 0 : (std::abort(), 0);
  const std::string text = printed(any);
  // Strings are printed completely, each octet as up to four characters; other output is limited.
  if (text.size() > 2 * limits::kMaxPrintedNameBytes + 64 * limits::kStepsPerByte * size) std::abort();
  const CORBA::Any copy = any;
  if (printed(copy) != text || !copy.type()->equivalent(any.type())) std::abort();
  for (std::size_t gap : {0u, 1u, 4u}) {
    CORBA::Any same;
    if (!round_trips(any, gap, cdr::WcharEncoding::giop_1_2, same)) continue;
    if (!same.type()->equal(any.type()) || printed(same) != text) std::abort();
    CORBA::Any old;
    if (round_trips(any, gap, cdr::WcharEncoding::giop_1_1, old) && !old.type()->equal(any.type()))
      std::abort();
  }
  return 0;
}
