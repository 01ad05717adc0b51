#include "transport/udp/handshake.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace orbweaver::transport::datagram {
namespace {

using platform::SocketAddress;

constexpr std::int64_t kFirstPatience_ms = 20, kMostPatience_ms = 500;

Bytes bytes_of(const SocketAddress& address) noexcept { return {address.storage, address.length}; }

Error failure(int error) {
  return Error{error == ECONNREFUSED || error == EHOSTUNREACH || error == ENETUNREACH ? Remedy::retry : Remedy::give_up,
               platform::error_text(error) + (error == ECONNREFUSED ? " (nobody listens there)" : "")};
}

}  // namespace

Result<Greeted> greet(const SocketAddress& server, Deadline deadline) {
  platform::FdResult made = platform::connect_datagrams(server);
  if (!made) return failure(made.error);
  const std::uint64_t nonce = random_u64();
  std::array<std::uint8_t, kOpenBytes> question{};
  write_start(question.data(), Kind::hello, nonce);
  std::size_t question_bytes = kHelloBytes;
  std::int64_t patience_ms = kFirstPatience_ms;
  for (;;) {
    const auto sent = platform::send(made.fd, Bytes(question.data(), question_bytes), platform::Block::no);
    if (sent.error != 0 && sent.error != EAGAIN) return failure(sent.error);
    Deadline repeat = Deadline::in_ms(patience_ms);
    patience_ms = std::min(2 * patience_ms, kMostPatience_ms);
    if (deadline.ns < repeat.ns) repeat = deadline;
    while (platform::poll(made.fd, platform::kReadable, repeat) != 0) {
      std::uint8_t room[64];
      const auto got = platform::recv(made.fd, room, platform::Block::no);
      if (got.error == EAGAIN) continue;
      if (got.error != 0) return failure(got.error);
      const Bytes answer(room, got.bytes);
      const auto start = read_start(answer);
      if (!start || start->id != nonce) continue;  // not to us
      if (start->kind == Kind::cookie && answer.size() == kCookieBytes && question_bytes == kHelloBytes) {
        write_start(question.data(), Kind::open, nonce);
        std::copy_n(room + kShortBytes, 8, question.data() + kShortBytes);
        question_bytes = kOpenBytes;
        break;  // asked at once
      }
      if (start->kind == Kind::welcome && answer.size() == kWelcomeBytes && question_bytes == kOpenBytes) {
        const auto port = static_cast<std::uint16_t>((room[24] << 8) | room[25]);
        if (const int error = platform::reconnect_datagrams(made.fd, server.with_port(port)); error != 0) {
          return failure(error);
        }
        const std::uint64_t id = read_u64(room + kShortBytes);
        // Tells the server that it can be heard from now on.
        platform::send(made.fd, short_datagram(Kind::ping, id), platform::Block::no);
        return Greeted{std::move(made.fd), id};
      }
    }
    if (deadline.passed()) return Error{Remedy::wait, "no answer before the deadline"};
  }
}

void Door::welcome(const Guest& guest) const noexcept {
  std::array<std::uint8_t, kWelcomeBytes> answer{};
  write_start(answer.data(), Kind::welcome, guest.nonce);
  write_u64(answer.data() + 16, guest.id);
  answer[24] = static_cast<std::uint8_t>(guest.port >> 8);
  answer[25] = static_cast<std::uint8_t>(guest.port & 0xFF);
  platform::send_to(socket_, answer, guest.from);
}

Greeted Door::answer(Bytes datagram, const SocketAddress& from) {
  const auto start = read_start(datagram);
  if (!start) return {};
  if (start->kind == Kind::hello && datagram.size() == kHelloBytes) {
    std::array<std::uint8_t, kCookieBytes> answer;
    write_start(answer.data(), Kind::cookie, start->id);
    write_u64(answer.data() + kShortBytes, jar_.make(bytes_of(from), start->id));
    platform::send_to(socket_, answer, from);
    return {};
  }
  if (start->kind != Kind::open || datagram.size() != kOpenBytes) return {};
  if (!jar_.knows(read_u64(datagram.data() + kShortBytes), bytes_of(from), start->id)) return {};
  for (const Guest& guest : guests_) {
    if (guest.id != 0 && guest.nonce == start->id && guest.from.text() == from.text()) {
      welcome(guest);  // the first was lost
      return {};
    }
  }
  const SocketAddress local = platform::local_address(socket_).with_port(0);
  platform::FdResult made = platform::connect_datagrams(from, &local);
  if (!made) return {};  // no descriptors: the client asks again
  Guest& guest = guests_[guests_seen_ % guests_.size()];
  guest.nonce = start->id;
  guest.from = from;
  guest.port = platform::local_address(made.fd).port();
  std::uint8_t number[8];
  write_u64(number, ++guests_seen_);
  guest.id = siphash(ids_, number) | 1;
  welcome(guest);
  return {std::move(made.fd), guest.id};
}

}  // namespace orbweaver::transport::datagram
