#pragma once

#include <orbweaver/detail/cdr/decoder.h>
#include <orbweaver/detail/cdr/encoder.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/result.h"

/// GIOP as plain data and pure functions (CORBA 3.3 part 2, clause 9): nothing here owns a connection,
/// starts a thread or blocks. Every function may be called from any thread.
///
/// A *message* is one GIOP message, starting with its magic; alignment counts from there. Views in decoded
/// headers point into the message and are valid as long as its bytes.
namespace orbweaver::giop {

/// A GIOP or IIOP version.
struct Version {
  std::uint8_t major = 1;
  std::uint8_t minor = 2;
  friend constexpr auto operator<=>(const Version&, const Version&) = default;
};
inline constexpr Version kGiop10{1, 0};
inline constexpr Version kGiop11{1, 1};
inline constexpr Version kGiop12{1, 2};

/// The type of a message (9.4.1).
enum class MessageType : std::uint8_t {
  request = 0,
  reply = 1,
  cancel_request = 2,
  locate_request = 3,
  locate_reply = 4,
  close_connection = 5,
  message_error = 6,
  fragment = 7,  ///< From GIOP 1.1 on.
};
const char* to_string(MessageType type) noexcept;

inline constexpr std::size_t kHeaderBytes = 12;
inline constexpr bool kThisMachineIsLittleEndian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
/// GIOP 1.2 aligns the bodies of requests and replies to this.
inline constexpr std::size_t kBodyAlignment = 8;

/// The twelve bytes before every message (CORBA 3.3 part 2, 9.4.1).
struct MessageHeader {
  Version version;
  MessageType type = MessageType::message_error;
  bool little_endian = kThisMachineIsLittleEndian;
  bool more_fragments = false;
  std::uint32_t body_bytes = 0;  ///< Size of the message without this header.

