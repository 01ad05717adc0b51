#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <orbweaver/exception.h>
#include <orbweaver/span.h>
#include <orbweaver/streams/bounded_queue.h>
#include <orbweaver/streams/detail/signal_sender.h>
#include <orbweaver/streams/payload_limits.h>

namespace orbweaver::streams {

namespace detail {

/// Raises CORBA::BAD_PARAM (0x4f570040): a signal has a nil target.
[[noreturn]] void throw_nil_target();

}  // namespace detail

/// Control data of a packet: Packet::StreamControlType of the JTNC Packet API 2.0.2.
struct StreamControl {
  bool end_of_stream = false;        ///< The last packet of the stream.
  std::uint16_t stream_id = 0;       ///< The stream.
  std::uint8_t sequence_number = 0;  ///< Of the packet in its stream, modulo 256.
  bool purge = false;                ///< Earlier packets of the stream are to be discarded.
};

/// A packet of a stream.
template <class Element>
struct StreamPacket {
  StreamControl control;         ///< Control data.
  std::vector<Element> payload;  ///< The elements.
};

/// The result of PacketInput::push.
enum class PushStatus {
  accepted,  ///< The packet is in the queue.
  dropped,   ///< The queue is full and drops the newest packet.
  bad_size,  ///< The payload is larger than the maximum.
  blocked,   ///< The queue was full: until the time-out, with WhenFull::raise_transient, or interrupted.
  closed,    ///< The input is closed.
};

/// Settings of a PacketInput. A plain value.
struct PacketInputOptions {
  QueueLimits limits;    ///< Of the queue; bytes are those of payloads.
  PayloadSizes payload;  ///< Reported to producers; a payload of the maximal size must fit into limits.bytes.
  /// Largest content of the queue, in packets, with which a stopped producer is signalled to resume;
  /// kUnlimited: half of the limit. The queue must also have space for a packet of the largest size.
  std::size_t resume_packets = kUnlimited;
  std::size_t resume_bytes = kUnlimited;  ///< As resume_packets, in bytes.
  /// Time for which push() waits for space with WhenFull::block, in milliseconds; -1: without limit.
  std::int64_t push_timeout_ms = -1;
};

/// The part of PacketInput that does not depend on the type of the elements: payload sizes and flow control,
/// for the servants of Packet::PayloadStatus, FlowControl and EmptyControl.
///
/// Signals are sent by a thread of the input, which starts with the first one; a target that blocks or is
/// dead delays other signals, but neither producers nor the consumer. Any thread may call these functions.
class PacketInputControl {
 public:
  virtual ~PacketInputControl() = default;
  PacketInputControl(const PacketInputControl&) = delete;
  PacketInputControl& operator=(const PacketInputControl&) = delete;

  /// Payload sizes, which the consumer may change.
  PayloadLimits& payload() noexcept { return payload_; }
  /// Payload sizes.
  const PayloadLimits& payload() const noexcept { return payload_; }

  /// Whether a packet of the largest size would be accepted now, without waiting and without a loss. If not,
  /// a resume signal follows when it would.
  bool space_available();

  /// Enables or disables resume signals; they are disabled at first. A resume signal is sent once when the
  /// queue has space, after space_available() or push() has reported that it has not; a signal that is due is
  /// sent as soon as it is enabled.
  void enable_resume_signals(bool enabled);
  /// Enables or disables empty signals; they are disabled at first. An empty signal is sent each time that
  /// the consumer takes the last packet of a stream from the queue.
  void enable_empty_signals(bool enabled);

  /// Adds a target of resume signals, or replaces the one of this id. An exception of `target` is logged and
  /// counted. Throws std::invalid_argument for an empty function.
  void connect_resume_signals(const std::string& id, std::function<void()> target);
  /// As connect_resume_signals, for empty signals. The argument is the id of the stream.
  void connect_empty_signals(const std::string& id, std::function<void(std::uint16_t)> target);
  /// Removes a target; a call in progress is not waited for. False if there is none of this id.
  bool disconnect_resume_signals(const std::string& id) { return signals_.disconnect_resume(id); }
  /// As disconnect_resume_signals, for empty signals.
  bool disconnect_empty_signals(const std::string& id) { return signals_.disconnect_empty(id); }

  /// Signals sent so far.
  SignalCounts signal_counts() const { return signals_.counts(); }

 protected:
  /// A packet in the queue, counted for its stream until it is taken or destroyed.
  class QueuedPacketCount {
   public:
    /// Counts nothing.
    QueuedPacketCount() = default;
    /// Counts a packet of `stream_id`.
    QueuedPacketCount(PacketInputControl& input, std::uint16_t stream_id);
    /// Ends the count.
    ~QueuedPacketCount() { (void)end(); }
    /// Moves the count.
    QueuedPacketCount(QueuedPacketCount&& other) noexcept
        : input_(std::exchange(other.input_, nullptr)), stream_id_(other.stream_id_) {}
    /// Moves the count.
    QueuedPacketCount& operator=(QueuedPacketCount&& other) noexcept {
      std::swap(input_, other.input_);
      std::swap(stream_id_, other.stream_id_);
      return *this;
    }

    /// Ends the count. Returns whether the stream has no further packet.
    bool end() noexcept;

   private:
    PacketInputControl* input_ = nullptr;
    std::uint16_t stream_id_ = 0;
  };

  /// Throws std::invalid_argument for payload sizes that are not valid, or larger than `largest`.
  PacketInputControl(const PayloadSizes& payload, std::uint32_t largest) : payload_(payload, largest) {}

