#include "giop/control_messages.h"

namespace orbweaver::giop {
namespace {

template <std::size_t N>
std::array<std::uint8_t, N> message(Version version, MessageType type,
                                    std::uint32_t request_id = 0) noexcept {
  std::array<std::uint8_t, N> bytes{};
  cdr::Encoder out(bytes.data(), bytes.size());
  begin_message(out, version, type);
  if constexpr (N > kHeaderBytes) out.put(request_id);
  finish_message(out);
  return bytes;
}

}  // namespace

std::array<std::uint8_t, 16> cancel_request(Version version, std::uint32_t request_id) noexcept {
  return message<16>(version, MessageType::cancel_request, request_id);
}

bool decode_cancel_request(cdr::Decoder& in, std::uint32_t& request_id) noexcept {
  request_id = in.get<std::uint32_t>();
  return in.ok();
}

std::array<std::uint8_t, kHeaderBytes> close_connection(Version version) noexcept {
  return message<kHeaderBytes>(version, MessageType::close_connection);
}

std::array<std::uint8_t, kHeaderBytes> message_error(Version version) noexcept {
  return message<kHeaderBytes>(version, MessageType::message_error);
}

}  // namespace orbweaver::giop
