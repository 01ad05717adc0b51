#pragma once

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/receive_budget.h"
#include "giop/message.h"
#include "transport/plugins.h"

namespace orbtest {

namespace transport = orbweaver::transport;
using orbweaver::ReceiveBudget;
using transport::Channel;
using transport::Deadline;

inline bool has_partial_frame(const Channel& channel) {
  return channel.capabilities().receive_status->has_partial_frame();
}

/// Both ends of a connection. The receiving end has `budget`, and a limit of `most_bytes` for frames.
struct ConnectedPair {
  ConnectedPair(const std::string& name, std::shared_ptr<ReceiveBudget> budget,
                std::size_t most_bytes = std::size_t{16} << 20) {
    transport::ChannelOptions options;
    options.frame_length = &orbweaver::giop::frame_length;
    options.ring_bytes = 65536;
    options.max_frame_bytes = std::size_t{16} << 20;
    transport::ChannelOptions counted = options;
    counted.budget = std::move(budget);
    counted.max_frame_bytes = most_bytes;
    acceptor = std::move(*transport::find(name)->listen("", counted));
    std::string failure;
    std::thread connecting([&] {
      auto connected = transport::find(name)->connect(acceptor->address(), options, Deadline::in_ms(120'000));
      if (connected) {
        near = std::move(*connected);
      } else {
        failure = connected.error().message;
        acceptor->close();  // ends accept()
      }
    });
    auto accepted = acceptor->accept();
    connecting.join();
    if (!accepted || !near) throw std::runtime_error("no connection over " + name + ": " + failure);
    far = std::move(*accepted);
  }
  std::unique_ptr<transport::Acceptor> acceptor;
  std::unique_ptr<Channel> near, far;
};

/// Sends the first `sent_bytes` of a GIOP message of `bytes` in one frame; only a channel over a stream of
/// bytes can send less than the whole message.
inline orbweaver::Result<void> send(Channel& channel, std::size_t bytes, Deadline deadline,
                                    std::size_t sent_bytes) {
  auto buffer = channel.claim(sent_bytes, deadline);
  if (!buffer) return buffer.take_error();
  const std::uint8_t header[8] = {'G', 'I', 'O', 'P', 1, 2, orbweaver::giop::kThisMachineIsLittleEndian, 0};
  const auto body = static_cast<std::uint32_t>(bytes - 12);
  std::memset(buffer->data(), 0, sent_bytes);
  std::memcpy(buffer->data(), header, 8);
  std::memcpy(buffer->data() + 8, &body, 4);
  return channel.commit(sent_bytes, deadline);
}
/// Sends a GIOP message of `bytes` in one frame.
inline orbweaver::Result<void> send(Channel& channel, std::size_t bytes, Deadline deadline) {
  return send(channel, bytes, deadline, bytes);
}

/// Age of late messages, for ReceiveBudget::end_timed_out: every incomplete frame is late.
inline constexpr std::int64_t kExpired_ms = -3'600'000;

}  // namespace orbtest
