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
  const std::uint64_t nonce = random_u64() | 1;  // never 0, which says that there is none
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
        std::copy_n(room + kStartBytes, 8, question.data() + kStartBytes);
        question_bytes = kOpenBytes;
        break;  // asked at once
      }
      if (start->kind == Kind::welcome && answer.size() == kWelcomeBytes && question_bytes == kOpenBytes) {
        return Greeted{std::move(made.fd), read_u64(room + kStartBytes), 0};
      }
    }
    if (deadline.passed()) return Error{Remedy::wait, "no answer before the deadline"};
  }
}

void Door::welcome(const Guest& guest) const noexcept {
  platform::send_to(socket_, welcome_datagram(guest.nonce, guest.id), guest.from);
}

Greeted Door::answer(Bytes datagram, const SocketAddress& from) {
  const auto start = read_start(datagram);
  if (!start) return {};
  switch (start->kind) {
    case Kind::hello: {
      if (datagram.size() != kHelloBytes) return {};
      std::array<std::uint8_t, kCookieBytes> answer;
      write_start(answer.data(), Kind::cookie, start->id);
      write_u64(answer.data() + kStartBytes, jar_.make(bytes_of(from), start->id));
      platform::send_to(socket_, answer, from);
      return {};
    }
    case Kind::open: return datagram.size() == kOpenBytes ? open(datagram, start->id, from) : Greeted{};
    case Kind::parts:
    case Kind::ping:
      // Of a connection that has ended here: where it had not, its own socket would have got this.
      if (datagram.size() >= kShortBytes) platform::send_to(socket_, short_datagram(Kind::bye, start->id, 0), from);
      return {};
    default: return {};
  }
}

Greeted Door::open(Bytes datagram, std::uint64_t nonce, const SocketAddress& from) {
  if (!jar_.knows(read_u64(datagram.data() + kStartBytes), bytes_of(from), nonce)) return {};
  for (const Guest& guest : guests_) {
    if (guest.id != 0 && guest.nonce == nonce && guest.from.text() == from.text()) {
      welcome(guest);  // asked again before there was an answer
      return {};
    }
  }
  platform::FdResult made = platform::share_port(socket_, from);
  if (!made) return {};  // no descriptors: the client asks again
  Guest& guest = guests_[guests_seen_ % guests_.size()];
  guest.nonce = nonce;
  guest.from = from;
  std::uint8_t number[8];
  write_u64(number, ++guests_seen_);
  guest.id = siphash(ids_, number) | 1;
  welcome(guest);
  return {std::move(made.fd), guest.id, nonce};
}

}  // namespace orbweaver::transport::datagram
