#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <optional>
#include <thread>
#include <vector>

#include <orbweaver/deadline.h>

#include "giop/message.h"

namespace orbweaver::orb {

/// The requests that have arrived over a bidirectional connection, and the lanes that serve them: server
/// connections, each with a thread. Several are needed because a request may depend on another one of the
/// same connection: its upcall calls the peer, which calls back over this connection before it replies.
///
/// A request begins when no one-way request is being executed: while two-way requests are, their callers
/// wait, and thus have not sent it. One-way requests, those of GIOP 1.0 and 1.1, and the messages that are no
/// requests are taken in their order, one at a time: CloseConnection thus after all requests before it. But
/// while the upcall of a one-way request itself awaits a reply of the peer, two-way requests begin: the reply
/// may depend on them. Not thread-safe: its owner locks.
class RequestLanes {
 public:
  using Frame = std::vector<std::uint8_t>;

  /// Memory for a frame in a queue beside its contents, at most.
  static constexpr std::size_t kBytesPerFrame = 128;

  /// One server connection.
  class Lane {
   public:
    bool waits = true;        ///< For a frame.
    bool is_closing = false;  ///< Has ended in order: all requests that it has taken have their replies.
    /// Requests that it has taken may be executed while it waits: they are in the queues of objects, executed
    /// by other threads, or answered later.
    bool owes_replies = false;
    Frame close_message;      ///< CloseConnection, from its commit until `close`.
    Deadline close_deadline;  ///< Of that commit.
    std::thread::id thread;   ///< That executes a request; else none.
    /// Called by RequestLanes::wake, with the lock of its owner; empty: its thread waits at the channel.
    std::function<void()> on_ready;
    /// Whether fragments are missing of the message that it receives.
    bool is_incomplete() const noexcept { return incomplete_.has_value(); }

   private:
    friend class RequestLanes;
    enum class Executes : std::uint8_t { nothing, two_way, in_order };
    std::deque<Frame> frames_;                 // of the message being received
    std::optional<std::uint64_t> incomplete_;  // its id, while fragments are missing
    Executes executes_ = Executes::nothing;
  };

  /// Adds a lane, which exists until `remove`.
  Lane& add();
  /// Removes a lane, and the frames that it has not taken.
  void remove(const Lane& lane) noexcept;

  /// Removes all frames that have not been taken.
  void clear() noexcept;

  /// Adds a received frame. CancelRequest has an effect on incomplete requests only.
  void put(Bytes frame);
  /// The next frame for a lane, whose last message has been executed; nullopt: none now. `caller`: the thread
  /// that awaits a reply of the peer; none.
  std::optional<Frame> take(Lane& lane, std::thread::id caller = {});
  /// Whether messages wait that cannot begin before a one-way request has been executed.
  bool wait_for_one_way() const noexcept;
  /// Whether `take_two_way` would return a request.
  bool has_two_way() const noexcept;
  /// Removes the first complete request, or locate request, that has a waiting caller and has not been begun.
  /// Returns its first frame; nullopt: there is none.
  std::optional<Frame> take_two_way();
  /// Puts a two-way request back, for `take_two_way`, that the lane has taken and will not execute: its first
  /// frame. Pre: is_closing.
  void put_back(const Lane& lane, Bytes frame);

  /// Wakes the waiting lanes that have an on_ready: `all`, or those for which `take` has a frame.
  void wake(bool all, std::thread::id caller = {}) const;

  /// Bytes of frames that have not been taken, with kBytesPerFrame for each.
  std::size_t bytes() const noexcept { return bytes_; }
  /// Number of lanes.
  std::size_t size() const noexcept { return lanes_.size(); }
  /// Number of lanes that wait for a request.
  std::size_t idle() const noexcept;
  /// Whether a lane that has not ended in order executes a request, or may owe a reply.
  bool is_executing() const noexcept;
  /// From now on, no request is begun.
  void begin_closing() noexcept { is_closing_ = true; }
  bool is_closing() const noexcept { return is_closing_; }
  /// Whether the thread executes a request.
  bool executes(std::thread::id thread) const noexcept;

 private:
  /// The id of a message of GIOP 1.1, whose fragments have none and follow at once.
  static constexpr std::uint64_t kGiop11 = std::uint64_t{1} << 32;
  struct Message {
    std::uint64_t id;
    bool is_two_way;
    bool is_complete;
    std::vector<Frame> frames;
  };
  std::deque<Message>::const_iterator first_two_way() const noexcept;
  std::deque<Message>::const_iterator next_message(std::thread::id caller) const noexcept;
  bool put_part(Bytes frame, std::uint64_t id, bool is_last);
  void end_incomplete() noexcept;
  Frame take_frame(Lane& lane);

  std::list<Lane> lanes_;
  std::deque<Message> messages_;  // not begun
  std::size_t bytes_ = 0;
  bool is_closing_ = false;
};

}  // namespace orbweaver::orb
