#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <orbweaver/loan.h>
#include <orbweaver/span.h>
#include <orbweaver/streams/bounded_queue.h>
#include <orbweaver/streams/detail/signal_sender.h>
#include <orbweaver/streams/detail/stream_counter.h>
#include <orbweaver/streams/detail/time_limit.h>
#include <orbweaver/streams/payload_limits.h>

namespace orbweaver::streams {

namespace detail {

/// Raises CORBA::BAD_PARAM (0x4f570040): a signal has a nil target.
[[noreturn]] void throw_nil_target();
/// Throws std::invalid_argument: a level for resume signals is larger than the limit of the queue.
[[noreturn]] void throw_bad_resume_level(const char* unit, std::size_t level, std::size_t limit);

}  // namespace detail

/// Control data of a packet: Packet::StreamControlType of the JTNC Packet API 2.0.2.
struct StreamControl {
  bool end_of_stream = false;        ///< The last packet of the stream.
  std::uint16_t stream_id = 0;       ///< The stream.
  std::uint8_t sequence_number = 0;  ///< Of the packet in its stream, modulo 256.
  bool purge = false;                ///< Earlier packets of the stream are to be discarded.
};

/// A packet of a stream. Copies share the payload.
template <class Element>
struct StreamPacket {
  StreamControl control;      ///< Control data.
  HeldView<Element> payload;  ///< The elements: a block of the producer, or a copy.
};

/// Settings of a PacketInput. A plain value.
struct PacketInputOptions {
  QueueLimits limits;    ///< Of the queue; bytes are those of payloads.
  PayloadSizes payload;  ///< Reported to producers; a payload of the maximal size must fit into limits.bytes.
  /// Largest content of the queue, in packets, with which a stopped producer is signalled to resume, at most
  /// the limit; nullopt: half of it. The queue must also have space for a packet of the largest size.
  std::optional<std::size_t> resume_packets{};
  std::optional<std::size_t> resume_bytes{};  ///< As resume_packets, in bytes.
  /// Time for which push() waits for space with WhenFull::block; nullopt: without limit.
  std::optional<std::chrono::milliseconds> push_timeout{};
  Watermarks watermarks{};  ///< Of the queue.
};

/// The part of PacketInput that does not depend on the type of the elements: payload sizes and flow control,
/// for the servants of Packet::PayloadStatus, FlowControl and EmptyControl.
///
/// Signals are sent by a thread of the input, which starts with the first one; a target that blocks or is
/// dead delays other signals, but neither producers nor the consumer. A resume signal that fails is repeated,
/// after 50 ms at first and at most 5 s, until it is sent or its target is disconnected or does not exist
/// (CORBA::OBJECT_NOT_EXIST). Any thread may call these functions.
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
  /// a resume signal follows when it would. Also true once the input is closed: a producer must not wait for
  /// space, but learn from its next push that it is closed.
  bool space_available();

  /// Enables or disables resume signals; they are disabled at first. A resume signal is sent once when the
  /// queue has space or is closed, after space_available() or push() has reported that there is none; a
  /// signal that is due is sent as soon as it is enabled. While they are disabled, none is sent, except one
  /// whose call has begun.
  void enable_resume_signals(bool enabled);
  /// Enables or disables empty signals; they are disabled at first. An empty signal is sent each time that
  /// the consumer takes the last packet of a stream from the queue. Disabling discards signals that are due.
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
  /// Throws std::invalid_argument for payload sizes that are not valid, or larger than `largest`.
  PacketInputControl(const PayloadSizes& payload, std::uint32_t largest) : payload_(payload, largest) {}

  /// Whether the queue has space for a packet of the largest size, or is closed.
  virtual bool has_space() const = 0;
  /// Whether the content of the queue is small enough for a resume signal, or the queue is closed.
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
  detail::SignalSender signals_;
};

/// The consumer's end of a JTNC packet stream: a BoundedQueue of packets with the flow control of the Packet
/// API. orbweaver/streams/jtnc.h has its servants.
///
/// Any number of threads push and take. At its destruction no thread may be in a function of the input, and
/// no servant may use it: close() makes waiting ones return. The destructor waits for a signal that is being
/// sent, at most the time limit of its target (kSignalTimeout), and discards signals that are due: also the
/// resume signal of a close() just before it.
template <class Element>
class PacketInput final : public PacketInputControl {
 public:
  /// An empty input. Throws std::invalid_argument for limits of 0, for payload sizes that are not valid or do
  /// not fit into the queue, for a resume level larger than the limit, for watermarks that are not valid, and
  /// for a negative time-out.
  explicit PacketInput(const PacketInputOptions& options)
      : PacketInputControl(options.payload, largest_payload(options.limits)),
        resume_packets_(resume_level("packets", options.resume_packets, options.limits.packets)),
        resume_bytes_(resume_level("bytes", options.resume_bytes, options.limits.bytes)),
        push_timeout_ns_(detail::limit_ns("packet input: push_timeout", options.push_timeout)),
        queue_(options.limits, options.watermarks) {}

