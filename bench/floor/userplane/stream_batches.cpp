// Packets over TCP, many with one system call at either end.
#include <sys/socket.h>

#include <cstring>

#include "bench/harness/clock.h"
#include "floors.h"

namespace orbweaver::bench {
namespace {

class StreamBatches final : public PacketOutput {
 public:
  StreamBatches(Socket socket, const UserplaneSettings& settings)
      : socket_(std::move(socket)), delay_ns_(std::int64_t{settings.batch_us} * 1000) {}

  void send(std::span<const std::uint8_t> packet) override {
    if (queue_.empty()) due_ns_ = steady_ns() + delay_ns_;
    queue_.insert(queue_.end(), packet.begin(), packet.end());
    if (queue_.size() >= kBatchBytes) flush();
  }
  void idle(std::int64_t now_ns) override {
    if (!queue_.empty() && now_ns >= due_ns_) flush();
  }
  void flush() override {
    send_all(socket_, queue_.data(), queue_.size(), 0);
    queue_.clear();
  }

 private:
  const Socket socket_;
  const std::int64_t delay_ns_;
  std::vector<std::uint8_t> queue_;
  std::int64_t due_ns_ = 0;
};

}  // namespace

std::unique_ptr<PacketOutput> stream_batches(Socket socket, const UserplaneSettings& settings) {
  return std::make_unique<StreamBatches>(std::move(socket), settings);
}

void receive_stream_batches(const Socket& socket, PacketCheck& check) {
  std::vector<std::uint8_t> buffer(8 * kLargestMessage);
  std::size_t held = 0;
  while (const std::size_t got = receive_some(socket, buffer.data() + held, buffer.size() - held, 0)) {
    held += got;
    std::size_t taken = 0;
    for (std::size_t bytes; held - taken >= (bytes = check.next_bytes()); taken += bytes)
      check.take({buffer.data() + taken, bytes});
    held -= taken;
    std::memmove(buffer.data(), buffer.data() + taken, held);
  }
}

}  // namespace orbweaver::bench