  bool swaps() const noexcept { return little_endian != kThisMachineIsLittleEndian; }
  std::uint64_t message_bytes() const noexcept { return std::uint64_t{kHeaderBytes} + body_bytes; }
};

/// Reads a header from the first twelve bytes of `message`, each of them once. False if they are not a header
/// of GIOP 1.0 to 1.2, or if the message would be larger than limits::kMaxMessageBytes;
/// `invalid_header_error` gives the reason. On the hot path: does not allocate.
inline bool read_header(Bytes message, MessageHeader& header) noexcept;

/// As read_header, with an error message. Fails with ErrorKind::disconnected.
Result<MessageHeader> parse_header(Bytes message) noexcept;
/// The size of the message with this header of twelve bytes, for transports (transport::FrameLength). Accepts
/// any version 1.x, any type and any size, including those that `read_header` rejects. Fails with
/// ErrorKind::disconnected.
Result<std::size_t> frame_length(Bytes header) noexcept;
/// The reason why `read_header` rejects these bytes; ErrorKind::disconnected.
Error invalid_header_error(Bytes message);

/// The request id of a message of GIOP 1.2, or of a CancelRequest of any version: the ULONG behind the
/// header. `message` must have these four bytes.
inline std::uint32_t request_id_of(Bytes message, const MessageHeader& header) noexcept;

/// A decoder positioned after the header. It ends at the end of the message or of the available bytes.
inline cdr::Decoder open_body(Bytes message, const MessageHeader& header,
                              cdr::Scratch* scratch = nullptr) noexcept;

/// The encoding of wide characters in messages of a version and type.
constexpr cdr::WcharEncoding wchar_encoding(Version version, MessageType type) noexcept {
  if (version >= kGiop12) return cdr::WcharEncoding::giop_1_2;
  if (version == kGiop11) return cdr::WcharEncoding::giop_1_1;
  return type == MessageType::reply ? cdr::WcharEncoding::none_in_reply : cdr::WcharEncoding::none_in_request;
}

/// Starts a message in this machine's byte order at the start of `out`, whose buffer is aligned to 8.
inline void begin_message(cdr::Encoder& out, Version version, MessageType type);
/// Completes the message: writes its size to the header. False if the buffer was too small; the message must
/// not be sent then.
inline bool finish_message(cdr::Encoder& out) noexcept;

/// Whether a body follows the request or reply header. GIOP 1.2 has padding before a body only.
enum class Body : bool { empty, follows };

/// The error for a fault in `in`: "request header: truncated at byte 37", ErrorKind::disconnected.
Error malformed(const char* what, const cdr::Decoder& in);

// ---- inline ----------------------------------------------------------------------------------------

/// The integer whose representation in memory is these four octets. It is composed in a register: storing
/// octets one by one and loading them as a word would stall (store forwarding).
constexpr std::uint32_t pack_octets(std::uint8_t a, std::uint8_t b, std::uint8_t c, std::uint8_t d) noexcept {
  return kThisMachineIsLittleEndian
             ? std::uint32_t{a} | std::uint32_t{b} << 8 | std::uint32_t{c} << 16 | std::uint32_t{d} << 24
             : std::uint32_t{d} | std::uint32_t{c} << 8 | std::uint32_t{b} << 16 | std::uint32_t{a} << 24;
}

inline bool read_header(Bytes message, MessageHeader& header) noexcept {
  if (message.size() < kHeaderBytes) return false;
  std::uint32_t magic, rest, size;
  std::memcpy(&magic, message.data(), 4);
  std::memcpy(&rest, message.data() + 4, 4);
  std::memcpy(&size, message.data() + 8, 4);
  // A peer may write to shared memory at the same time: only the copies are used from here on.
  asm volatile("" : "+r"(magic), "+r"(rest), "+r"(size));
  const auto octet = [rest](unsigned i) {
    return static_cast<std::uint8_t>(rest >> (kThisMachineIsLittleEndian ? 8 * i : 24 - 8 * i));
  };
  const std::uint8_t minor = octet(1), flags = octet(2), type = octet(3);
  const std::uint8_t known_flags = minor == 0 ? 1 : 3;
  const std::uint8_t last_type = minor == 0 ? 6 : 7;
  if (magic != pack_octets('G', 'I', 'O', 'P') || octet(0) != 1 || minor > 2 || (flags & ~known_flags) != 0 ||
      type > last_type) {
    return false;
  }
  header.version = {1, minor};
  header.little_endian = (flags & 1) != 0;
  header.more_fragments = (flags & 2) != 0;
  header.type = static_cast<MessageType>(type);
  header.body_bytes = header.swaps() ? __builtin_bswap32(size) : size;
  return header.body_bytes <= limits::kMaxMessageBytes - kHeaderBytes;
}

inline std::uint32_t request_id_of(Bytes message, const MessageHeader& header) noexcept {
  std::uint32_t id;
  std::memcpy(&id, message.data() + kHeaderBytes, 4);
  return header.swaps() ? __builtin_bswap32(id) : id;
}

inline cdr::Decoder open_body(Bytes message, const MessageHeader& header, cdr::Scratch* scratch) noexcept {
  const std::uint64_t size = header.message_bytes();
  cdr::Decoder in(message.data(), message.size() < size ? message.size() : static_cast<std::size_t>(size),
                  header.swaps(), scratch);
  if (header.version != kGiop12) [[unlikely]]
    in.wchar_encoding(wchar_encoding(header.version, header.type));
  in.skip(kHeaderBytes);
  return in;
}

inline void write_word(std::uint8_t* at, std::uint32_t word) noexcept { std::memcpy(at, &word, 4); }

/// Writes the header of begin_message, twelve bytes, to `at`.
inline void write_header(std::uint8_t* at, Version version, MessageType type) noexcept {
  write_word(at, pack_octets('G', 'I', 'O', 'P'));
  write_word(at + 4, pack_octets(version.major, version.minor, kThisMachineIsLittleEndian,
                                 static_cast<std::uint8_t>(type)));
  write_word(at + 8, 0);
}

inline void begin_message(cdr::Encoder& out, Version version, MessageType type) {
  out.wchar_encoding(wchar_encoding(version, type));
  if (std::uint8_t* at = out.take(kHeaderBytes)) write_header(at, version, type);
}

inline bool finish_message(cdr::Encoder& out) noexcept {
  const std::size_t body = out.size() - kHeaderBytes;
  if (!out.ok() || body > 0xffffffffu) return false;
  out.patch_ulong(8, static_cast<std::uint32_t>(body));
  return true;
}

}  // namespace orbweaver::giop
