#pragma once

#include <atomic>
#include <memory>

#include "platform/hangup_watch.h"
#include "platform/message_queue.h"
#include "platform/poll_set.h"
#include "transport/mqueue/message_frames.h"
#include "transport/spin_budget.h"
#include "transport/stream/send_storage.h"

/// One connection over POSIX message queues. docs/formats/mqueue.md is its published format.
namespace orbweaver::transport::mqueues {

/// The sizes of message that an end works with, whatever it is handed.
inline constexpr std::size_t kLeastMessageBytes = 512;
inline constexpr std::size_t kMostMessageBytes = std::size_t{1} << 20;

/// The two queues of one end, opened for it alone: a writer of one and the reader of the other.
struct Queues {
  platform::Fd out, in;
  std::size_t out_message_bytes = 0, in_message_bytes = 0;
};

/// One end: a queue for each direction, and the rendezvous socket, whose end tells of the peer's. What is in a
/// queue stays there for its reader when its writer has gone.
class MqueueChannel final : public Channel {
 public:
  MqueueChannel(Queues queues, platform::Fd socket, Peer peer, const ChannelOptions& options);
  ~MqueueChannel() override;
  /// False: there was no descriptor or thread left to watch the peer with, whose death nobody would notice. Such a
  /// channel is not to be used.
  bool is_watched() const noexcept { return watch_->works(); }

  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline) noexcept override;
  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override;
  Result<void> queue(std::size_t bytes, Deadline deadline) noexcept override;
  Result<void> flush(Deadline deadline) noexcept override;
  bool commits_at_once(std::size_t bytes) const noexcept override {
    return kHeaderBytes + bytes <= queues_.out_message_bytes;
  }
  void abandon() noexcept override {}
  Result<Bytes> receive(Deadline deadline) noexcept override;
  void release() noexcept override { frames_.release(); }
  int descriptor() noexcept override;
  bool arm() noexcept override;
  void close() noexcept override;
  const Peer& peer() const noexcept override { return peer_; }
  bool receiving() const noexcept override { return share_.receiving(); }

 private:
  /// One frame, which lies behind `at` bytes of frames that have left.
  Result<void> send_frame(std::size_t at, std::size_t bytes, Deadline deadline);
  Result<void> send_one(std::uint8_t* message, std::uint32_t kind, std::size_t bytes, Deadline deadline);
  /// The next message as it came.
  Result<void> fetch(Deadline deadline);
  Result<Bytes> next_frame(Deadline deadline);
  /// Sleeps until the queue or the peer's end may have changed. False at the deadline.
  bool sleep(const platform::Fd& queue, unsigned wanted, Deadline deadline) noexcept;
  /// One message, or an errno value: EAGAIN where there is none at the deadline; EPIPE where none will come any more.
  platform::IoResult take(MutableBytes room, Deadline deadline) noexcept;
  void wake_receiver() noexcept;
  Error nothing_yet() const;
  Error gone() const;

  // Descriptors live until the destructor, so that none becomes another file while a thread waits on it.
  const Queues queues_;
  const platform::Fd socket_;
  const Peer peer_;
  const ChannelOptions options_;
  std::atomic<bool> closed_{false};     // by this end
  std::atomic<bool> peer_gone_{false};  // what it sent can still be received

  // The sender's: room for a header, then frames that wait, each on a multiple of 8, then the one that is claimed.
  SendStorage outgoing_{limits::kFirstMessageBytes, options_.budget};
  std::size_t queued_ = 0;        // bytes that wait, one message's at most
  std::size_t queued_frames_ = 0;
  ReceiveBudget::Share share_;  // before the frames that tell it, and behind what closing needs
  // The receiver's.
  MessageFrames frames_;
  SpinBudget spin_;
  std::unique_ptr<platform::PollSet> both_;       // queue and socket, made when somebody first polls

  MqueueChannel *next_ = nullptr, *previous_ = nullptr;  // in the list of all channels, guarded by its mutex
  friend bool queues_will_be_free() noexcept;

  std::unique_ptr<platform::HangupWatch> watch_;  // last: its callback uses what is above
};

/// True if a channel of this process has ended, by its peer or this end, and is not yet destroyed: two queues
/// will be free soon. Thread-safe.
bool queues_will_be_free() noexcept;

}  // namespace orbweaver::transport::mqueues
