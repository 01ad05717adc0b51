#include "giop/message.h"

#include <algorithm>
#include <string>

namespace orbweaver::giop {
namespace {

Error reconnect(std::string message) { return {Remedy::reconnect, std::move(message)}; }

/// The bytes as a person would look for them in a capture.
std::string in_hex(Bytes bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : bytes) {
    if (!text.empty()) text += ' ';
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace

const char* to_string(MessageType type) noexcept {
  switch (type) {
    case MessageType::request:
      return "Request";
    case MessageType::reply:
      return "Reply";
    case MessageType::cancel_request:
      return "CancelRequest";
    case MessageType::locate_request:
      return "LocateRequest";
    case MessageType::locate_reply:
      return "LocateReply";
    case MessageType::close_connection:
      return "CloseConnection";
    case MessageType::message_error:
      return "MessageError";
    case MessageType::fragment:
      return "Fragment";
  }
  return "unknown message";
}

Result<MessageHeader> parse_header(Bytes message) noexcept {
  MessageHeader header;
  if (!read_header(message, header)) return describe_bad_header(message);
  return header;
}

Result<std::size_t> frame_length(Bytes header) noexcept {
  // Asked of every frame: the usual header is known at once.
  if (header.size() >= kHeaderBytes) [[likely]] {
    std::uint32_t words[3];
    std::memcpy(words, header.data(), sizeof words);
    asm volatile("" : "+m"(words));  // what is judged is what was read: see read_header
    constexpr std::uint32_t kVaries = four_octets(0, 0, 2, 7);
    const std::size_t bytes = kHeaderBytes + std::size_t{words[2]};
    if (words[0] == four_octets('G', 'I', 'O', 'P') &&
        (words[1] & ~kVaries) == four_octets(1, 2, kThisMachineIsLittleEndian, 0) && bytes <= limits::kMaxMessageBytes) {
      return bytes;
    }
  }
  if (header.size() < kHeaderBytes || std::memcmp(header.data(), "GIOP\1", 5) != 0) return describe_bad_header(header);
  // All of GIOP 1 has its size here. Whether the rest is known is judged by whoever can answer with a MessageError, and
  // the size by who knows the limit.
  std::uint32_t body_bytes;
  std::memcpy(&body_bytes, header.data() + 8, 4);
  if (((header[6] & 1) != 0) != kThisMachineIsLittleEndian) body_bytes = __builtin_bswap32(body_bytes);
  return static_cast<std::size_t>(std::min<std::uint64_t>(std::uint64_t{body_bytes} + kHeaderBytes, SIZE_MAX));
}

Error describe_bad_header(Bytes message) {
  if (message.size() < kHeaderBytes) {
    return reconnect("a GIOP message of " + std::to_string(message.size()) +
                     " bytes: its header alone takes 12");
  }
  // A copy, like read_header's: what is said must be about the bytes that are shown.
  std::uint8_t bytes[kHeaderBytes];
  std::memcpy(bytes, message.data(), kHeaderBytes);
  if (std::memcmp(bytes, "GIOP", 4) != 0) {
    return reconnect("not a GIOP message: it begins with " + in_hex({bytes, 4}) + " instead of 47 49 4f 50");
  }
  const std::string version = std::to_string(bytes[4]) + "." + std::to_string(bytes[5]);
  if (bytes[4] != 1 || bytes[5] > 2) {
    return reconnect("a message of GIOP " + version + ": 1.0, 1.1 and 1.2 are known");
  }
  if ((bytes[6] & ~(bytes[5] == 0 ? 1 : 3)) != 0) {
    return reconnect("GIOP " + version + " header: flags " + in_hex({bytes + 6, 1}) + " are not defined");
  }
  if (bytes[7] > (bytes[5] == 0 ? 6 : 7)) {
    return reconnect("GIOP " + version + " header: message type " + std::to_string(bytes[7]) +
                     " does not exist");
  }
  MessageHeader header;
  std::memcpy(&header.body_bytes, bytes + 8, 4);
  header.little_endian = (bytes[6] & 1) != 0;
  if (header.swaps()) header.body_bytes = __builtin_bswap32(header.body_bytes);
  return reconnect("a " + std::string(to_string(static_cast<MessageType>(bytes[7]))) + " of " +
                   std::to_string(header.message_bytes()) + " bytes: the limit is " +
                   std::to_string(limits::kMaxMessageBytes));
}

Error malformed(const char* what, const cdr::Decoder& in) {
  return reconnect(std::string(what) + ": " + cdr::describe(in.fault()) + " at byte " +
                   std::to_string(in.fault_offset()));
}

}  // namespace orbweaver::giop
