#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include <orbweaver/deadline.h>
#include <orbweaver/sca/samples.h>
#include <orbweaver/sca/detail/packet_queue.h>
#include <orbweaver/sca/detail/stream_monitor.h>

namespace orbweaver::sca {

class Component;

/// A packet in the hands of a component's handler. The samples are valid until the handler returns.
template <class Sample>
struct Packet {
  std::span<const Sample> samples;
  double sample_rate_hz;  ///< 0: unknown
  std::uint64_t sequence_number;
};

/// What all input ports are, whatever they carry.
class InputPort {
 public:
  /// Packets that a queue holds unless the component says otherwise.
  static constexpr std::size_t kQueuePackets = 64;

  virtual ~InputPort() = default;
  InputPort(const InputPort&) = delete;
  InputPort& operator=(const InputPort&) = delete;

  const std::string& name() const { return name_; }
  SampleType type() const { return type_; }
  const StreamMonitor& monitor() const { return monitor_; }
  /// Whether all streams that the assembly leads here are at their end. True where there are none.
  bool at_end() const { return monitor_.all_ended(expected_); }

  /// Takes one packet from the queue and hands it to the component. False where there is none. By the
  /// processing thread.
  virtual bool serve_one() = 0;
  /// Lets waiting senders go and takes no more packets.
  virtual void close() = 0;
  virtual std::size_t queue_limit() const = 0;
  virtual std::size_t queue_depth() const = 0;
  /// Places of the queue that are taken; one whose packet is in its handler is.
  virtual std::size_t queue_used() const = 0;
  virtual std::size_t queue_high_water() const = 0;

 protected:
  InputPort(Component& owner, std::string name, SampleType type);

  Doorbell& bell_;
  StreamMonitor monitor_;

 private:
  std::string name_;
  SampleType type_;
  std::size_t expected_;
};

/// An input port of a component: a member of it, named as its SCD names the port.
///
///   Input<float> in_{*this, "in", [this](const Packet<float>& packet) { … }};
///
/// The handler runs on the component's own thread; so do the handlers of its other inputs, one at a time.
/// While it works, further packets wait in the queue; a full queue holds the sender.
template <class Sample>
class Input final : public InputPort {
 public:
  using Handler = std::function<void(const Packet<Sample>&)>;

  Input(Component& owner, std::string name, Handler handler, std::size_t queue_packets = kQueuePackets)
      : InputPort(owner, std::move(name), SampleTraits<Sample>::kType),
        handler_(std::move(handler)),
        queue_(queue_packets, bell_) {}

  /// The servant's side: copies the packet into the queue; waits while it is full. Any thread. False once
  /// the port is closed.
  bool accept(const PacketHeader& header, std::span<const Sample> samples) {
    return queue_.put(header, samples);
  }

  bool serve_one() override {
    auto* packet = queue_.take();
    if (packet == nullptr) return false;
    // The latency that is counted ends here: the packet is in the processing thread's hands.
    const bool known =
        monitor_.see(packet->header, packet->samples.size() * sizeof(Sample), now_ns());
    // The end of a stream comes in a packet without samples, which is nothing to the handler.
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
