#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include <orbweaver/deadline.h>
#include <orbweaver/sca/detail/metadata_table.h>
#include <orbweaver/sca/detail/packet_queue.h>
#include <orbweaver/sca/detail/stream_monitor.h>
#include <orbweaver/sca/samples.h>

namespace orbweaver::sca {

class Component;

/// A packet passed to a component's handler. The samples are valid until the handler returns. They may lie in
/// shared memory, which cannot be written to; pushed on unchanged, or in part, they are not copied.
template <class Sample>
struct Packet {
  std::span<const Sample> samples;  ///< At least one.
  double sample_rate_hz;            ///< Hz; 0: unknown.
  std::uint64_t sequence_number;    ///< Number of the packet in its stream, from 0.
  /// What the sender has said of the stream by Output::set_metadata; null if nothing. Valid as the samples.
  const StreamMetadata* metadata = nullptr;
  bool metadata_changed = false;  ///< This is the first packet with that metadata: their `start` is its time.
  std::uint64_t stream_id = 0;    ///< Of the connection; 0 if its sender tells none (OSSIE).
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
  /// The IDL of the port; constant. Any thread.
  PortInterface port_interface() const { return interface_; }
  /// Counters of the streams received. Any thread.
  const StreamMonitor& monitor() const { return monitor_; }
  /// Whether all streams that the assembly connects to this port have ended. True if there are none. Any
  /// thread.
  bool at_end() const { return monitor_.all_ended(expected_.load(std::memory_order_relaxed)); }
  /// Sets the number of streams that the assembly connects to this port; initially that of
  /// Context::streams_expected(). Any thread, before the component is started.
  void expect_streams(std::size_t count) { expected_.store(count, std::memory_order_relaxed); }

  /// Sets the function that is called with the stream id after the last packet of each stream, once, on the
  /// thread of the handler. By the constructor of the component.
  void on_stream_end(std::function<void(std::uint64_t stream_id)> function) {
    stream_end_ = std::move(function);
  }

  /// Removes one packet from the queue and calls the component's handler. False if the queue is empty. By the
  /// component's thread.
  virtual bool process_packet() = 0;
  /// Accepts no more packets; waiting senders return. Any thread.
  virtual void close() = 0;
  /// Destroys the packets in the queue and releases their blocks. While the component's thread does not run.
  virtual void discard() = 0;
  /// Bytes of samples copied into the queue, because they were not in shared memory. Any thread, as the next
  /// three.
  virtual std::uint64_t copied_bytes() const = 0;
  /// Capacity of the queue, in packets.
  virtual std::size_t queue_limit() const = 0;
  /// Packets in the queue.
  virtual std::size_t queue_depth() const = 0;
  /// Largest number of packets that were in the queue.
  virtual std::size_t queue_high_water() const = 0;
  /// Largest number of keywords of a stream's metadata.
  static constexpr std::size_t kMaxKeywords = 1000;
  /// Called by the servant: sets the metadata of a stream's later packets. Ignored if there are more keywords
  /// than kMaxKeywords, or more streams than StreamMonitor::kMaxStreams. Any thread.
  void accept_metadata(std::uint64_t stream_id, StreamMetadata metadata) {
    if (metadata.keywords.size() > kMaxKeywords) return;
    metadata_.set(stream_id, std::move(metadata), StreamMonitor::kMaxStreams);
  }

  /// Whether packets are handled by direct calls, on the thread of the sender; constant. Any thread.
  bool is_direct() const { return direct_; }

 protected:
  /// Adds the port to `owner`, which must outlive it. Throws std::invalid_argument for a name in use.
  InputPort(Component& owner, std::string name, SampleType type, PortInterface interface);

  /// Calls the function of on_stream_end().
  void end_stream(std::uint64_t stream_id) {
    if (stream_end_) stream_end_(stream_id);
  }

