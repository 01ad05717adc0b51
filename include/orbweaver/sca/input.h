#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include <orbweaver/deadline.h>
#include <orbweaver/sca/detail/packet_queue.h>
#include <orbweaver/sca/detail/stream_monitor.h>
#include <orbweaver/sca/samples.h>

namespace orbweaver::sca {

class Component;

/// A packet passed to a component's handler. The samples are valid until the handler returns.
template <class Sample>
struct Packet {
  std::span<const Sample> samples;  ///< At least one.
  double sample_rate_hz;            ///< Hz; 0: unknown.
  std::uint64_t sequence_number;    ///< Number of the packet in its stream, from 0.
};

/// Base of input ports of all sample types.
class InputPort {
 public:
  /// Default capacity of the queue, in packets.
  static constexpr std::size_t kQueuePackets = 64;

  virtual ~InputPort() = default;
  InputPort(const InputPort&) = delete;
  InputPort& operator=(const InputPort&) = delete;

  /// Name of the port; constant. Any thread.
  const std::string& name() const { return name_; }
  /// Type of the samples; constant. Any thread.
  SampleType type() const { return type_; }
  /// Counters of the streams received. Any thread.
  const StreamMonitor& monitor() const { return monitor_; }
  /// Whether all streams that the assembly connects to this port have ended. True if there are none. Any
  /// thread.
  bool at_end() const { return monitor_.all_ended(expected_); }

  /// Removes one packet from the queue and calls the component's handler. False if the queue is empty. By the
  /// component's thread.
  virtual bool process_packet() = 0;
  /// Accepts no more packets; waiting senders return. Any thread.
  virtual void close() = 0;
  /// Capacity of the queue, in packets. The four functions may be called by any thread.
  virtual std::size_t queue_limit() const = 0;
  /// Packets in the queue.
  virtual std::size_t queue_depth() const = 0;
  /// Used places of the queue: packets in it, being added, or in the handler.
  virtual std::size_t queue_used() const = 0;
  /// Largest number of packets that were in the queue.
  virtual std::size_t queue_high_water() const = 0;

 protected:
  /// Adds the port to `owner`, which must outlive it. Throws std::invalid_argument for a name in use.
  InputPort(Component& owner, std::string name, SampleType type);

  EventCount& event_count_;  ///< The component's: wakes its thread when a packet arrives.
  StreamMonitor monitor_;    ///< Counters of the streams received.

 private:
  std::string name_;
  SampleType type_;
  std::size_t expected_;
};

/// Input port of a component: a member of it, with the port's name in the SCD.
///
///     Input<float> in_{*this, "in", [this](const Packet<float>& packet) { … }};
///
/// The handler runs on the component's own thread, as do the handlers of its other inputs, one at a time.
/// Meanwhile further packets wait in the queue; a full queue blocks the sender.
template <class Sample>
class Input final : public InputPort {
 public:
  /// Function called with each packet.
  using Handler = std::function<void(const Packet<Sample>&)>;

  /// `queue_packets`: capacity of the queue. Throws std::invalid_argument for a name in use.
  Input(Component& owner, std::string name, Handler handler, std::size_t queue_packets = kQueuePackets)
      : InputPort(owner, std::move(name), SampleTraits<Sample>::kType), handler_(std::move(handler)),
        queue_(queue_packets, event_count_) {}

  /// Called by the servant: copies the packet into the queue; waits while it is full. Any thread. False once
  /// the port is closed.
  bool accept(const PacketHeader& header, std::span<const Sample> samples) {
    return queue_.put(header, samples);
  }

  bool process_packet() override {
    auto* packet = queue_.take();
    if (packet == nullptr) return false;
    // The latency is measured up to here, where the component's thread receives the packet.
    const bool known = monitor_.see(packet->header, packet->samples.size() * sizeof(Sample), now_ns());
    // The end of a stream is sent in a packet without samples, which the handler does not get.
    if (known && !packet->samples.empty()) {
      handler_({packet->samples, packet->header.sample_rate_hz, packet->header.sequence_number});
    }
    queue_.done(packet);
    return true;
  }
  void close() override { queue_.close(); }
  std::size_t queue_limit() const override { return queue_.limit(); }
  std::size_t queue_depth() const override { return queue_.depth(); }
  std::size_t queue_used() const override { return queue_.used(); }
  std::size_t queue_high_water() const override { return queue_.high_water(); }

 private:
  Handler handler_;
  PacketQueue<Sample> queue_;
};

}  // namespace orbweaver::sca
