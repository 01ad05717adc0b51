#include "transport/udp/wire.h"

#include <algorithm>
#include <cstring>

namespace orbweaver::transport::datagram {
namespace {

constexpr std::uint8_t kMagic[4] = {'O', 'W', 'U', 1};  // the last is the version

template <class Number>
Number read(const std::uint8_t* from) noexcept {
  Number value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i) value = static_cast<Number>((std::uint64_t{value} << 8) | from[i]);
  return value;
}

template <class Number>
void write(std::uint8_t* to, Number value) noexcept {
  for (std::size_t i = 0; i < sizeof value; ++i) {
    to[i] = static_cast<std::uint8_t>(std::uint64_t{value} >> (8 * (sizeof value - 1 - i)));
  }
}

}  // namespace

std::uint64_t read_u64(const std::uint8_t* from) noexcept { return read<std::uint64_t>(from); }
void write_u64(std::uint8_t* to, std::uint64_t value) noexcept { write(to, value); }

void write_start(std::uint8_t* to, Kind kind, std::uint64_t id) noexcept {
  std::memcpy(to, kMagic, sizeof kMagic);
  to[4] = static_cast<std::uint8_t>(kind);
  std::memset(to + 5, 0, 3);
  write(to + 8, id);
}

std::array<std::uint8_t, kShortBytes> short_datagram(Kind kind, std::uint64_t id) noexcept {
  std::array<std::uint8_t, kShortBytes> bytes;
  write_start(bytes.data(), kind, id);
  return bytes;
}

void write_part_header(std::uint8_t* to, std::uint64_t id, const PartHeader& header) noexcept {
  write_start(to, Kind::part, id);
  write(to + 16, header.frame);
  write(to + 20, header.part);
  write(to + 22, header.parts);
  write(to + 24, header.frame_bytes);
  write(to + 28, header.stride);
}

std::optional<Start> read_start(Bytes datagram) noexcept {
  if (datagram.size() < kShortBytes || std::memcmp(datagram.data(), kMagic, sizeof kMagic) != 0) return {};
  const std::uint8_t kind = datagram[4];
  if (kind < static_cast<std::uint8_t>(Kind::hello) || kind > static_cast<std::uint8_t>(Kind::bye)) return {};
  return Start{static_cast<Kind>(kind), read_u64(datagram.data() + 8)};
}

std::optional<PartHeader> read_part_header(Bytes datagram) noexcept {
  if (datagram.size() < kPartHeaderBytes) return {};
  const std::uint8_t* const at = datagram.data();
  const PartHeader header{read<std::uint32_t>(at + 16), read<std::uint16_t>(at + 20), read<std::uint16_t>(at + 22),
                          read<std::uint32_t>(at + 24), read<std::uint32_t>(at + 28)};
  if (header.stride == 0 || header.frame_bytes == 0 || header.part >= header.parts) return {};
  const std::uint64_t bytes = header.frame_bytes, stride = header.stride, begin = header.part * stride;
  if ((bytes + stride - 1) / stride != header.parts) return {};
  if (datagram.size() - kPartHeaderBytes != std::min(stride, bytes - begin)) return {};
  return header;
}

}  // namespace orbweaver::transport::datagram