  /// Adds a packet to the queue: holds the payload's block, or a copy (orbweaver::hold). `control.purge`
  /// first discards the packets of the stream that are in the queue, unless the input is closed. A payload
  /// smaller than the minimum is accepted: its producer may have reached its time-out. Results as
  /// BoundedQueue::push; `too_large` also for a payload larger than the maximum. Any thread.
  [[nodiscard]] PushResult push(const StreamControl& control, span<const Element> payload) {
    if (payload.size() > this->payload().sizes().max) {
      ++too_large_;
      return PushResult::too_large;
    }
    if (control.purge && !queue_.closed()) {
      queue_.discard_if(
          [&](const QueueEntry& queued) { return queued.packet.control.stream_id == control.stream_id; });
      resume_if_possible();
    }
    QueueEntry queued{{control, hold(payload)}, {streams_, control.stream_id}};
    const PushResult result = queue_.push(std::move(queued), payload.size_bytes(),
                                          Deadline{detail::add_limit_ns(now_ns(), push_timeout_ns_)});
    if (result == PushResult::queue_full || result == PushResult::timed_out ||
        result == PushResult::interrupted)
      note_stopped();
    return result;
  }

  /// Moves the oldest packet to `packet`. As BoundedQueue::take.
  [[nodiscard]] TakeResult take(StreamPacket<Element>& packet, Deadline deadline = Deadline::never()) {
    QueueEntry queued;
    const TakeResult result = queue_.take(queued, deadline);
    if (result != TakeResult::taken) return result;
    packet = std::move(queued.packet);
    if (queued.stream.is_last()) note_empty(packet.control.stream_id);
    resume_if_possible();
    return result;
  }

  /// As BoundedQueue::close. A producer that waits for a resume signal gets it, pushes again and learns that
  /// the input is closed.
  void close() {
    queue_.close();
    resume_if_possible();
  }
  /// As BoundedQueue::interrupt.
  void interrupt() { queue_.interrupt(); }
  /// As BoundedQueue::clear_interrupt.
  void clear_interrupt() { queue_.clear_interrupt(); }
  /// Content and counters of the queue; `too_large` includes payloads larger than the maximum.
  QueueCounts counts() const {
    QueueCounts counts = queue_.counts();
    counts.too_large += too_large_;
    return counts;
  }

 private:
  struct QueueEntry {
    StreamPacket<Element> packet;
    detail::StreamCounter::Entry stream;
  };
  struct StreamObserver {
    static void added(QueueEntry& queued) noexcept { queued.stream.add(); }
    static void removed(QueueEntry& queued) noexcept { queued.stream.remove(); }
  };

  /// The largest payload, in elements, that fits into the queue.
  static std::uint32_t largest_payload(const QueueLimits& limits) {
    const std::size_t most = std::numeric_limits<std::uint32_t>::max();
    return static_cast<std::uint32_t>(std::min(most, limits.bytes / sizeof(Element)));
  }

  static std::size_t resume_level(const char* unit, std::optional<std::size_t> level, std::size_t limit) {
    if (level.value_or(0) > limit) detail::throw_bad_resume_level(unit, *level, limit);
    return level.value_or(limit / 2);
  }

  bool has_space() const override {
    return queue_.closed() || queue_.has_space(std::size_t{this->payload().sizes().max} * sizeof(Element));
  }
  bool may_resume() const override {
    const QueueCounts counts = queue_.counts();
    const bool is_low = counts.packets <= resume_packets_ && counts.bytes <= resume_bytes_;
    return queue_.closed() || (is_low && has_space());
  }

  const std::size_t resume_packets_;
  const std::size_t resume_bytes_;
  const std::int64_t push_timeout_ns_;
  detail::StreamCounter streams_;
  BoundedQueue<QueueEntry, StreamObserver> queue_;
  std::atomic<std::uint64_t> too_large_{0};
};

}  // namespace orbweaver::streams
