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

namespace {

/// The client's side of a handshake over one socket: hello, cookie, open, welcome.
class ClientHandshake {
 public:
  explicit ClientHandshake(platform::Fd socket) : socket_(std::move(socket)) {
    write_datagram_header(question_.data(), DatagramKind::hello, nonce_);
  }
  /// Sends the question. Returns 0, or an errno value.
  int ask() noexcept {
    const auto sent =
        platform::send(socket_, Bytes(question_.data(), question_bytes_), platform::Blocking::no);
    return sent.error == EAGAIN ? 0 : sent.error;
  }
  enum class Answer { none, next_question, welcome };
  /// Waits for an answer to the question until `deadline`.
  Result<Answer> await_answer(Deadline deadline) {
    while (platform::poll(socket_, platform::kReadable, deadline) != 0) {
      const auto got = platform::recv(socket_, answer_, platform::Blocking::no);
      if (got.error == EAGAIN) continue;
      if (got.error != 0) return failure(got.error);
      if (const Answer answer = judge(Bytes(answer_.data(), got.bytes)); answer != Answer::none)
        return answer;
    }
    return Answer::none;
  }
  /// pre: welcome.
  EstablishedConnection connection() {
    return {std::move(socket_), read_u64(answer_.data() + kDatagramHeaderBytes), 0};
  }

 private:
  Answer judge(Bytes answer) noexcept {
    const auto header = read_datagram_header(answer);
    if (!header || header->id != nonce_) return Answer::none;  // not for this connection
    const bool has_asked_open = question_bytes_ == kOpenBytes;
    if (header->kind == DatagramKind::cookie && answer.size() == kCookieBytes && !has_asked_open) {
      write_datagram_header(question_.data(), DatagramKind::open, nonce_);
      std::copy_n(answer.data() + kDatagramHeaderBytes, 8, question_.data() + kDatagramHeaderBytes);
      question_bytes_ = kOpenBytes;
      return Answer::next_question;
    }
    const bool is_welcome =
        header->kind == DatagramKind::welcome && answer.size() == kWelcomeBytes && has_asked_open;
    return is_welcome ? Answer::welcome : Answer::none;
  }

  platform::Fd socket_;
  const std::uint64_t nonce_ = random_u64() | 1;  // never 0, which means none
  std::array<std::uint8_t, kOpenBytes> question_{};
  std::size_t question_bytes_ = kHelloBytes;
  std::array<std::uint8_t, 64> answer_{};
};

}  // namespace

Result<EstablishedConnection> connect_handshake(const SocketAddress& server, Deadline deadline) {
  platform::FdResult made = platform::connect_udp(server);
  if (!made) return failure(made.error);
  ClientHandshake handshake(std::move(made.fd));
  for (std::int64_t retry_ms = kFirstRetry_ms;; retry_ms = std::min(2 * retry_ms, kMaxRetry_ms)) {
    if (const int error = handshake.ask(); error != 0) return failure(error);
    const Deadline repeat{std::min(Deadline::in_ms(retry_ms).ns, deadline.ns)};
    const auto answer = handshake.await_answer(repeat);
    if (!answer) return Error(answer.error());
    if (*answer == ClientHandshake::Answer::welcome) return handshake.connection();
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
  RecentClient& client = recent_clients_[static_cast<std::size_t>(clients_seen_ % recent_clients_.size())];
  client.nonce = nonce;
  client.from = from;
  std::uint8_t number[8];
  write_u64(number, ++clients_seen_);
  client.id = siphash(ids_, number) | 1;
  welcome(client);
  return {std::move(made.fd), client.id, nonce};
}

}  // namespace orbweaver::transport::udp
