#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <orbweaver/reference.h>

#include "orb/bidirectional/lane_budget.h"
#include "orb/bidirectional/message_routing.h"
#include "orb/bidirectional/request_lanes.h"
#include "orb/bidirectional/sent_bytes.h"
#include "platform/fd.h"
#include "platform/timed_mutex.h"
#include "transport/transport.h"

namespace orbweaver {
class ClientConnection;
}

namespace orbweaver::orb {

/// Divides the channel of a bidirectional connection (CORBA 3.3 part 2, 9.8) into channels of two roles: one
/// for the calls of this process with their replies, as of a client connection, and one or more for the
/// requests of the peer, as of server connections (RequestLanes). Thread-safe.
///
/// There is no thread of its own: whichever end receives, and finds no other reader, reads the connection,
/// and queues the frames of the other ends. While the frames of a role exceed kMaxQueuedBytes, nothing is
/// read, unless the requests may not be served before something is read: a reply is awaited, or being sent.
/// Then another message and kMaxQueuedBytes are read. Beyond, the connection is closed with a warning: at
/// once if an upcall itself awaits the reply or a reply is being sent, else after a time without progress.
/// The requests of all connections together, and their lanes, have the limits of LaneBudget.
///
/// Sending: an end has the right to send from claim to commit or abandon; the others wait.
class SplitChannel : public std::enable_shared_from_this<SplitChannel> {
 public:
  using Deadline = transport::Deadline;
  using Role = MessageRouting::Role;
  using Side = MessageRouting::Side;

  static constexpr std::size_t kMaxQueuedBytes = std::size_t{4} << 20;
  /// Server connections of one connection, and thus requests that are executed at the same time.
  static constexpr std::size_t kMaxLanes = 32;
  /// For a peer that does not read CloseConnection.
  static constexpr std::int64_t kCloseTimeout_ms = 500;

  /// `max_message_bytes`: -ORBMaxMessageBytes. `budget`: of the ORB; null: none.
  static std::shared_ptr<SplitChannel> make(std::unique_ptr<transport::Channel> channel, Side side,
                                            std::size_t max_message_bytes,
                                            std::shared_ptr<LaneBudget> budget = nullptr);
  /// Whether a connection with this channel can be divided: no payload is sent beside it.
  static bool can_split(const transport::Transport& transport, const transport::Channel& channel) noexcept;
  ~SplitChannel();

  /// Creates the end of the caller, once, or an end of a server. Until that of the caller is created, all
  /// messages are the servers'. An end shares the ownership. Null once the connection has ended.
  ///
  /// The connection is closed by `close` of any end, and by the destruction of the caller's end; its
  /// descriptors by that of the last server's end. But after CloseConnection has been sent through a server's
  /// end, its `close` ends that end only: the last one of those that execute a request sends the message, and
  /// closes the connection. It does so until the deadline of its own message, else within kCloseTimeout_ms; a
  /// peer that does not read delays nobody else.
  std::unique_ptr<transport::Channel> make_end(Role role);
  /// Sets a function that sends the queued one-way calls of the caller's end until a deadline, called before
  /// CloseConnection is sent, without a lock. At most once, after `make_end`.
  void on_close(std::function<void(Deadline)> send_queued);
  /// Sets a function that reads the caller's end, called by the thread that has read a reply nobody waits
  /// for, without a lock. At most once, after `make_end`.
  void on_unread_reply(std::function<void()> read);
  /// Sets a function that makes another server's end and serves it, called without a lock. From then on one
  /// of them always waits for requests, up to kMaxLanes; they stay until the connection ends, as upcalls may
  /// have left their replies for later. False: there is no thread for it. Then, and at the shutdown, requests
  /// are answered with TRANSIENT that arrive while a call awaits its reply: they may depend on each other.
  void serve_concurrently(std::function<bool()> add_lane);
  /// At the shutdown: no further request is begun. CloseConnection is sent when the server's ends have ended
  /// in order. A peer that does not read is waited for until `deadline`.
  void begin_closing(Deadline deadline) noexcept;
  /// Notes that requests of a server's end may be executed while it receives, until it ends in order.
  static void owe_replies(transport::Channel& server_end) noexcept;
  /// For the first frame of a message that a server's end has received and does not serve, as it is closing.
  static void put_back(transport::Channel& server_end, Bytes frame) noexcept;
  // In an ORB with a reactor:
  /// Calls `resume`, without waiting, when a server's end has a frame or an error, until the end is
  /// destroyed. Such an end is read with deadlines in the past only, and does not read the connection itself.
  static void on_ready(transport::Channel& server_end, std::function<void()> resume);
  /// Sets the handler that calls `read_available`; null: it ends. `resume` gives it another turn.
  void set_reader(std::function<void()> resume);
  /// Result of `read_available`.
  enum class ReadResult : std::uint8_t {
    wait,    ///< Until the descriptor of the channel is readable.
    ready,   ///< There may be more.
    parked,  ///< Another thread reads, or the queues are full; the handler will be resumed.
    ended,   ///< The connection has ended.
  };
  /// Another descriptor of the channel's Readiness; -1 if no descriptor is left.
  platform::Fd duplicate_descriptor();
  /// Reads what has arrived, without waiting.
  ReadResult read_available();