  /// Begins a direct call: waits until the component runs and none of its functions does, and gives this
  /// thread the component's turn. False once the inputs are closed.
  bool begin_call();
  /// Ends a direct call. `end_of_stream`: its packet was the last of its stream.
  void end_call(bool end_of_stream) noexcept;
  /// Ends a direct call whose handler has thrown. In the catch block.
  void fail_call();

  EventCount& event_count_;  ///< The component's: wakes its thread when a packet arrives.
  StreamMonitor monitor_;    ///< Counters of the streams received.
  MetadataTable metadata_;   ///< Of the streams received.

 private:
  Component& owner_;
  std::string name_;
  SampleType type_;
  PortInterface interface_;
  bool direct_;
  std::function<void(std::uint64_t)> stream_end_;
  const char* senders_crash_text_ = nullptr;  // during a direct call
  std::atomic<std::size_t> expected_;
};

/// Input port of a component: a member of it, with the port's name in the SCD.
///
///     Input<float> in_{*this, "in", [this](const Packet<float>& packet) { … }};
///
/// The handler runs on the component's own thread, as do the handlers of its other inputs, one at a time.
/// Meanwhile further packets wait in the queue; a full queue blocks the sender. The handler of a direct input
/// (DIRECT_INPUTS in the assembly) runs on the thread of the sender instead, still one at a time.
template <class Sample>
class Input : public InputPort {
 public:
  /// Function called with each packet.
  using Handler = std::function<void(const Packet<Sample>&)>;

  /// `queue_packets`: capacity of the queue. Throws std::invalid_argument for a name in use.
  Input(Component& owner, std::string name, Handler handler, std::size_t queue_packets = kQueuePackets)
      : Input(owner, std::move(name), std::move(handler), queue_packets, PortInterface::stream) {
    static_assert(SampleTraits<Sample>::kIsInStream, "only OssieInput has samples of this type");
  }

  /// Called by the servant: adds the packet to the queue; waits while it is full. Samples in a block of
  /// shared memory are held until the handler has returned, others are copied. A direct input handles the
  /// packet here. Any thread. False once the port is closed.
  bool accept(const PacketHeader& header, std::span<const Sample> samples) {
    if (!is_direct()) return queue_.push(header, samples, metadata_.take(header.stream_id));
    if (!begin_call()) return false;
    try {
      handle(header, samples, metadata_.take(header.stream_id));
    } catch (...) {
      fail_call();
      return false;
    }
    end_call(header.end_of_stream);
    return true;
  }

  bool process_packet() override {
    ReceivedPacket<Sample> packet;
    if (!queue_.take(packet)) return false;
    handle(packet.header, packet.samples, packet.metadata);
    queue_.done(std::move(packet));
    return true;
  }
  void close() override { queue_.close(); }
  void discard() override { queue_.discard(); }
  std::uint64_t copied_bytes() const override { return queue_.copied_bytes(); }
  std::size_t queue_limit() const override { return queue_.limit(); }
  std::size_t queue_depth() const override { return queue_.depth(); }
  std::size_t queue_high_water() const override { return queue_.high_water(); }

 protected:
  /// A port with the IDL `interface`. Otherwise as the public constructor.
  Input(Component& owner, std::string name, Handler handler, std::size_t queue_packets,
        PortInterface interface)
      : InputPort(owner, std::move(name), SampleTraits<Sample>::kType, interface),
        handler_(std::move(handler)), queue_(queue_packets, event_count_) {}

 private:
  void handle(const PacketHeader& header, std::span<const Sample> samples, const CurrentMetadata& current) {
    // The latency is measured up to here, where the packet reaches the component.
    const StreamMonitor::Seen seen = monitor_.see(header, samples.size_bytes(), now_ns());
    // The end of a stream is sent in a packet without samples, which the handler does not get.
    if (seen.is_known && !samples.empty()) {
      handler_({samples, header.sample_rate_hz, header.sequence_number, current.metadata.get(),
                current.changed, header.stream_id});
    }
    if (seen.has_ended_now) end_stream(header.stream_id);
  }

  Handler handler_;
  PacketQueue<Sample> queue_;
};

}  // namespace orbweaver::sca
