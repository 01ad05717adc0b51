#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/bytes.h"

/// The datagrams of the UDP transport, as docs/formats/udp.md draws them. All numbers are big-endian. Nothing here
/// knows a socket or allocates.
namespace orbweaver::transport::datagram {

enum class Kind : std::uint8_t { hello = 1, cookie, open, welcome, part, ping, pong, bye };

inline constexpr std::size_t kShortBytes = 16;  ///< Of a ping, pong and bye, and the beginning of all others.
inline constexpr std::size_t kHelloBytes = 32;  ///< Padded: no answer may be larger than its question.
inline constexpr std::size_t kCookieBytes = 24;
inline constexpr std::size_t kOpenBytes = 40;
inline constexpr std::size_t kWelcomeBytes = 32;
inline constexpr std::size_t kPartHeaderBytes = 32;

/// Before each part of a frame. Part i holds the frame's bytes from i * stride on, `stride` of them or what is left.
struct PartHeader {
  std::uint32_t frame = 0;        ///< Numbered from 1 in each direction.
  std::uint16_t part = 0;         ///< From 0.
  std::uint16_t parts = 0;
  std::uint32_t frame_bytes = 0;  ///< Of the whole frame.
  std::uint32_t stride = 0;
};

std::uint64_t read_u64(const std::uint8_t* from) noexcept;
void write_u64(std::uint8_t* to, std::uint64_t value) noexcept;

/// The first 16 bytes of any datagram: magic, version, kind, and the connection's number (until there is one, the
/// client's random number).
void write_start(std::uint8_t* to, Kind kind, std::uint64_t id) noexcept;
std::array<std::uint8_t, kShortBytes> short_datagram(Kind kind, std::uint64_t id) noexcept;
void write_part_header(std::uint8_t* to, std::uint64_t id, const PartHeader& header) noexcept;

struct Start {
  Kind kind;
  std::uint64_t id;
};
/// Nothing where these are no bytes of ours, or of another version.
std::optional<Start> read_start(Bytes datagram) noexcept;
/// Nothing where the numbers contradict each other or the datagram's length.
std::optional<PartHeader> read_part_header(Bytes datagram) noexcept;

}  // namespace orbweaver::transport::datagram