  /// Why the connection is to be closed: while a server's end sends a reply, or waits for the right to send,
  /// the peer has not read the message that is being sent, of any end, in its time (reply_time_limit_ns); 0:
  /// no limit. Nothing: the connection stays open. Called periodically, by one thread at a time, as the next.
  std::optional<std::string> unread_reply(std::int64_t now_ns, std::int64_t timeout_ns);
  /// Why the connection is to be closed: for `timeout_ns`, a call has awaited its reply behind as many
  /// requests as are read, none of which has begun to be executed; 0: no limit.
  std::optional<std::string> blocked_reply(std::int64_t now_ns, std::int64_t timeout_ns);
  void close() noexcept;

  // For the LaneBudget:
  /// Reads the connection again, which `LaneBudget::Share::may_read` has held back.
  void resume_reading() noexcept;
  /// Closes the connection with a warning, and discards the requests that have not begun: all connections
  /// have exceeded `limit_bytes`.
  void close_over_limit(std::size_t limit_bytes) noexcept;
  /// Whether the limit of all connections holds back reading: input may wait. Without a lock.
  bool is_held_back() const noexcept { return share_.is_held_back(); }
  /// Whether this process is late: reading is held back, or input waits to be read. For the owner of a
  /// server's end. Without a lock.
  bool has_input() const noexcept;

 private:
  class End;
  class CallerEnd;
  class ServerEnd;
  using Lane = RequestLanes::Lane;
  using Frame = RequestLanes::Frame;

  SplitChannel(std::unique_ptr<transport::Channel> channel, Side side, std::size_t max_message_bytes,
               std::shared_ptr<LaneBudget> budget);
  void count_queued(std::unique_lock<std::mutex>& lock) noexcept;
  Result<Frame> receive_reply(Deadline deadline);
  Result<Frame> receive_request(Lane& lane, Deadline deadline);
  std::optional<Error> read_or_wait(std::unique_lock<std::mutex>& lock, Role role, bool reads,
                                    Deadline deadline);
  std::optional<Error> read(std::unique_lock<std::mutex>& lock, Deadline deadline);
  void read_unread_replies(std::unique_lock<std::mutex>& lock);
  void add_lane(std::unique_lock<std::mutex>& lock);
  bool reject_request(std::unique_lock<std::mutex>& lock, Deadline deadline);
  void reject_requests(std::unique_lock<std::mutex>& lock);
  void route(Bytes frame);
  bool may_read(Role reader);
  void notify() noexcept {
    if (waiting_ != 0) changed_.notify_all();
    if (is_polled_) wake_handlers();
  }
  void wake_handlers() noexcept;
  bool wait(std::unique_lock<std::mutex>& lock, Deadline deadline);
  Result<void> lock_to_send(Role role, std::size_t bytes, Deadline deadline);
  void unlock_send(Role role) noexcept;
  void count_sending_server(int servers) noexcept;
  Result<void> commit(Role role, std::size_t bytes, Deadline deadline) noexcept;
  Result<void> send(Role role, Bytes frame, Deadline deadline) noexcept;
  Result<void> count_sent(Result<void> sent, std::size_t bytes) noexcept;
  std::size_t undelivered_of_caller() const noexcept;
  bool has_partial_frame() const noexcept;
  void close_locked() noexcept;
  void close_lane(Lane& lane) noexcept;
  void send_close_message(Deadline deadline) noexcept;
  void end_server(Lane& lane) noexcept;
  Error closed() const;

  const Peer peer_;
  const std::size_t max_stuck_bytes_;
  platform::TimedMutex send_lock_;  // locked before mutex_
  mutable std::mutex mutex_;        // guards the rest
  std::condition_variable changed_;
  std::unique_ptr<transport::Channel> channel_;  // null once the last server's end has ended
  MessageRouting routing_;
  std::deque<Frame> replies_;
  std::size_t reply_bytes_ = 0;
  std::thread::id caller_;  // in receive_reply; else none
  RequestLanes requests_;
  LaneBudget::Share share_;
  bool reading_ = false;     // a thread reads channel_
  int waiting_ = 0;          // threads in `wait`
  int sending_servers_ = 0;  // which send, or wait for send_lock_
  SentBytes sent_;
  std::size_t undelivered_bytes_ = 0;  // of channel_, once that is null
  std::uint64_t messages_ = 0;         // that have been begun to be sent
  std::size_t sending_bytes_ = 0;      // size of the last one, at most
  std::uint64_t unread_message_ = 0;   // by unread_reply: the message that was being sent, 0: none
  std::int64_t unread_since_ns_ = 0;
  std::uint64_t taken_ = 0;       // frames of requests that lanes have taken
  std::uint64_t blocked_at_ = 0;  // by blocked_reply: taken_ + 1 when it was first blocked, 0: it is not
  std::int64_t blocked_since_ns_ = 0;
  std::optional<Error> ended_;
  Frame close_message_;                  // to be sent when no lane executes a request
  Deadline close_deadline_{0};           // of begin_closing
  bool is_polled_ = false;               // by a reactor
  std::function<void()> resume_reader_;  // empty: there is no handler that reads
  bool reader_parked_ = false;
  bool read_by_caller_ = false;  // since the last turn of that handler, which may find frames read ahead
  std::function<void(Deadline)> on_close_;
  std::function<void()> on_unread_reply_;
  std::function<bool()> add_lane_;
  bool adding_lane_ = false;
  bool lacks_thread_ = false;  // the last call of add_lane_ has failed, or there are too many lanes
};

/// Sets the functions of `split` that concern `connection`, which uses the caller's end and is not kept
/// alive. Unexpected replies close the connection with a warning.
void set_caller(SplitChannel& split, const CORBA::object_reference<ClientConnection>& connection);

}  // namespace orbweaver::orb
