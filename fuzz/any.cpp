// An any as a peer sends it: the first octet tells the byte order (bit 0) and whether it is of GIOP 1.1 (bit
// 1), whose wide characters have another form. What was understood is also copied, compared and printed.
#include <orbweaver/any.h>

#include <cstdlib>
#include <sstream>
#include <stdexcept>

using namespace orbweaver;

/// The ORB raises BAD_INV_ORDER here; nothing below calls a nil reference.
void CORBA::throw_nil_reference() { throw std::logic_error("nil"); }

namespace {

std::string printed(const CORBA::Any& any) {
  std::ostringstream text;
  text << any;
  return text.str();
}

/// The any behind `gap` octets, read from what was written in a room of its bound; false where it cannot be
/// written.
bool travels(const CORBA::Any& any, std::size_t gap, cdr::WideForm form, CORBA::Any& same) {
  std::vector<std::uint8_t> bytes(gap + cdr::bound_of(any));
  cdr::Encoder out(bytes.data(), bytes.size());
  out.wide_form(form);
  for (std::size_t i = 0; i < gap; ++i) out.put(std::uint8_t{0});
  try {
    cdr::encode(out, any);
  } catch (const CORBA::SystemException&) {
    return false;  // its own bytes allow fewer steps than the input did, or GIOP 1.1 has no such character
  }
  if (!out.ok()) std::abort();
  cdr::Decoder again(bytes.data(), out.size(), false);
  again.wide_form(form);
  again.skip(gap);
  cdr::decode(again, same);
  if (again.fault() == cdr::Fault::too_much_work) return false;
  if (!again.ok() || again.remaining() != 0) std::abort();
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  cdr::Decoder in(data + 1, size - 1, (*data & 1) != 0);
  if ((*data & 2) != 0) in.wide_form(cdr::WideForm::giop_1_1);
  CORBA::Any any;
  cdr::decode(in, any);
  // Work is bounded by the bytes; the step that goes beyond is counted, too.
  if (in.steps() > limits::kFreeSteps + limits::kStepsPerByte * size + 1) std::abort();
  if (!in.ok()) return any._empty() ? 0 : (std::abort(), 0);
  const std::string text = printed(any);
  // Strings are printed whole, each octet as up to four characters; of the rest there is a limit.
  if (text.size() > 2 * limits::kPrintedNames + 64 * limits::kStepsPerByte * size) std::abort();
  const CORBA::Any copy = any;
  if (printed(copy) != text || !copy.type()->equivalent(any.type())) std::abort();
  for (std::size_t gap : {0u, 1u, 4u}) {
    CORBA::Any same;
    if (!travels(any, gap, cdr::WideForm::giop_1_2, same)) continue;
    if (!same.type()->equal(any.type()) || printed(same) != text) std::abort();
    CORBA::Any old;
    if (travels(any, gap, cdr::WideForm::giop_1_1, old) && !old.type()->equal(any.type())) std::abort();
  }
  return 0;
}