  /// Whether the queue has space for a packet of the largest size.
  virtual bool has_space() const = 0;
  /// Whether the content of the queue is small enough for a resume signal.
  virtual bool may_resume() const = 0;

  /// Notes that a producer has been told that there is no space.
  void note_stopped();
  /// Sends the resume signal if it is due.
  void resume_if_possible() noexcept;
  /// The consumer has taken the last packet of a stream.
  void note_empty(std::uint16_t stream_id) noexcept;

 private:
  PayloadLimits payload_;
  std::mutex mutex_;                  // guards the following members; locked before the queue's
  std::atomic<bool> stopped_{false};  // a resume signal is due when there is space; changed under mutex_
  bool resume_enabled_ = false;
  bool empty_enabled_ = false;
  std::map<std::uint16_t, std::size_t> queued_;  // packets in the queue by stream
  detail::SignalSender signals_;
};

/// The consumer's end of a JTNC packet stream: a BoundedQueue of packets with the flow control of the Packet
/// API. orbweaver/streams/jtnc.h has its servants.
///
/// Any number of threads push and take. At its destruction no thread may be in a function of the input, and
/// no servant may use it: close() makes waiting ones return. The destructor waits for a signal that is being
/// sent, at most the time limit of its target (kSignalTimeout), and discards signals that are due.
template <class Element>
class PacketInput final : public PacketInputControl {
 public:
  /// An empty input. Throws std::invalid_argument for limits of 0, and for payload sizes that are not valid
  /// or do not fit into the queue.
  explicit PacketInput(const PacketInputOptions& options)
      : PacketInputControl(options.payload, largest_payload(options.limits)), options_(options),
        queue_(options.limits) {}

  /// Copies a packet into the queue. `control.purge` first discards the packets of the stream that are in the
  /// queue. A payload smaller than the minimum is accepted: its producer may have reached its time-out. Any
  /// thread.
  [[nodiscard]] PushStatus push(const StreamControl& control, span<const Element> payload) {
    if (payload.size() > this->payload().sizes().max) {
      ++bad_size_;
      return PushStatus::bad_size;
    }
    if (control.purge) {
      queue_.discard_if(
          [&](const Queued& queued) { return queued.packet.control.stream_id == control.stream_id; });
      resume_if_possible();
    }
    Queued queued{{control, {payload.begin(), payload.end()}}, {*this, control.stream_id}};
    const PutResult result = put(std::move(queued), payload.size() * sizeof(Element));
    switch (result) {
      case PutResult::accepted: return PushStatus::accepted;
      case PutResult::dropped: return PushStatus::dropped;
      case PutResult::too_large: return PushStatus::bad_size;
      case PutResult::closed: return PushStatus::closed;
      case PutResult::timed_out:
      case PutResult::interrupted: break;
    }
    note_stopped();
    return PushStatus::blocked;
  }

  /// Moves the oldest packet to `packet`. As BoundedQueue::take.
  [[nodiscard]] TakeResult take(StreamPacket<Element>& packet, Deadline deadline = Deadline::never()) {
    Queued queued;
    const TakeResult result = queue_.take(queued, deadline);
    if (result != TakeResult::taken) return result;
    packet = std::move(queued.packet);
    if (queued.count.end()) note_empty(packet.control.stream_id);
    resume_if_possible();
    return result;
  }

  /// As BoundedQueue::close.
  void close() { queue_.close(); }
  /// As BoundedQueue::interrupt.
  void interrupt() { queue_.interrupt(); }
  /// As BoundedQueue::resume.
  void resume() { queue_.resume(); }
  /// Counters of the queue.
  QueueCounts counts() const { return queue_.counts(); }
  /// Packets that push() did not accept because of their size.
  std::uint64_t bad_size() const noexcept { return bad_size_; }

 private:
  struct Queued {
    StreamPacket<Element> packet;
    QueuedPacketCount count;
  };

  /// The largest payload, in elements, that fits into the queue.
  static std::uint32_t largest_payload(const QueueLimits& limits) {
    const std::size_t most = std::numeric_limits<std::uint32_t>::max();
    return static_cast<std::uint32_t>(std::min(most, limits.bytes / sizeof(Element)));
  }

  PutResult put(Queued&& queued, std::size_t bytes) {
    const std::int64_t timeout_ms = options_.push_timeout_ms;
    try {
      return queue_.put(std::move(queued), bytes,
                        timeout_ms < 0 ? Deadline::never() : Deadline::in_ms(timeout_ms));
    } catch (const CORBA::TRANSIENT&) {
      return PutResult::timed_out;
    }
  }

  bool has_space() const override { return queue_.has_space(payload_bytes(this->payload().sizes().max)); }
  bool may_resume() const override {
    const QueueCounts counts = queue_.counts();
    const QueueLimits& limits = queue_.limits();
    return counts.packets <= resume_level(options_.resume_packets, limits.packets) &&
           counts.bytes <= resume_level(options_.resume_bytes, limits.bytes) && has_space();
  }
  static std::size_t resume_level(std::size_t level, std::size_t limit) {
    return level == kUnlimited ? limit / 2 : level;
  }
  static std::size_t payload_bytes(std::uint32_t elements) { return std::size_t{elements} * sizeof(Element); }

  const PacketInputOptions options_;
  BoundedQueue<Queued> queue_;
  std::atomic<std::uint64_t> bad_size_{0};
};

}  // namespace orbweaver::streams
