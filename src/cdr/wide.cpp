// The types that CDR and C++ hold differently: wide characters and long double.
#include <orbweaver/cdr/codec.h>
#include <orbweaver/exception.h>

#include <string>

namespace orbweaver::cdr {
namespace {

__extension__ typedef __float128 Quad;

void put_utf16(Encoder& out, std::uint16_t unit) {
  out.put(static_cast<std::uint8_t>(unit >> 8));
  out.put(static_cast<std::uint8_t>(unit & 0xff));
}

/// A text that begins with one of these would be taken for a byte-order mark and its text: it gets a mark
/// of its own (CORBA 3.3 part 2, 9.3.1.6).
bool looks_like_a_mark(wchar_t c) { return c == 0xfeff || c == 0xfffe; }
constexpr std::uint16_t kMark = 0xfeff;

/// One or two UTF-16 units.
int to_utf16(wchar_t c, std::uint16_t units[2]) {
  const auto code = static_cast<std::uint32_t>(c);
  if (code < 0x10000) {
    units[0] = static_cast<std::uint16_t>(code);
    return 1;
  }
  units[0] = static_cast<std::uint16_t>(0xd800 + ((code - 0x10000) >> 10));
  units[1] = static_cast<std::uint16_t>(0xdc00 + ((code - 0x10000) & 0x3ff));
  return 2;
}

/// Two units, if that is what they are, as one character.
constexpr bool is_high(std::uint32_t unit) { return unit >= 0xd800 && unit < 0xdc00; }
constexpr bool is_low(std::uint32_t unit) { return unit >= 0xdc00 && unit < 0xe000; }
constexpr std::uint32_t joined(std::uint32_t high, std::uint32_t low) {
  return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

/// Reads UTF-16 of `bytes` octets: big-endian unless a byte-order mark says otherwise.
template <class Sink>
void from_utf16(Decoder& in, std::uint32_t bytes, Sink&& sink) {
  const std::uint8_t* p = in.get_bytes(bytes);
  if (p == nullptr) return;
  if (bytes % 2 != 0) return in.fail(Fault::bad_string);
  const std::uint8_t* end = p + bytes;
  bool little = false;
  if (bytes >= 2 && ((p[0] == 0xfe && p[1] == 0xff) || (p[0] == 0xff && p[1] == 0xfe))) {
    little = p[0] == 0xff;
    p += 2;
  }
  const auto unit = [little](const std::uint8_t* at) {
    return static_cast<std::uint32_t>(little ? at[0] | at[1] << 8 : at[0] << 8 | at[1]);
  };
  for (; p < end; p += 2) {
    std::uint32_t code = unit(p);
    if (is_high(code) && p + 2 < end && is_low(unit(p + 2))) {
      code = joined(code, unit(p + 2));
      p += 2;
    }
    sink(static_cast<wchar_t>(code));
  }
}

// GIOP 1.1 (CORBA 3.3 part 2, 9.3.1.6 and 9.3.2.7), as JacORB has it: units of two octets, aligned and in the
// byte order of the message; a byte-order mark is a character like others.

void check_has_wide(const Encoder& out) {
  const WideForm form = out.wide_form();
  if (form == WideForm::giop_1_1) return;
  const bool reply = form == WideForm::none_in_reply;
  throw CORBA::MARSHAL(reply ? 0x4f4d0006 : 0x4f4d0005,
                       reply ? CORBA::CompletionStatus::COMPLETED_YES : CORBA::CompletionStatus::COMPLETED_NO,
                       std::string("a wide character in a ") + (reply ? "reply" : "request") +
                           " of GIOP 1.0, which has none: the peer needs GIOP 1.1 or later");
}

bool has_wide(Decoder& in) {
  if (in.wide_form() == WideForm::giop_1_1) return true;
  in.fail(Fault::wide_in_giop_10);
  return false;
}

void encode_giop_1_1(Encoder& out, wchar_t value) {
  check_has_wide(out);
  std::uint16_t units[2];
  if (to_utf16(value, units) != 1) {
    throw CORBA::DATA_CONVERSION(0x4f4d0001, CORBA::CompletionStatus::COMPLETED_NO,
                                 "GIOP 1.1 has two octets for a wide character; this one is beyond U+FFFF");
  }
  out.put(units[0]);
}

void encode_giop_1_1(Encoder& out, const std::wstring& s) {
  check_has_wide(out);
  std::uint16_t units[2];
  std::uint32_t length = 1;
  for (const wchar_t c : s) length += static_cast<std::uint32_t>(to_utf16(c, units));
  out.put(length);
  for (const wchar_t c : s) {
    const int n = to_utf16(c, units);
    for (int i = 0; i < n; ++i) out.put(units[i]);
  }
  out.put(std::uint16_t{0});
}

void decode_giop_1_1(Decoder& in, wchar_t& value) {
  value = has_wide(in) ? static_cast<wchar_t>(in.get<std::uint16_t>()) : wchar_t{0};
}

/// A length of 0 is taken for that of an empty string, as JacORB does.
void decode_giop_1_1(Decoder& in, std::wstring& s, std::uint32_t max_chars) {
  if (!has_wide(in)) return;
  const std::uint32_t length = in.get_length(2);
  if (length == 0) return;
  s.reserve(length - 1);
  for (std::uint32_t i = 0; i < length - 1 && in.ok(); ++i) {
    const std::uint32_t unit = in.get<std::uint16_t>();
    if (is_low(unit) && !s.empty() && is_high(static_cast<std::uint32_t>(s.back()))) {
      s.back() = static_cast<wchar_t>(joined(static_cast<std::uint32_t>(s.back()), unit));
    } else {
      s.push_back(static_cast<wchar_t>(unit));
    }
  }
  if (in.get<std::uint16_t>() != 0) in.fail(Fault::bad_string);
  if (max_chars != 0 && s.size() > max_chars) in.fail(Fault::bound_exceeded);
  if (!in.ok()) s.clear();
}

}  // namespace

void Codec<wchar_t>::encode(Encoder& out, wchar_t value) {
  if (out.wide_form() != WideForm::giop_1_2) return encode_giop_1_1(out, value);
  std::uint16_t units[2];
  const int n = to_utf16(value, units);
  const bool marked = looks_like_a_mark(value);
  out.put(static_cast<std::uint8_t>(2 * (n + (marked ? 1 : 0))));
  if (marked) put_utf16(out, kMark);
  for (int i = 0; i < n; ++i) put_utf16(out, units[i]);
}

void Codec<wchar_t>::decode(Decoder& in, wchar_t& value) {
  if (in.wide_form() != WideForm::giop_1_2) return decode_giop_1_1(in, value);
  const std::uint8_t bytes = in.get<std::uint8_t>();
  value = 0;
  if (bytes == 2) {
    // The character itself: a byte-order mark would have one behind it. JacORB sends U+FEFF and U+FFFE so.
    if (const std::uint8_t* p = in.get_bytes(2)) value = static_cast<wchar_t>(p[0] << 8 | p[1]);
    return;
  }
  int found = 0;
  from_utf16(in, bytes, [&](wchar_t c) {
    value = c;
    ++found;
  });
  if (found != 1) in.fail(Fault::bad_string);
}

void Codec<std::wstring>::encode(Encoder& out, const std::wstring& s) {
  if (out.wide_form() != WideForm::giop_1_2) return encode_giop_1_1(out, s);
  std::uint16_t units[2];
  const bool marked = !s.empty() && looks_like_a_mark(s.front());
  std::uint32_t bytes = marked ? 2 : 0;
  for (const wchar_t c : s) bytes += 2 * static_cast<std::uint32_t>(to_utf16(c, units));
  out.put(bytes);
  if (marked) put_utf16(out, kMark);
  for (const wchar_t c : s) {
    const int n = to_utf16(c, units);
    for (int i = 0; i < n; ++i) put_utf16(out, units[i]);
  }
}

void Codec<std::wstring>::decode_bounded(Decoder& in, std::wstring& s, std::uint32_t max_chars) {
  s.clear();
  if (in.wide_form() != WideForm::giop_1_2) return decode_giop_1_1(in, s, max_chars);
  const std::uint32_t bytes = in.get_length(1);
  s.reserve(bytes / 2);
  from_utf16(in, bytes, [&](wchar_t c) { s.push_back(c); });
  if (max_chars != 0 && s.size() > max_chars) {
    s.clear();
    in.fail(Fault::bound_exceeded);
  }
}

// A long double of this machine (x86: 80 bits, 64 of them mantissa with an explicit leading one) and the
// 128-bit IEEE format of the wire, as GCC's __float128 holds it.
void Codec<long double>::encode(Encoder& out, long double value) {
  out.align(8);
  const auto quad = static_cast<Quad>(value);
  out.put_bytes(&quad, sizeof quad);
}

void Codec<long double>::decode(Decoder& in, long double& value) {
  value = 0;
  if (!in.align(8)) return;
  const std::uint8_t* at = in.get_bytes(16);
  if (at == nullptr) return;
  std::uint8_t bytes[16];
  for (int i = 0; i < 16; ++i) bytes[i] = at[in.swaps() ? 15 - i : i];
  Quad quad;
  std::memcpy(&quad, bytes, sizeof quad);
  value = static_cast<long double>(quad);
}

}  // namespace orbweaver::cdr
