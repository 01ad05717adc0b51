#pragma once

#include <atomic>
#include <memory>

#include "platform/hangup_watch.h"
#include "platform/message_queue.h"
#include "platform/poll_set.h"
#include "transport/mqueue/message_frames.h"
#include "transport/spin_budget.h"
#include "transport/stream/send_buffer.h"

/// One connection over POSIX message queues. docs/formats/mqueue.md is its published format.
namespace orbweaver::transport::mqueue {

/// Permitted message sizes, checked also for queues received from a server.
inline constexpr std::size_t kMinQueueMessageBytes = 512;
inline constexpr std::size_t kMaxQueueMessageBytes = std::size_t{1} << 20;

/// The two queues of one end, opened for this connection: one for writing, one for reading.
struct Queues {
  platform::Fd out, in;
  std::size_t out_message_bytes = 0, in_message_bytes = 0;
};

class MqueueChannel;

/// Entry of the list of all channels of the process: from the end of its channel's constructor until the
/// queues of the channel are closed.
class ChannelEntry {
 public:
  ChannelEntry() = default;
  ~ChannelEntry();
  ChannelEntry(const ChannelEntry&) = delete;
  ChannelEntry& operator=(const ChannelEntry&) = delete;
  void add(MqueueChannel& channel) noexcept;
  /// From here on queues_will_be_free() does not use the channel.
  void begin_destruction() noexcept;

 private:
  friend bool queues_will_be_free() noexcept;
  // All members are guarded by the mutex of the list.
  MqueueChannel* channel_ = nullptr;  // null: its destruction has begun
  bool listed_ = false;
  ChannelEntry *next_ = nullptr, *previous_ = nullptr;
};

/// One end of a connection: a queue for each direction, and the rendezvous socket, which hangs up when the
/// peer ends. Messages in a queue can still be received after its writer has ended.
class MqueueChannel final : public Channel, private BatchedSending, private Readiness, private ReceiveStatus {
 public:
  MqueueChannel(Queues queues, platform::Fd socket, Peer peer, const ChannelOptions& options);
  ~MqueueChannel() override;
  /// False if no descriptor or thread is left to watch the peer, so that its death would go unnoticed. Such a
  /// channel must not be used.
  bool is_watched() const noexcept { return watch_->works(); }

  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline) noexcept override;
  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override;
  void abandon() noexcept override {}
  Result<Bytes> receive(Deadline deadline) noexcept override;
  void release() noexcept override { frames_.release(); }
  void close() noexcept override;
  const Peer& peer() const noexcept override { return peer_; }

 private:
  Result<void> queue(std::size_t bytes, Deadline deadline) noexcept override;
  Result<void> flush(Deadline deadline) noexcept override;
  int descriptor() noexcept override;
  bool arm() noexcept override;
  bool commits_without_waiting(std::size_t bytes) const noexcept override {
    return kHeaderBytes + bytes <= queues_.out_message_bytes;
  }
  bool has_partial_frame() const noexcept override { return share_.receiving(); }

  /// Sends one frame, which begins `at` bytes into the outgoing buffer.
  Result<void> send_frame(std::size_t at, std::size_t bytes, Deadline deadline);
  Result<void> send_one(std::uint8_t* message, std::uint32_t kind, std::size_t bytes, Deadline deadline);
  /// Receives the next message into `frames_`.
  Result<void> fetch_message(Deadline deadline);
  /// The same without waiting, or with a wait in the queue if there is no deadline. False: there is none.
  Result<bool> try_fetch_message(MutableBytes room, Deadline deadline);
  /// Polls as WaitStrategy says. False: sleep instead.
  Result<bool> spin_for_message(MutableBytes room, Deadline deadline);
  Result<bool> sleep_for_message(MutableBytes room, Deadline deadline);
  Result<Bytes> next_frame(Deadline deadline);
  /// Sleeps until the queue or the socket may be ready. False at the deadline.
  bool sleep(const platform::Fd& queue, unsigned events, Deadline deadline) noexcept;
  /// Receives one message, or returns an errno value: EAGAIN if there is none at the deadline; EPIPE if none
  /// will come any more.
  platform::IoResult take(MutableBytes room, Deadline deadline) noexcept;
  void wake_receiver() noexcept;
  Error deadline_error() const;
  Error disconnected_error() const;

  ChannelEntry entry_;  // first: destroyed after the queues
  // Descriptors live until the destructor, so that no number is reused while a thread waits on it.
  const Queues queues_;
  const platform::Fd socket_;
  const Peer peer_;
  const ChannelOptions options_;
  std::atomic<bool> closed_{false};             // by this end
  std::atomic<bool> peer_disconnected_{false};  // frames already in the queue can still be received

  // Of the sending thread: space for a header, the queued frames, each at a multiple of 8, then the claimed
  // frame.
  SendBuffer outgoing_{limits::kFirstMessageBytes, options_.budget};
  std::size_t queued_ = 0;  // queued bytes, at most one message
  std::size_t queued_frames_ = 0;
  ReceiveBudget::Share share_;  // before frames_, which uses it, and after the members that closing needs
  // Of the receiving thread.
  MessageFrames frames_;
  SpinBudget spin_;
  std::unique_ptr<platform::PollSet> poll_set_;  // queue and socket; created at the first poll

  friend bool queues_will_be_free() noexcept;

  std::unique_ptr<platform::HangupWatch> watch_;  // last: its callback uses the members above
};

/// True if a channel of this process has ended, by its peer or this end, and its queues are not yet closed:
/// two queues will be free soon. False: the queues of every ended channel are closed. Thread-safe.
bool queues_will_be_free() noexcept;

}  // namespace orbweaver::transport::mqueue
