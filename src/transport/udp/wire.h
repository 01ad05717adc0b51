#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/bytes.h"

/// Datagrams of the UDP transport (docs/formats/udp.md). All numbers are big-endian. Independent of sockets;
/// no allocation.
namespace orbweaver::transport::udp {

enum class DatagramKind : std::uint8_t { hello = 1, cookie, open, welcome, parts, ping, pong, bye };

inline constexpr std::size_t kDatagramHeaderBytes = 16;  ///< Header of every datagram.
inline constexpr std::size_t kControlBytes = 24;         ///< Of a ping, pong and bye.
inline constexpr std::size_t kHelloBytes = 32;           ///< Padded: no answer is larger than its request.
inline constexpr std::size_t kCookieBytes = 24;
inline constexpr std::size_t kOpenBytes = 40;
inline constexpr std::size_t kWelcomeBytes = 24;
inline constexpr std::size_t kPartHeaderBytes = 16;

/// Precedes each part of a frame. Part i holds the frame's bytes from i * stride on, at most `stride` of
/// them.
struct PartHeader {
  std::uint32_t frame = 0;  ///< Numbered from 1 in each direction.
  std::uint16_t part = 0;   ///< From 0.
  std::uint16_t parts = 0;
  std::uint32_t frame_bytes = 0;  ///< Of the whole frame.
  std::uint32_t stride = 0;
};
struct Part {
  PartHeader header;
  Bytes bytes;
};

std::uint64_t read_u64(const std::uint8_t* from) noexcept;
void write_u64(std::uint8_t* to, std::uint64_t value) noexcept;

/// The sender's clock in datagrams: 24 bits, in units of 65.536 µs, with an arbitrary origin.
constexpr std::uint32_t timestamp_of(std::int64_t now_ns) noexcept {
  return static_cast<std::uint32_t>(now_ns >> 16) & 0xFF'FFFFu;
}

/// Writes the first 16 bytes of a datagram: magic, version, kind, timestamp, and the connection's number (the
/// client's random number during the handshake).
void write_datagram_header(std::uint8_t* to, DatagramKind kind, std::uint64_t id,
                           std::uint32_t timestamp = 0) noexcept;
/// `last_frame`: number of the last frame sent; 0: unknown.
std::array<std::uint8_t, kControlBytes> control_datagram(DatagramKind kind, std::uint64_t id,
                                                         std::uint32_t last_frame) noexcept;
std::array<std::uint8_t, kWelcomeBytes> welcome_datagram(std::uint64_t nonce, std::uint64_t id) noexcept;
void write_part_header(std::uint8_t* to, const PartHeader& header) noexcept;

struct DatagramHeader {
  DatagramKind kind;
  std::uint32_t timestamp;
  std::uint64_t id;
};
/// Empty if the bytes are no datagram of this protocol and version.
std::optional<DatagramHeader> read_datagram_header(Bytes datagram) noexcept;
/// Returns the last frame number of a complete ping, pong or bye; 0: unknown.
std::uint32_t read_last_frame(Bytes datagram) noexcept;
/// Removes and returns the first part of `parts`, with its padding to a multiple of 8. Empty if its numbers
/// contradict each other or the available bytes.
std::optional<Part> take_part(Bytes& parts) noexcept;

}  // namespace orbweaver::transport::udp
