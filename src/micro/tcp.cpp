#include "micro/transport.h"

#include "micro/decimal.h"
#include "micro/raise.h"
#include "platform/host_lookup.h"
#include "platform/socket.h"

namespace orbweaver::micro {
namespace {

using platform::FdResult;
using platform::SocketAddress;

constexpr int kBacklog = 128;
constexpr std::int64_t kLastReplyMs = 5000, kTestStopsMs = 100;

/// Tries the addresses of a host in order until `open` succeeds. Returns an error message if none does.
template <class Open>
FdResult first_of(const char* host, std::uint16_t port, bool to_listen, std::string& problem, Open open) {
  FdResult opened{platform::Fd(), -1};
  const char* const failed = platform::for_each_address(host, port, to_listen, [&](const SocketAddress& at) {
    opened = open(at);
    return bool(opened);
  });
  problem = std::string(host)
                .append(":")
                .append(std::to_string(port))
                .append(": ")
                .append(failed != nullptr ? failed : platform::error_text(opened.error));
  return opened;
}

}  // namespace

Listener listen(std::string_view address) {
  for (const std::string_view prefix : {"tcp", ":", "iiop://"}) {
    if (address.substr(0, prefix.size()) == prefix) address.remove_prefix(prefix.size());
  }
  Listener listener;
  listener.host = "127.0.0.1";
  std::size_t port = 0;
  if (!address.empty()) {
    const std::size_t colon = address.rfind(':');
    const std::string_view digits = colon == address.npos ? std::string_view() : address.substr(colon + 1);
    port = decimal(digits, kMaxPort);
    if (digits.empty() || port > kMaxPort)
      raise(Kind::BAD_PARAM, minor::kBadOption,
            "-ORBListen: write tcp:HOST:PORT; the micro library has no other transport");
    address = address.substr(0, colon);
    if (address.size() > 1 && address.front() == '[' && address.back() == ']')
      address = address.substr(1, address.size() - 2);
    listener.host = address.empty() ? std::string_view("0.0.0.0") : address;
  }
  std::string problem;
  FdResult opened = first_of(listener.host.c_str(), static_cast<std::uint16_t>(port), true, problem,
                             [](const SocketAddress& at) { return platform::listen_on(at, kBacklog); });
  if (!opened) raise(Kind::INITIALIZE, minor::kCannotListen, "cannot listen on " + problem);
  listener.port = platform::local_address(opened.fd).port();
  listener.socket = std::move(opened.fd);
  return listener;
}

platform::Fd accept(const platform::Fd& socket, Deadline deadline) noexcept {
  FdResult accepted = platform::accept_from(socket, deadline);
  if (accepted) platform::set_tcp_options(accepted.fd);
  return std::move(accepted.fd);
}

platform::Fd connect(const std::string& host, std::uint16_t port, Deadline deadline) {
  std::string problem;
  FdResult opened = first_of(host.c_str(), port, false, problem,
                             [&](const SocketAddress& at) { return platform::connect_to(at, deadline); });
  if (!opened) raise(Kind::TRANSIENT, minor::kNoUsableEndpoint, "cannot connect to " + problem);
  platform::set_tcp_options(opened.fd);
  return std::move(opened.fd);
}

bool send_all(const platform::Fd& socket, Bytes bytes, Deadline deadline,
              const std::atomic<bool>* stops) noexcept {
  while (!bytes.empty()) {
    const platform::IoResult sent = platform::send(socket, bytes, platform::Blocking::no);
    if (sent.error == 0) {
      bytes = bytes.subspan(sent.bytes);
      continue;
    }
    Deadline until = deadline;
    if (stops != nullptr) {
      const bool last = *stops;
      until.ns = std::min(deadline.ns, Deadline::in_ms(last ? kLastReplyMs : kTestStopsMs).ns);
      if (last) {
        deadline = until;
        stops = nullptr;
      }
    }
    if (sent.error != EAGAIN ||
        (platform::poll(socket, platform::kWritable, until) == 0 && deadline.passed()))
      return false;
  }
  return true;
}

}  // namespace orbweaver::micro
