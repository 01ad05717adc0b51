#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/bytes.h"

/// The datagrams of the UDP transport, as docs/formats/udp.md draws them. All numbers are big-endian. Nothing here
/// knows a socket or allocates.
namespace orbweaver::transport::datagram {

enum class Kind : std::uint8_t { hello = 1, cookie, open, welcome, parts, ping, pong, bye };

inline constexpr std::size_t kStartBytes = 16;  ///< How every datagram begins.
inline constexpr std::size_t kShortBytes = 24;  ///< Of a ping, pong and bye.
inline constexpr std::size_t kHelloBytes = 32;  ///< Padded: no answer may be larger than its question.
inline constexpr std::size_t kCookieBytes = 24;
inline constexpr std::size_t kOpenBytes = 40;
inline constexpr std::size_t kWelcomeBytes = 24;
inline constexpr std::size_t kPartHeaderBytes = 16;

/// Before each part of a frame. Part i holds the frame's bytes from i * stride on, `stride` of them or what is left.
struct PartHeader {
  std::uint32_t frame = 0;        ///< Numbered from 1 in each direction.
  std::uint16_t part = 0;         ///< From 0.
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

/// The sender's clock as datagrams carry it: 24 bits, in units of 65.536 µs, beginning anywhere.
constexpr std::uint32_t stamp_of(std::int64_t now_ns) noexcept {
  return static_cast<std::uint32_t>(now_ns >> 16) & 0xFF'FFFFu;
}

/// The first 16 bytes of any datagram: magic, version, kind, stamp, and the connection's number (until there is one,
/// the client's random number).
void write_start(std::uint8_t* to, Kind kind, std::uint64_t id, std::uint32_t stamp = 0) noexcept;
/// `last_frame`: the number of the last frame that was sent; 0: not told.
std::array<std::uint8_t, kShortBytes> short_datagram(Kind kind, std::uint64_t id, std::uint32_t last_frame) noexcept;
std::array<std::uint8_t, kWelcomeBytes> welcome_datagram(std::uint64_t nonce, std::uint64_t id) noexcept;
void write_part_header(std::uint8_t* to, const PartHeader& header) noexcept;

struct Start {
  Kind kind;
  std::uint32_t stamp;
  std::uint64_t id;
};
/// Nothing where these are no bytes of ours, or of another version.
std::optional<Start> read_start(Bytes datagram) noexcept;
/// Of a whole ping, pong or bye; 0 where it is not told.
std::uint32_t read_last_frame(Bytes datagram) noexcept;
/// Takes the first part, and the padding to a multiple of 8 behind it, off `parts`: what follows a start. Nothing
/// where the numbers contradict each other or the bytes that are there.
std::optional<Part> take_part(Bytes& parts) noexcept;

}  // namespace orbweaver::transport::datagram
