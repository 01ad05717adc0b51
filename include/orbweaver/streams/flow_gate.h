#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>

#include <orbweaver/deadline.h>

namespace orbweaver::streams {

/// A consumer's answer to a packet.
enum class FlowReply {
  space,     ///< Accepted; there is space for another packet.
  no_space,  ///< Accepted; the producer waits for the resume signal before the next packet.
  rejected,  ///< Not accepted; the producer waits for the resume signal and sends the packet again.
};

/// The result of FlowGate::send.
enum class SendResult {
  sent,       ///< The consumer has accepted the packet.
  timed_out,  ///< No resume signal until the deadline; the consumer has not accepted the packet.
  closed,     ///< close() has been called; the consumer has not accepted the packet.
};

/// Counters of a FlowGate. A plain value.
struct FlowGateCounts {
  std::uint64_t sent = 0;        ///< Packets that the consumer has accepted.
  std::uint64_t rejected = 0;    ///< Times that the consumer did not accept a packet.
  std::uint64_t waited = 0;      ///< Times that send() waited for a resume signal, several for one call.
  std::uint64_t resumes = 0;     ///< Resume signals received.
  std::uint64_t unexpected = 0;  ///< Of these, received while not stopped and without a packet being sent.
};

/// The producer's end of JTNC flow control: makes a producer wait while its consumer has no space. A resume
/// signal that overtakes the reply of a packet is not lost. Each signal too many makes at most one packet be
/// sent too early, which the consumer rejects if it has no space. Any thread; packets of one thread are sent
/// in order.
class FlowGate {
 public:
  /// An open gate. At its destruction no thread may be in a function of it, and no servant may use it:
  /// close() makes waiting calls of send() return.
  FlowGate() = default;
  FlowGate(const FlowGate&) = delete;
  FlowGate& operator=(const FlowGate&) = delete;

  /// Sends one packet by `call()`, which returns the consumer's FlowReply. First waits for the resume signal
  /// if the consumer had no space; if it rejects the packet, waits and calls `call` again. Waits at most
  /// until `deadline`. Exceptions of `call` are passed on, and leave the gate as it was.
  template <class Call>
  [[nodiscard]] SendResult send(Call&& call, Deadline deadline = Deadline::never()) {
    for (;;) {
      std::uint64_t resumes = 0;
      if (const auto ended = begin(deadline, resumes)) return *ended;
      const SendGuard guard{*this};
      if (end(call(), resumes)) return SendResult::sent;
    }
  }

  /// The consumer's resume signal.
  void signal_resume();

  /// Makes waiting and later calls of send() return `closed`. Does not interrupt a `call` in progress.
  void close();

  /// Counters so far.
  FlowGateCounts counts() const;

 private:
  /// Ends begin(), also when an exception is thrown.
  struct SendGuard {
    FlowGate& gate;
    ~SendGuard();
  };

  /// Waits until the gate is open; sets the number of resume signals received before the packet is sent.
  /// Returns the result of send() if the gate does not open.
  std::optional<SendResult> begin(Deadline deadline, std::uint64_t& resumes);
  /// Notes the reply. Returns whether the packet was accepted.
  bool end(FlowReply reply, std::uint64_t resumes);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  FlowGateCounts counts_;
  bool stopped_ = false;          // until counts_.resumes differs from stopped_at_
  std::uint64_t stopped_at_ = 0;  // resume signals before the packet whose reply stopped the producer
  std::uint64_t sending_ = 0;     // calls of send() that wait, or whose `call` is in progress
  bool closed_ = false;
};

}  // namespace orbweaver::streams
