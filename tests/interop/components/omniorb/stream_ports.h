// Ports of Orbweaver's streams (Stream.idl) in a component on omniORB: docs/foreign-components.md.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "CF.hh"
#include "Stream.hh"

namespace stage {

/// Samples and the sample rate of a packet.
using Handler = std::function<void(const orbweaver::stream::Floats& samples, double sample_rate_hz)>;

/// Time of the clock of StreamHeader::sent_ns and of the statistics, in nanoseconds.
CORBA::LongLong now_ns();

/// Counts what one connection has received.
class StreamCounter {
 public:
  /// Counts a packet. The packet that ends a stream counts only if it has samples.
  void see(const orbweaver::stream::StreamHeader& header, CORBA::ULong samples);
  orbweaver::stream::StreamStatistics statistics() const { return counts_; }
  bool ended() const { return counts_.end_of_stream; }

 private:
  orbweaver::stream::StreamStatistics counts_{};
  CORBA::ULongLong next_number_ = 0;  // above the highest one received
};

/// Receives a stream: calls the handler on the thread of the request. A sender waits meanwhile, and while the
/// component is not started.
class StreamInput : public POA_orbweaver::stream::FloatInput {
 public:
  using MetadataHandler = std::function<void(const orbweaver::stream::StreamMetadata&)>;

  /// `at_end` is called once, when all streams received have ended.
  StreamInput(Handler handler, MetadataHandler metadata, std::function<void()> at_end)
      : handler_(std::move(handler)), metadata_(std::move(metadata)), at_end_(std::move(at_end)) {}

  void pushPacket(const orbweaver::stream::StreamHeader& header,
                  const orbweaver::stream::Floats& samples) override;
  void pushMetadata(CORBA::ULongLong stream_id, const orbweaver::stream::StreamMetadata& metadata) override;
  orbweaver::stream::InputStatistics* statistics() override;
  CORBA::ULongLong copied_bytes() override { return 0; }

  void start();
  void stop();
  /// Lets waiting senders return; later packets are ignored.
  void close();

 private:
  Handler handler_;
  MetadataHandler metadata_;
  std::function<void()> at_end_;
  std::mutex handling_;  // one packet at a time; senders have threads of their own
  std::mutex mutex_;     // for the following
  std::condition_variable changed_;
  bool started_ = false, closed_ = false;
  std::vector<std::pair<CORBA::ULongLong, StreamCounter>> streams_;
};

/// Sends a stream to every connected input.
class StreamOutput : public POA_CF::Port {
 public:
  void connectPort(CORBA::Object_ptr connection, const char* connectionId) override;
  void disconnectPort(const char* connectionId) override;

  /// Sends a packet, and returns when all receivers have room for it. By one thread at a time.
  void push(const orbweaver::stream::Floats& samples, double sample_rate_hz);
  /// Sends the metadata of the following packets.
  void push_metadata(const orbweaver::stream::StreamMetadata& metadata);
  /// Sends the end of the stream.
  void end();

 private:
  struct Connection {
    std::string id;
    orbweaver::stream::FloatInput_var input;
    CORBA::ULongLong next_number = 0;
    bool broken = false;
  };

  void send(const orbweaver::stream::Floats& samples, double sample_rate_hz, CORBA::ULong flags);
  std::vector<std::shared_ptr<Connection>> connections();

  std::mutex mutex_;
  std::vector<std::shared_ptr<Connection>> connections_;
};

}  // namespace stage
