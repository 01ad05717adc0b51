#include "transport/udp/handshake.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace orbweaver::transport::udp {
namespace {

using platform::SocketAddress;

constexpr std::int64_t kFirstRetry_ms = 20, kMaxRetry_ms = 500;

Bytes bytes_of(const SocketAddress& address) noexcept { return {address.storage, address.length}; }

Error failure(int error) {
  return Error{error == ECONNREFUSED || error == EHOSTUNREACH || error == ENETUNREACH
                   ? ErrorKind::transient
                   : ErrorKind::unavailable,
               platform::error_text(error) + (error == ECONNREFUSED ? " (no listener at this address)" : "")};
}

}  // namespace

Result<EstablishedConnection> connect_handshake(const SocketAddress& server, Deadline deadline) {
  platform::FdResult made = platform::connect_udp(server);
  if (!made) return failure(made.error);
  const std::uint64_t nonce = random_u64() | 1;  // never 0, which means none
  std::array<std::uint8_t, kOpenBytes> question{};
  write_datagram_header(question.data(), DatagramKind::hello, nonce);
  std::size_t question_bytes = kHelloBytes;
  std::int64_t patience_ms = kFirstRetry_ms;
  for (;;) {
    const auto sent = platform::send(made.fd, Bytes(question.data(), question_bytes), platform::Blocking::no);
    if (sent.error != 0 && sent.error != EAGAIN) return failure(sent.error);
    Deadline repeat = Deadline::in_ms(patience_ms);
    patience_ms = std::min(2 * patience_ms, kMaxRetry_ms);
    if (deadline.ns < repeat.ns) repeat = deadline;
    while (platform::poll(made.fd, platform::kReadable, repeat) != 0) {
      std::uint8_t room[64];
      const auto got = platform::recv(made.fd, room, platform::Blocking::no);
      if (got.error == EAGAIN) continue;
      if (got.error != 0) return failure(got.error);
      const Bytes answer(room, got.bytes);
      const auto header = read_datagram_header(answer);
      if (!header || header->id != nonce) continue;  // not for this connection
      if (header->kind == DatagramKind::cookie && answer.size() == kCookieBytes &&
          question_bytes == kHelloBytes) {
        write_datagram_header(question.data(), DatagramKind::open, nonce);
        std::copy_n(room + kDatagramHeaderBytes, 8, question.data() + kDatagramHeaderBytes);
        question_bytes = kOpenBytes;
        break;  // sent at once
      }
      if (header->kind == DatagramKind::welcome && answer.size() == kWelcomeBytes &&
          question_bytes == kOpenBytes) {
        return EstablishedConnection{std::move(made.fd), read_u64(room + kDatagramHeaderBytes), 0};
      }
    }
    if (deadline.passed()) return Error{ErrorKind::timed_out, "no answer before the deadline"};
  }
}

void ServerHandshake::welcome(const RecentClient& client) const noexcept {
  platform::send_to(socket_, welcome_datagram(client.nonce, client.id), client.from);
}

EstablishedConnection ServerHandshake::answer(Bytes datagram, const SocketAddress& from) {
  const auto header = read_datagram_header(datagram);
  if (!header) return {};
  switch (header->kind) {
    case DatagramKind::hello: {
      if (datagram.size() != kHelloBytes) return {};
      std::array<std::uint8_t, kCookieBytes> answer;
      write_datagram_header(answer.data(), DatagramKind::cookie, header->id);
      write_u64(answer.data() + kDatagramHeaderBytes, cookies_.make(bytes_of(from), header->id));
      platform::send_to(socket_, answer, from);
      return {};
    }
    case DatagramKind::open:
      return datagram.size() == kOpenBytes ? open(datagram, header->id, from) : EstablishedConnection{};
    case DatagramKind::parts:
    case DatagramKind::ping:
      // Of a connection that has ended here: a live one's own socket would have received this.
      if (datagram.size() >= kControlBytes)
        platform::send_to(socket_, control_datagram(DatagramKind::bye, header->id, 0), from);
      return {};
    default: return {};
  }
}

EstablishedConnection ServerHandshake::open(Bytes datagram, std::uint64_t nonce, const SocketAddress& from) {
  if (!cookies_.verifies(read_u64(datagram.data() + kDatagramHeaderBytes), bytes_of(from), nonce)) return {};
  for (const RecentClient& client : recent_clients_) {
    if (client.id != 0 && client.nonce == nonce && client.from.text() == from.text()) {
      welcome(client);  // the welcome was lost or is late
      return {};
    }
  }
  platform::FdResult made = platform::connect_udp_sharing_port(socket_, from);
  if (!made) return {};  // no descriptors: the client repeats its open
  RecentClient& client = recent_clients_[clients_seen_ % recent_clients_.size()];
  client.nonce = nonce;
  client.from = from;
  std::uint8_t number[8];
  write_u64(number, ++clients_seen_);
  client.id = siphash(ids_, number) | 1;
  welcome(client);
  return {std::move(made.fd), client.id, nonce};
}

}  // namespace orbweaver::transport::udp
