// Codecs of wide characters, whose representations differ between CDR and C++.
#include <orbweaver/detail/cdr/codec.h>
#include <orbweaver/exception.h>

#include <string>

namespace orbweaver::cdr {
namespace {

void put_utf16(Encoder& out, std::uint16_t unit) {
  out.put(static_cast<std::uint8_t>(unit >> 8));
  out.put(static_cast<std::uint8_t>(unit & 0xff));
}

/// Whether a character would be read as a byte-order mark at the start of a text. If so, a byte-order mark is
/// put before it (CORBA 3.3 part 2, 9.3.1.6).
bool is_byte_order_mark(wchar_t c) { return c == 0xfeff || c == 0xfffe; }
constexpr std::uint16_t kByteOrderMark = 0xfeff;

/// Encodes a character as one or two UTF-16 units and returns their number.
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

// Surrogate pairs of UTF-16.
constexpr bool is_high_surrogate(std::uint32_t unit) { return unit >= 0xd800 && unit < 0xdc00; }
constexpr bool is_low_surrogate(std::uint32_t unit) { return unit >= 0xdc00 && unit < 0xe000; }
constexpr std::uint32_t join_surrogates(std::uint32_t high, std::uint32_t low) {
  return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

/// Decodes `bytes` octets of UTF-16, big-endian unless a byte-order mark is present, and calls `sink` for
/// each character.
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
    if (is_high_surrogate(code) && p + 2 < end && is_low_surrogate(unit(p + 2))) {
      code = join_surrogates(code, unit(p + 2));
      p += 2;
    }
    sink(static_cast<wchar_t>(code));
  }
}

// GIOP 1.1 (CORBA 3.3 part 2, 9.3.1.6 and 9.3.2.7), as implemented by JacORB: units of two octets, aligned
// and in the byte order of the message; byte-order marks have no special meaning.

void require_wchar_support(const Encoder& out) {
  const WcharEncoding form = out.wchar_encoding();
  if (form == WcharEncoding::giop_1_1) return;
  const bool reply = form == WcharEncoding::none_in_reply;
  throw CORBA::MARSHAL(reply ? 0x4f4d0006 : 0x4f4d0005,
                       reply ? CORBA::CompletionStatus::COMPLETED_YES : CORBA::CompletionStatus::COMPLETED_NO,
                       std::string("wide character in a ") + (reply ? "reply" : "request") +
                           " of GIOP 1.0: use GIOP 1.1 or later");
}

bool supports_wchar(Decoder& in) {
  if (in.wchar_encoding() == WcharEncoding::giop_1_1) return true;
  in.fail(Fault::wchar_in_giop_1_0);
  return false;
}

void encode_giop_1_1(Encoder& out, wchar_t value) {
  require_wchar_support(out);
  std::uint16_t units[2];
  if (to_utf16(value, units) != 1) {
    throw CORBA::DATA_CONVERSION(0x4f4d0001, CORBA::CompletionStatus::COMPLETED_NO,
                                 "character beyond U+FFFF not representable in GIOP 1.1");
  }
  out.put(units[0]);
}

void encode_giop_1_1(Encoder& out, const std::wstring& s) {
  require_wchar_support(out);
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
  value = supports_wchar(in) ? static_cast<wchar_t>(in.get<std::uint16_t>()) : wchar_t{0};
}

/// Decodes a wide string of GIOP 1.1. A length of 0 is accepted as an empty string, as by JacORB.
void decode_giop_1_1(Decoder& in, std::wstring& s, std::uint32_t max_chars) {
  if (!supports_wchar(in)) return;
  const std::uint32_t length = in.get_length(2);
  if (length == 0) return;
  s.reserve(length - 1);
  for (std::uint32_t i = 0; i < length - 1 && in.ok(); ++i) {
    const std::uint32_t unit = in.get<std::uint16_t>();
    if (is_low_surrogate(unit) && !s.empty() && is_high_surrogate(static_cast<std::uint32_t>(s.back()))) {
      s.back() = static_cast<wchar_t>(join_surrogates(static_cast<std::uint32_t>(s.back()), unit));
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
  if (out.wchar_encoding() != WcharEncoding::giop_1_2) return encode_giop_1_1(out, value);
  std::uint16_t units[2];
  const int n = to_utf16(value, units);
  const bool needs_mark = is_byte_order_mark(value);
  out.put(static_cast<std::uint8_t>(2 * (n + (needs_mark ? 1 : 0))));
  if (needs_mark) put_utf16(out, kByteOrderMark);
  for (int i = 0; i < n; ++i) put_utf16(out, units[i]);
}

void Codec<wchar_t>::decode(Decoder& in, wchar_t& value) {
  if (in.wchar_encoding() != WcharEncoding::giop_1_2) return decode_giop_1_1(in, value);
  const std::uint8_t bytes = in.get<std::uint8_t>();
  value = 0;
  if (bytes == 2) {
    // Two octets are a character, never a lone byte-order mark. JacORB sends U+FEFF and U+FFFE without a
    // mark.
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
  if (out.wchar_encoding() != WcharEncoding::giop_1_2) return encode_giop_1_1(out, s);
  std::uint16_t units[2];
  const bool needs_mark = !s.empty() && is_byte_order_mark(s.front());
  std::uint32_t bytes = needs_mark ? 2 : 0;
  for (const wchar_t c : s) bytes += 2 * static_cast<std::uint32_t>(to_utf16(c, units));
  out.put(bytes);
  if (needs_mark) put_utf16(out, kByteOrderMark);
  for (const wchar_t c : s) {
    const int n = to_utf16(c, units);
    for (int i = 0; i < n; ++i) put_utf16(out, units[i]);
  }
}

void Codec<std::wstring>::decode_bounded(Decoder& in, std::wstring& s, std::uint32_t max_chars) {
  s.clear();
  if (in.wchar_encoding() != WcharEncoding::giop_1_2) return decode_giop_1_1(in, s, max_chars);
  const std::uint32_t bytes = in.get_length(1);
  s.reserve(bytes / 2);
  from_utf16(in, bytes, [&](wchar_t c) { s.push_back(c); });
  if (max_chars != 0 && s.size() > max_chars) {
    s.clear();
    in.fail(Fault::bound_exceeded);
  }
}

}  // namespace orbweaver::cdr
