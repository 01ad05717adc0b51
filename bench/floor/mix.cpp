// Floor of one-way messages with Internet sizes: one send and one recv for each, over TCP and over UDP. The
// receiver has the same sequence of sizes, and replies after each window with the total that it read.
#include <arpa/inet.h>
#include <sys/socket.h>

#include <array>
#include <stdexcept>

#include "floors.h"
#include "socket.h"

namespace orbweaver::bench {
namespace {

class Mix {
 public:
  static constexpr std::size_t kLargest = 1500;
  std::size_t next() { return kMixSizes[n_++ % kMixSizes.size()]; }
  bool is_window_over() const { return n_ % kMixWindow == 0; }

 private:
  std::uint64_t n_ = 0;
};

void receive_message(const ServerSide& side, const Socket& from, std::uint8_t* into, std::size_t bytes) {
  if (side.what.transport != "udp") {
    if (!receive_all(from, into, bytes, 0)) throw std::runtime_error("the other end closed its socket");
  } else if (receive_some(from, into, Mix::kLargest, 0) != bytes) {
    throw std::runtime_error("a datagram was lost");
  }
}

/// Creates a UDP socket on loopback, connected to that port; port 0: not connected.
Socket datagrams(int port) {
  Socket s(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const auto* const raw = reinterpret_cast<const sockaddr*>(&address);
  const int result = port == 0 ? bind(s.fd(), raw, sizeof address) : connect(s.fd(), raw, sizeof address);
  if (result != 0) throw std::runtime_error("no UDP socket on loopback");
  return s;
}

/// Connects to the sender of the first datagram.
Socket accept_datagrams(const ServerSide& side) {
  Socket s = datagrams(0);
  sockaddr_in address{};
  socklen_t length = sizeof address;
  getsockname(s.fd(), reinterpret_cast<sockaddr*>(&address), &length);
  side.ready(std::to_string(ntohs(address.sin_port)));
  char hello = 0;
  length = sizeof address;
  if (recvfrom(s.fd(), &hello, 1, 0, reinterpret_cast<sockaddr*>(&address), &length) != 1 ||
      connect(s.fd(), reinterpret_cast<const sockaddr*>(&address), length) != 0) {
    throw std::runtime_error("no caller");
  }
  return s;
}

Socket connect_udp(const ClientSide& side) {
  Socket s = datagrams(std::stoi(side.address));
  send_all(s, "!", 1, 0);
  return s;
}

}  // namespace

void serve_mix(const ServerSide& side) {
  const Socket caller = side.what.transport == "udp" ? accept_datagrams(side) : accept_one(side);
  std::array<std::uint8_t, Mix::kLargest> message;
  const Loop loop{side.what.calls};
  for (const std::uint64_t messages : {loop.warm_up(), loop.calls, loop.calls}) {
    Mix mix;
    double sum = 0;
    for (std::uint64_t i = 0; i < messages; ++i) {
      const std::size_t bytes = mix.next();
      receive_message(side, caller, message.data(), bytes);
      sum += read_in_full(message.data(), bytes);
      if (mix.is_window_over()) send_all(caller, &sum, sizeof sum, 0);
    }
    send_all(caller, &sum, sizeof sum, 0);
  }
}

Summary call_mix(const ClientSide& side) {
  const Socket server = side.what.transport == "udp" ? connect_udp(side) : connected(side);
  const auto payload = octets_payload(Mix::kLargest);
  Mix mix;
  double sent = 0;
  const auto answered = [&] {
    double sum = 0;
    if (!receive_all(server, &sum, sizeof sum, 0))
      throw std::runtime_error("the other end closed its socket");
    check_total(sum, sent, 1);
  };
  return measure_stream(
      side.loop,
      [&] {
        const std::size_t bytes = mix.next();
        sent += read_in_full(payload.data(), bytes);
        send_all(server, payload.data(), bytes, 0);
        if (mix.is_window_over()) answered();
      },
      [&] {
        answered();
        sent = 0;
        mix = {};
      });
}

}  // namespace orbweaver::bench
