#pragma once

#include <atomic>
#include <memory>

#include "platform/hangup_watch.h"
#include "platform/message_queue.h"
#include "platform/poll_set.h"
#include "transport/spin_budget.h"
#include "transport/stream/storage.h"
#include "transport/transport.h"

/// One connection over POSIX message queues. docs/formats/mqueue.md is its published format.
namespace orbweaver::transport::mqueues {

/// What begins every message. Numbers are in the machine's byte order: both ends are on one.
struct MessageHeader {
  std::uint32_t kind;
  std::uint32_t zero;
};
inline constexpr std::uint32_t kFrame = 1;  // a whole frame
inline constexpr std::uint32_t kPart = 2;   // a part of a frame that is too large for a message; more follow
inline constexpr std::uint32_t kLast = 3;   // its last part
inline constexpr std::size_t kHeaderBytes = sizeof(MessageHeader);

/// The sizes of message that an end works with, whatever it is handed.
inline constexpr std::size_t kLeastMessageBytes = 512;
inline constexpr std::size_t kMostMessageBytes = std::size_t{1} << 20;

/// The two queues of one end.
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
  bool commits_at_once(std::size_t bytes) const noexcept override {
    return kHeaderBytes + bytes <= queues_.out_message_bytes;
  }
  void abandon() noexcept override {}
  Result<Bytes> receive(Deadline deadline) noexcept override;
  void release() noexcept override;
  int descriptor() noexcept override;
  bool arm() noexcept override;
  void close() noexcept override;
  const Peer& peer() const noexcept override { return peer_; }

 private:
  Result<void> send_one(Bytes message, Deadline deadline) noexcept;
  /// The next message as it came, in `message_`. Kept until release.
  Result<void> fetch(Deadline deadline) noexcept;
  Result<Bytes> next_frame(Deadline deadline) noexcept;
  Result<void> add_part(Bytes part) noexcept;
  /// Sleeps until the queue or the peer's end may have changed. False at the deadline.
  bool sleep(const platform::Fd& queue, unsigned wanted, Deadline deadline) noexcept;
  Error gone() const;

  // Descriptors live until the destructor, so that none becomes another file while a thread waits on it.
  const Queues queues_;
  const platform::Fd socket_;
  const Peer peer_;
  const ChannelOptions options_;
  std::atomic<bool> closed_{false};     // by this end
  std::atomic<bool> peer_gone_{false};  // what it sent can still be received

  Storage outgoing_{limits::kFirstMessageBytes};  // the sender's: room for a header, then the frame
  // The receiver's.
  Storage message_{limits::kFirstMessageBytes};
  std::size_t message_size_ = 0;                  // 0: none is there
  Storage incoming_{limits::kFirstMessageBytes};  // a frame of several parts
  std::size_t assembled_ = 0;                     // bytes of one that has not all arrived
  std::size_t large_received_ = 0;                // bytes of the frame in use, if it came in parts
  SpinBudget spin_;
  std::unique_ptr<platform::PollSet> both_;       // queue and socket, made when somebody first polls

  std::unique_ptr<platform::HangupWatch> watch_;  // last: its callback uses what is above
};

}  // namespace orbweaver::transport::mqueues
