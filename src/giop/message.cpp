#include "giop/message.h"

#include <algorithm>
#include <string>

#include "base/hex.h"

namespace orbweaver::giop {
namespace {

[[gnu::cold]] Error disconnected(std::string message) {
  return {ErrorKind::disconnected, std::move(message)};
}

/// The bytes in hexadecimal, separated by spaces.
std::string hex_dump(Bytes bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) {
    if (!text.empty()) text += ' ';
    append_hex(text, byte);
  }
  return text;
}

}  // namespace

const char* to_string(MessageType type) noexcept {
  switch (type) {
    case MessageType::request: return "Request";
    case MessageType::reply: return "Reply";
    case MessageType::cancel_request: return "CancelRequest";
    case MessageType::locate_request: return "LocateRequest";
    case MessageType::locate_reply: return "LocateReply";
    case MessageType::close_connection: return "CloseConnection";
    case MessageType::message_error: return "MessageError";
    case MessageType::fragment: return "Fragment";
  }
  return "unknown message";
}

Result<MessageHeader> parse_header(Bytes message) noexcept {
  MessageHeader header;
  if (!read_header(message, header)) return invalid_header_error(message);
  return header;
}

Result<std::size_t> frame_length(Bytes header) noexcept {
  // Called for every frame: fast path for the usual header.
  if (header.size() >= kHeaderBytes) [[likely]] {
    std::uint32_t words[3];
    std::memcpy(words, header.data(), sizeof words);
    asm volatile("" : "+m"(words));  // checks the copy, not the shared memory: see read_header
    constexpr std::uint32_t kVaries = pack_octets(0, 0, 2, 7);
    const std::uint64_t bytes = std::uint64_t{kHeaderBytes} + words[2];
    if (words[0] == pack_octets('G', 'I', 'O', 'P') &&
        (words[1] & ~kVaries) == pack_octets(1, 2, kThisMachineIsLittleEndian, 0) &&
        bytes <= limits::kMaxMessageBytes) {
      return static_cast<std::size_t>(bytes);
    }
  }
  if (header.size() < kHeaderBytes || std::memcmp(header.data(), "GIOP\1", 5) != 0)
    return invalid_header_error(header);
  // All versions of GIOP 1 have the size at this offset. The caller checks the rest of the header, to reply
  // with a MessageError, and the limit of the size.
  std::uint32_t body_bytes;
  std::memcpy(&body_bytes, header.data() + 8, 4);
  if (((header[6] & 1) != 0) != kThisMachineIsLittleEndian) body_bytes = __builtin_bswap32(body_bytes);
  return static_cast<std::size_t>(
      std::min<std::uint64_t>(std::uint64_t{body_bytes} + kHeaderBytes, SIZE_MAX));
}

[[gnu::cold]] Error invalid_header_error(Bytes message) {
  if (message.size() < kHeaderBytes) {
    return disconnected("GIOP header incomplete: " + std::to_string(message.size()) + " of 12 bytes");
  }
  // Copies the header, as read_header does: the peer may change the bytes while the message is composed.
  std::uint8_t bytes[kHeaderBytes];
  std::memcpy(bytes, message.data(), kHeaderBytes);
  if (std::memcmp(bytes, "GIOP", 4) != 0) {
    return disconnected("not a GIOP message: starts with " + hex_dump({bytes, 4}) +
                        " instead of 47 49 4f 50");
  }
  const std::string version = std::to_string(bytes[4]) + "." + std::to_string(bytes[5]);
  if (bytes[4] != 1 || bytes[5] > 2) {
    return disconnected("unsupported GIOP version " + version + " (supported: 1.0, 1.1, 1.2)");
  }
  if ((bytes[6] & ~(bytes[5] == 0 ? 1 : 3)) != 0) {
    return disconnected("GIOP " + version + " header: undefined flags " + hex_dump({bytes + 6, 1}));
  }
  if (bytes[7] > (bytes[5] == 0 ? 6 : 7)) {
    return disconnected("GIOP " + version + " header: unknown message type " + std::to_string(bytes[7]));
  }
  MessageHeader header;
  std::memcpy(&header.body_bytes, bytes + 8, 4);
  header.little_endian = (bytes[6] & 1) != 0;
  if (header.swaps()) header.body_bytes = __builtin_bswap32(header.body_bytes);
  return disconnected(std::string(to_string(static_cast<MessageType>(bytes[7]))) + " of " +
                      std::to_string(header.message_bytes()) + " bytes: the limit is " +
                      std::to_string(limits::kMaxMessageBytes));
}

[[gnu::cold]] Error malformed(const char* what, const cdr::Decoder& in) {
  return disconnected(std::string(what) + ": " + cdr::describe(in.fault()) + " at byte " +
                      std::to_string(in.fault_offset()));
}

}  // namespace orbweaver::giop
