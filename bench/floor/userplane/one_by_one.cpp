// One `send` and one `recv` for each packet, as in the document.
#include <sys/socket.h>

#include <array>

#include "floors.h"

namespace orbweaver::bench {
namespace {

class OneByOne final : public PacketOutput {
 public:
  explicit OneByOne(Socket socket) : socket_(std::move(socket)) {}
  void send(std::span<const std::uint8_t> packet) override {
    send_all(socket_, packet.data(), packet.size(), 0);
  }

 private:
  const Socket socket_;
};

}  // namespace

std::unique_ptr<PacketOutput> one_by_one(Socket socket) {
  return std::make_unique<OneByOne>(std::move(socket));
}

void receive_one_by_one(const Socket& socket, PacketCheck& check, const UserplaneSettings& settings) {
  const bool udp = settings.transport == "udp";
  std::array<std::uint8_t, kLargestMessage> packet;
  for (;;) {
    const std::size_t got = udp ? receive_some(socket, packet.data(), packet.size(), 0)
                                : receive_some(socket, packet.data(), check.next_bytes(), MSG_WAITALL);
    if (got == 0) return;
    check.take({packet.data(), got});
  }
}

}  // namespace orbweaver::bench
