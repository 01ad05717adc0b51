#pragma once

#include <orbweaver/detail/blocks.h>
#include <orbweaver/detail/cdr/scratch.h>
#include <orbweaver/loan.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <utility>
#include <vector>

#include "giop/message.h"
#include "orb/server/reactor.h"
#include "orb/server/reply_queue.h"
#include "orb/server/reply_sender.h"
#include "orb/server/served_request.h"

namespace orbweaver::orb {

/// Request that is served outside of its connection's turn. Owns a copy of its message: the frame is released
/// before the request is served, so that the next one can be read.
class DetachedRequest final : private BlockReceiver {
 public:
  /// Copies `message`, and imports its blocks from `blocks`, unless null. In the turn that reads the message.
  /// `replies` is that of the connection, with a ReplyQueue. `may_wait`: see ServedRequest. `queue`: into
  /// which the request is put; null: none. All references outlive this.
  DetachedRequest(Bytes message, const giop::MessageHeader& header, BlockReceiver* blocks,
                  const ReplySender& replies, std::unique_ptr<ServiceBudget::Share> share,
                  bool may_wait = false, std::shared_ptr<RequestQueue> queue = nullptr)
      : share_(std::move(share)), message_(message.begin(), message.end()), replies_(replies.for_request()),
        header_(header), queue_(std::move(queue)), served{replies_, nullptr, may_wait, true, &queue_, true} {
    if (blocks != nullptr && !header.swaps()) import_blocks(*blocks);
    served.block_receiver = imported_.empty() ? nullptr : this;
  }

  Bytes message() const noexcept { return message_; }
  const giop::MessageHeader& header() const noexcept { return header_; }

 private:
  struct ImportedBlock {
    BlockDescription description;
    const void* data;
    detail::BlockRef block;
  };
  /// Imports all blocks that the message describes. In the turn: grants are imported in the order of their
  /// export, while requests are decoded in any order.
  void import_blocks(BlockReceiver& channel_receiver);
  /// See BlockReceiver: the view stays valid as long as this request.
  const void* import_block(const BlockDescription& description, std::size_t bytes,
                           std::size_t alignment) noexcept override;

  const std::unique_ptr<ServiceBudget::Share> share_;  // counts the message; null: too small to be counted
  const std::vector<std::uint8_t> message_;
  ReplySender replies_;
  std::vector<ImportedBlock> imported_;
  const giop::MessageHeader header_;
  std::shared_ptr<RequestQueue> queue_;

 public:
  cdr::Scratch scratch;
  ServedRequest served;
  /// Reactor::resume_count before the lookup that found the POA manager holding.
  std::uint64_t resume_count = 0;
};

/// Requests of one connection that are not served in its turns. With -ORBThreads unordered:N, all of them:
/// those that wait for a thread, those in work, and those held by a POA manager; together at most as many as
/// the limit. Under each thread policy, those in the request queues of objects. Thread-safe.
class ConcurrentRequests {
 public:
  struct Settings {
    Reactor* reactor;       ///< Null: the connection has a thread of its own.
    EventHandler* handler;  ///< Of the connection; null without a reactor.
    /// Largest number of requests of the connection that threads of the pool serve at a time, and of replies
    /// that wait for the client before no further message is read.
    std::size_t max_requests;
  };
  /// `parked` is set while the turn is parked, so that messages are not read. `on_idle` is called with a lock
  /// held, by any thread, when no turn and no request is in progress and all replies have been sent. If it
  /// returns false, the connection is to be closed: `close` is called without the lock. All references
  /// outlive this.
  ConcurrentRequests(const Settings& settings, transport::Channel& channel, const Peer& peer,
                     ServiceBudget::Share& budget, std::atomic<bool>& parked, std::function<bool()> on_idle,
                     std::function<void()> close);

  /// The task of the turn that begins.
  enum class Next : std::uint8_t {
    message,   ///< Read a message.
    detached,  ///< Serve a held request, which is now detached.
    nothing,   ///< Park until a request has ended, the replies are sent or a POA manager changes its state.
  };
  Next next();

  /// Begins and ends the service of a message in a turn; `before` is called with the lock held.
  void begin_turn(const std::function<void()>& before);
  void end_turn();

  /// Adds a request. By a turn.
  void detach(std::list<DetachedRequest>&& request);
  /// Takes a request; there is one for each call of `detach` and each Next::detached.
  std::list<DetachedRequest> take();
  /// Keeps a request whose POA manager is holding.
  void hold(std::list<DetachedRequest>&& request);
  /// Called when a request has been served and destroyed.
  void end_request();
  /// Drops the requests held by POA managers.
  void drop_held();

  /// Begins and ends a request in the queue of an object. A connection with its own thread may be destroyed
  /// after the last `end_queued`.
  void begin_queued();
  void end_queued();
  /// Causes another turn of a parked connection. Any thread.
  void resume();
  /// Waits for `resume`. For the connection's own thread, as `wait_for_queued`, which returns when no request
  /// is in a queue, no reply waits for the client, and no thread closes the connection.
  void wait();
  void wait_for_queued();
  /// Whether a turn or a request is in progress, replies wait for the client, or a thread closes the
  /// connection.
  bool in_progress();

  /// Notes a CancelRequest. Of ids without a request, at most as many are kept as there are requests, until
  /// there is none.
  void cancel(std::uint32_t request_id);
  /// Whether the request that begins has been cancelled. Forgets its id.
  bool take_cancelled(std::uint32_t request_id) noexcept;

  std::uint64_t resume_count() const noexcept {
    return settings_.reactor != nullptr ? settings_.reactor->resume_count() : 0;
  }
  ReplyQueue& replies() noexcept { return replies_; }

 private:
  // With the lock, which is released while the connection is closed:
  void end_part(std::unique_lock<std::mutex>& lock);
  void become_idle(std::unique_lock<std::mutex>& lock);

  const Settings settings_;
  const std::function<bool()> on_idle_;
  const std::function<void()> close_;
  std::mutex mutex_;  // guards the rest
  std::list<DetachedRequest> detached_;
  std::list<DetachedRequest> held_;
  std::size_t requests_ = 0;                     // detached, in work and held
  std::size_t queued_ = 0;                       // in the queues of objects
  std::size_t parts_ = 0;                        // requests_, queued_, and the turn
  int closing_ = 0;                              // threads that call close_
  std::unordered_set<std::uint32_t> cancelled_;  // by CancelRequest, and not begun then
  std::atomic<bool> has_cancelled_{false};
  bool resumed_ = false;  // `resume` was called without a reactor
  std::condition_variable changed_;
  std::atomic<bool>& parked_;  // written with the lock held
  ReplyQueue replies_;         // last: its thread uses the members above
};

}  // namespace orbweaver::orb
