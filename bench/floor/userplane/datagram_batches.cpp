// Packets over UDP, many with one system call at either end: sendmmsg and recvmmsg, and generic segmentation
// and receive offload, with which the kernel handles several datagrams as one.
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "bench/harness/clock.h"
#include "floors.h"

namespace orbweaver::bench {
namespace {

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

constexpr std::size_t kMostSegments = 64, kMostRunBytes = 60'000;  // limits of the kernel, of IP
constexpr std::size_t kMessages = 64, kMessageBytes = std::size_t{64} << 10;

/// Room for one control message with an integer, and the header of a message with one buffer.
struct Message {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  iovec data{};
};

void use(mmsghdr& header, Message& message) {
  header = {};
  header.msg_hdr.msg_iov = &message.data;
  header.msg_hdr.msg_iovlen = 1;
  header.msg_hdr.msg_control = message.control.data();
  header.msg_hdr.msg_controllen = message.control.size();
}

class DatagramBatches final : public PacketOutput {
 public:
  DatagramBatches(Socket socket, const UserplaneSettings& settings)
      : socket_(std::move(socket)), delay_ns_(std::int64_t{settings.batch_us} * 1000) {}

  void send(std::span<const std::uint8_t> packet) override {
    if (sizes_.empty()) due_ns_ = steady_ns() + delay_ns_;
    queue_.insert(queue_.end(), packet.begin(), packet.end());
    sizes_.push_back(packet.size());
    if (queue_.size() >= kBatchBytes) flush();
  }
  void idle(std::int64_t now_ns) override {
    if (!sizes_.empty() && now_ns >= due_ns_) flush();
  }
  void flush() override {
    std::size_t count = 0;
    std::uint8_t* next = queue_.data();
    for (std::size_t i = 0; i < sizes_.size(); ++count) {
      if (count == kMessages) {
        send_messages(count);
        count = 0;
      }
      i += add_run(count, i, next);
    }
    send_messages(count);
    queue_.clear();
    sizes_.clear();
  }

 private:
  /// Message `slot` has the packets from `first` on that can be segments of one: of the same size, except
  /// that the last one may be smaller. Advances `next` and returns their number.
  std::size_t add_run(std::size_t slot, std::size_t first, std::uint8_t*& next) {
    const std::size_t size = sizes_[first];
    std::size_t count = 1, bytes = size;
    while (count < kMostSegments && first + count < sizes_.size()) {
      const std::size_t another = sizes_[first + count];
      if (another > size || bytes + another > kMostRunBytes) break;
      bytes += another;
      ++count;
      if (another < size) break;
    }
    use(headers_[slot], messages_[slot]);
    messages_[slot].data = {next, bytes};
    msghdr& header = headers_[slot].msg_hdr;
    if (count == 1) {
      header.msg_control = nullptr;
      header.msg_controllen = 0;
    } else {
      const auto segment = static_cast<std::uint16_t>(size);
      header.msg_controllen = CMSG_SPACE(sizeof segment);
      cmsghdr* const option = CMSG_FIRSTHDR(&header);
      option->cmsg_level = SOL_UDP;
      option->cmsg_type = UDP_SEGMENT;
      option->cmsg_len = CMSG_LEN(sizeof segment);
      std::memcpy(CMSG_DATA(option), &segment, sizeof segment);
    }
    next += bytes;
    return count;
  }

  void send_messages(std::size_t count) {
    for (std::size_t sent = 0; sent < count;) {
      const int result =
          sendmmsg(socket_.fd(), &headers_[sent], static_cast<unsigned>(count - sent), MSG_NOSIGNAL);
      if (result < 0 && errno != EINTR) fail("sendmmsg with UDP_SEGMENT");
      if (result > 0) sent += static_cast<std::size_t>(result);
    }
  }

  const Socket socket_;
  const std::int64_t delay_ns_;
  std::vector<std::uint8_t> queue_;  // packets, one behind the other
  std::vector<std::size_t> sizes_;
  std::int64_t due_ns_ = 0;
  std::array<mmsghdr, kMessages> headers_{};
  std::array<Message, kMessages> messages_;
};

/// Size of the datagrams that were joined to this message; that of the message if it is one datagram.
std::size_t segment_bytes(msghdr& header, std::size_t bytes) {
  for (cmsghdr* option = CMSG_FIRSTHDR(&header); option; option = CMSG_NXTHDR(&header, option)) {
    if (option->cmsg_level != SOL_UDP || option->cmsg_type != UDP_GRO) continue;
    int segment = 0;
    std::memcpy(&segment, CMSG_DATA(option), sizeof segment);
    if (segment > 0) return static_cast<std::size_t>(segment);
  }
  return bytes;
}

}  // namespace

std::unique_ptr<PacketOutput> datagram_batches(Socket socket, const UserplaneSettings& settings) {
  return std::make_unique<DatagramBatches>(std::move(socket), settings);
}

void receive_datagram_batches(const Socket& socket, PacketCheck& check) {
  const int on = 1;
  if (setsockopt(socket.fd(), SOL_UDP, UDP_GRO, &on, sizeof on) != 0) fail("UDP_GRO");
  std::vector<std::uint8_t> buffer(kMessages * kMessageBytes);
  std::array<mmsghdr, kMessages> headers{};
  std::array<Message, kMessages> messages;
  for (;;) {
    for (std::size_t i = 0; i < kMessages; ++i) {
      use(headers[i], messages[i]);
      messages[i].data = {buffer.data() + i * kMessageBytes, kMessageBytes};
    }
    const int got = recvmmsg(socket.fd(), headers.data(), kMessages, MSG_WAITFORONE, nullptr);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("recvmmsg");
    for (std::size_t i = 0; i < static_cast<std::size_t>(got); ++i) {
      const auto* const data = static_cast<const std::uint8_t*>(messages[i].data.iov_base);
      const std::size_t bytes = headers[i].msg_len, segment = segment_bytes(headers[i].msg_hdr, bytes);
      for (std::size_t taken = 0; taken < bytes; taken += segment)
        check.take({data + taken, std::min(segment, bytes - taken)});
    }
  }
}

}  // namespace orbweaver::bench
