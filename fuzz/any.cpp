// An any as a peer sends it, of either byte order: the first octet tells which.
#include <orbweaver/any.h>

#include <cstdlib>
#include <sstream>
#include <stdexcept>

using namespace orbweaver;

/// The ORB raises BAD_INV_ORDER here; nothing below calls a nil reference.
void CORBA::throw_nil_reference() { throw std::logic_error("nil"); }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  cdr::Decoder in(data + 1, size - 1, (*data & 1) != 0);
  CORBA::Any any;
  cdr::decode(in, any);
  if (!in.ok()) return any._empty() ? 0 : (std::abort(), 0);
  std::ostringstream text;
  text << any;
  // What was understood stays itself, wherever it is put; room for its bound is enough.
  for (std::size_t gap : {0u, 1u, 4u}) {
    std::vector<std::uint8_t> bytes(gap + cdr::bound_of(any));
    cdr::Encoder out(bytes.data(), bytes.size());
    for (std::size_t i = 0; i < gap; ++i) out.put(std::uint8_t{0});
    cdr::encode(out, any);
    if (!out.ok()) std::abort();
    cdr::Decoder again(bytes.data(), out.size(), false);
    again.skip(gap);
    CORBA::Any same;
    cdr::decode(again, same);
    if (!again.ok() || again.remaining() != 0) std::abort();
  }
  return 0;
}
