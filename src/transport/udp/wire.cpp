#include "transport/udp/wire.h"

#include <algorithm>
#include <cstring>

namespace orbweaver::transport::udp {
namespace {

constexpr std::uint8_t kMagic[4] = {'O', 'W', 'U', 1};  // the last octet is the version

template <class Number>
Number read(const std::uint8_t* from) noexcept {
  Number value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i)
    value = static_cast<Number>((std::uint64_t{value} << 8) | from[i]);
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

void write_datagram_header(std::uint8_t* to, DatagramKind kind, std::uint64_t id,
                           std::uint32_t timestamp) noexcept {
  std::memcpy(to, kMagic, sizeof kMagic);
  write(to + 4, (std::uint32_t{static_cast<std::uint8_t>(kind)} << 24) | timestamp);
  write(to + 8, id);
}

std::array<std::uint8_t, kControlBytes> control_datagram(DatagramKind kind, std::uint64_t id,
                                                         std::uint32_t last_frame) noexcept {
  std::array<std::uint8_t, kControlBytes> bytes{};
  write_datagram_header(bytes.data(), kind, id);
  write(bytes.data() + kDatagramHeaderBytes, last_frame);
  return bytes;
}

std::array<std::uint8_t, kWelcomeBytes> welcome_datagram(std::uint64_t nonce, std::uint64_t id) noexcept {
  std::array<std::uint8_t, kWelcomeBytes> bytes;
  write_datagram_header(bytes.data(), DatagramKind::welcome, nonce);
  write_u64(bytes.data() + kDatagramHeaderBytes, id);
  return bytes;
}

void write_part_header(std::uint8_t* to, const PartHeader& header) noexcept {
  write(to, header.frame);
  write(to + 4, header.part);
  write(to + 6, header.parts);
  write(to + 8, header.frame_bytes);
  write(to + 12, header.stride);
}

std::optional<DatagramHeader> read_datagram_header(Bytes datagram) noexcept {
  if (datagram.size() < kDatagramHeaderBytes || std::memcmp(datagram.data(), kMagic, sizeof kMagic) != 0)
    return {};
  const auto kind_and_stamp = read<std::uint32_t>(datagram.data() + 4);
  const std::uint32_t kind = kind_and_stamp >> 24;
  if (kind < static_cast<std::uint32_t>(DatagramKind::hello) ||
      kind > static_cast<std::uint32_t>(DatagramKind::bye))
    return {};
  return DatagramHeader{static_cast<DatagramKind>(kind), kind_and_stamp & 0xFF'FFFFu,
                        read_u64(datagram.data() + 8)};
}

std::uint32_t read_last_frame(Bytes datagram) noexcept {
  return datagram.size() == kControlBytes ? read<std::uint32_t>(datagram.data() + kDatagramHeaderBytes) : 0;
}

std::optional<Part> take_part(Bytes& parts) noexcept {
  if (parts.size() < kPartHeaderBytes) return {};
  const std::uint8_t* const at = parts.data();
  const PartHeader header{read<std::uint32_t>(at), read<std::uint16_t>(at + 4), read<std::uint16_t>(at + 6),
                          read<std::uint32_t>(at + 8), read<std::uint32_t>(at + 12)};
  if (header.stride == 0 || header.frame_bytes == 0 || header.part >= header.parts) return {};
  const std::uint64_t bytes = header.frame_bytes, stride = header.stride, begin = header.part * stride;
  if ((bytes + stride - 1) / stride != header.parts) return {};
  const auto here = static_cast<std::size_t>(std::min(stride, bytes - begin));
  if (parts.size() - kPartHeaderBytes < here) return {};
  const Part part{header, parts.subspan(kPartHeaderBytes, here)};
  parts = parts.subspan(std::min(parts.size(), kPartHeaderBytes + (here + 7) / 8 * 8));
  return part;
}

}  // namespace orbweaver::transport::udp
