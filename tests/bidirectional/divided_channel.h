#pragma once

#include <gmock/gmock.h>

#include <cstring>
#include <memory>
#include <vector>

#include "base/log.h"
#include "giop/control_messages.h"
#include "orb/bidirectional/split_channel.h"
#include "raw_client.h"
#include "testing/scripted_channel.h"

namespace bidirtest {

using orbtest::ChannelScript;
using orbtest::Octets;
using orbtest::ScriptedChannel;
using orbweaver::Deadline;
using orbweaver::ErrorKind;
using orbweaver::orb::SplitChannel;
using orbweaver::transport::Channel;
using ::testing::HasSubstr;
namespace giop = orbweaver::giop;

/// A deadline that only a hang reaches.
inline Deadline hang() { return Deadline::in_ms(120'000); }

/// A SplitChannel over a scripted channel, with one server's end.
struct DividedChannel : ::testing::Test {
  DividedChannel() {
    orbweaver::log::set_level("warn");
    orbweaver::log::reset_limits();
  }
  static constexpr std::size_t kMaxMessageBytes = std::size_t{4} << 20;

  /// Commits CloseConnection to a server's end, as a connection that ends in order, and closes the end.
  void close_in_order(Channel& end, Deadline deadline) {
    const auto message = giop::close_connection(giop::kGiop12);
    const auto room = end.claim(message.size(), deadline);
    ASSERT_TRUE(room);
    std::memcpy(room->data(), message.data(), message.size());
    ASSERT_TRUE(end.commit(message.size(), deadline));
    end.close();
  }
  /// Sends a message of `bytes` bytes.
  static bool send(Channel& end, std::size_t bytes) {
    const auto room = end.claim(bytes, Deadline::never());
    return room && end.commit(bytes, Deadline::never());
  }
  bool sent_close_connection() {
    const auto frames = script->frames();
    return !frames.empty() &&
           frames.back().at(7) == static_cast<std::uint8_t>(giop::MessageType::close_connection);
  }

  const std::shared_ptr<ChannelScript> script = std::make_shared<ChannelScript>();
  const std::shared_ptr<SplitChannel> split = SplitChannel::make(
      std::make_unique<ScriptedChannel>(script), SplitChannel::Side::acceptor, kMaxMessageBytes);
  std::unique_ptr<Channel> server = split->make_end(SplitChannel::Role::server);
};

}  // namespace bidirtest
