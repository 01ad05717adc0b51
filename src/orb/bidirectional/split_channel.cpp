#include "orb/bidirectional/split_channel.h"

#include <string>
#include <utility>

#include "base/catch_and_log.h"
#include "base/log.h"
#include "orb/bidirectional/rejected_request.h"
#include "orb/bidirectional/split_channel_ends.h"
#include "platform/steady_time.h"
#include "transport/malformed_input.h"

namespace orbweaver::orb {

bool SplitChannel::can_split(const transport::Transport& transport,
                             const transport::Channel& channel) noexcept {
  const transport::TransportTraits& traits = transport.traits();
  return traits.reliable && traits.reach != transport::Reach::process &&
         channel.capabilities().block_sender == nullptr && channel.capabilities().block_receiver == nullptr;
}

std::shared_ptr<SplitChannel> SplitChannel::make(std::unique_ptr<transport::Channel> channel, Side side,
                                                 std::size_t max_message_bytes,
                                                 std::shared_ptr<LaneBudget> budget) {
  std::shared_ptr<SplitChannel> split(
      new SplitChannel(std::move(channel), side, max_message_bytes, std::move(budget)));
  split->share_.set_channel(split);
  return split;
}

SplitChannel::SplitChannel(std::unique_ptr<transport::Channel> channel, Side side,
                           std::size_t max_message_bytes, std::shared_ptr<LaneBudget> budget)
    : peer_(channel->peer()), max_stuck_bytes_(max_message_bytes + kMaxQueuedBytes),
      channel_(std::move(channel)), routing_(side), share_(std::move(budget), peer_) {}

SplitChannel::~SplitChannel() = default;

std::unique_ptr<transport::Channel> SplitChannel::make_end(Role role) {
  const std::lock_guard lock(mutex_);
  if (channel_ == nullptr) return nullptr;
  std::unique_ptr<transport::Channel> end;
  if (role == Role::caller)
    end = std::make_unique<CallerEnd>(shared_from_this());
  else
    end = std::make_unique<ServerEnd>(shared_from_this(), requests_.add());
  routing_.open(role);
  return end;
}

void SplitChannel::on_close(std::function<void(Deadline)> send_queued) {
  const std::lock_guard lock(mutex_);
  on_close_ = std::move(send_queued);
}

void SplitChannel::on_unread_reply(std::function<void()> read) {
  const std::lock_guard lock(mutex_);
  on_unread_reply_ = std::move(read);
}

void SplitChannel::serve_concurrently(std::function<bool()> add_lane) {
  const std::lock_guard lock(mutex_);
  add_lane_ = std::move(add_lane);
}

Error SplitChannel::closed() const {
  return {ErrorKind::disconnected, "the connection with " + peer_.address + " is closed"};
}

bool SplitChannel::has_partial_frame() const noexcept {
  const std::lock_guard lock(mutex_);
  const transport::ReceiveStatus* const status =
      channel_ == nullptr ? nullptr : channel_->capabilities().receive_status;
  return status != nullptr && status->has_partial_frame();
}

/// Whether the queue of the other role, and all queues of the ORB, have room. Closes the connection if it is
/// to be read, but exceeds its limit.
///
/// Requests that are executed need a reply if one of their threads waits for it here. If another thread does,
/// they may depend on its call, which cannot be known: then the limit ends reading, as nothing may be wrong.
/// The limit of the ORB does not hold back the thread that awaits the reply itself.
bool SplitChannel::may_read(Role reader) {
  if (reader == Role::server && reply_bytes_ >= kMaxQueuedBytes) return false;
  const std::size_t bytes = requests_.bytes();
  if (reader == Role::server && !share_.may_read()) return false;
  if (bytes < kMaxQueuedBytes) return true;
  const bool is_stuck = sending_servers_ != 0 || requests_.executes(caller_);
  if (!is_stuck) return reader == Role::caller && bytes < max_stuck_bytes_;
  if (bytes < max_stuck_bytes_) return true;
  transport::log_refused(peer_, "connection with " + peer_.address,
                         "over " + std::to_string(max_stuck_bytes_) +
                             " bytes of requests, before the reply to a call that an upcall makes");
  ended_ = closed();
  channel_->close();
  return true;
}

std::optional<std::string> SplitChannel::blocked_reply(std::int64_t now_ns, std::int64_t timeout_ns) {
  const std::lock_guard lock(mutex_);
  const bool is_blocked =
      timeout_ns != 0 && caller_ != std::thread::id() && requests_.bytes() >= max_stuck_bytes_;
  if (!is_blocked || blocked_at_ != taken_ + 1) {
    blocked_at_ = is_blocked ? taken_ + 1 : 0;
    blocked_since_ns_ = now_ns;
    return {};
  }
  if (now_ns - blocked_since_ns_ < timeout_ns) return {};
  return "a call awaits its reply behind " + std::to_string(requests_.bytes()) +
         " bytes of requests, none of which has begun to be executed for " +
         std::to_string(timeout_ns / 1'000'000) + " ms (-ORBTune reply-timeout-ms)";
}

/// Waits for a change. False at the deadline.
bool SplitChannel::wait(std::unique_lock<std::mutex>& lock, Deadline deadline) {
  if (deadline.passed()) return false;
  ++waiting_;
  if (deadline.is_never())
    changed_.wait(lock);
  else
    changed_.wait_until(lock, platform::steady_time(deadline.ns));
  --waiting_;
  return true;
}

/// Reads one frame, if it may, or waits for a change. Returns an error at the deadline, and the error with
/// which the connection has ended.
std::optional<Error> SplitChannel::read_or_wait(std::unique_lock<std::mutex>& lock, Role role, bool reads,
                                                Deadline deadline) {
  if (ended_) return ended_;
  if (reads && !reading_ && may_read(role)) {
    if (ended_) return ended_;
    auto failure = read(lock, deadline);
    if (!failure && role == Role::caller) read_by_caller_ = true;
    count_queued(lock);
    return failure;
  }
  if (wait(lock, deadline)) return {};
  return Error{ErrorKind::timed_out, "deadline exceeded while waiting for a message"};
}

Result<SplitChannel::Frame> SplitChannel::receive_reply(Deadline deadline) {
  std::unique_lock lock(mutex_);
  caller_ = std::this_thread::get_id();
  if (requests_.executes(caller_)) notify();  // requests may begin on which the reply depends
  std::optional<Error> failure;
  while (replies_.empty() && !failure) {
    if (reject_request(lock, deadline)) continue;
    failure = read_or_wait(lock, Role::caller, true, deadline);
  }
  if (std::exchange(read_by_caller_, false) && resume_reader_) resume_reader_();
  caller_ = {};
  if (replies_.empty()) return std::move(*failure);
  Frame frame = std::move(replies_.front());
  replies_.pop_front();
  reply_bytes_ -= frame.size();
  notify();  // there is room
  return frame;
}

Result<SplitChannel::Frame> SplitChannel::receive_request(Lane& lane, Deadline deadline) {
  std::unique_lock lock(mutex_);
  const bool has_executed = !std::exchange(lane.waits, true);
  lane.thread = {};
  notify();  // the next request may begin
  if (has_executed && requests_.is_closing() && !lane.owes_replies && !lane.is_incomplete()) {
    lane.is_closing = true;
    const bool is_last_executing = !requests_.is_executing();
    lock.unlock();
    if (is_last_executing) send_close_message(Deadline::in_ms(kCloseTimeout_ms));
    return closed();
  }
  std::optional<Error> failure;
  for (;;) {
    read_unread_replies(lock);
    if (auto frame = requests_.take(lane, caller_)) {
      ++taken_;
      lane.waits = false;
      lane.thread = std::this_thread::get_id();
      count_queued(lock);
      add_lane(lock);
      notify();  // there is room
      reject_requests(lock);
      return std::move(*frame);
    }
    if (failure) return std::move(*failure);
    // Not while messages wait that may begin when a one-way upcall awaits a reply: a thread that reads would
    // not see that.
    const bool reads = !is_polled_ && (lane.is_incomplete() || !requests_.wait_for_one_way());
    failure = read_or_wait(lock, Role::server, reads, deadline);
  }
}

/// Adds a lane if none waits for the next request. The lock is released meanwhile.
void SplitChannel::add_lane(std::unique_lock<std::mutex>& lock) {
  if (!add_lane_ || adding_lane_ || ended_ || requests_.idle() != 0 || requests_.is_closing() ||
      requests_.size() >= kMaxLanes)
    return;
  if (!share_.add_lane()) {
    lacks_thread_ = true;
    log::write_limited(log::Level::warn, "bidirectional lanes", log::origin(peer_), [&] {
      return "requests from " + peer_.address + " wait for one another: no further lane, beyond " +
             std::to_string(requests_.size()) +
             ", for its bidirectional connection (-ORBTune bidirectional-lanes)";
    });
    return;
  }
  adding_lane_ = true;
  const std::function<bool()> add = add_lane_;
  lock.unlock();
  bool added = false;
  catch_and_log("serving requests of a bidirectional connection concurrently", [&] { added = add(); });
  lock.lock();
  adding_lane_ = false;
  share_.keep_lanes(requests_.size() == 0 ? 0 : requests_.size() - 1);
  lacks_thread_ = !added;
}

/// Counts the requests in the queue. The lock is released meanwhile if that concerns other connections.
void SplitChannel::count_queued(std::unique_lock<std::mutex>& lock) noexcept {
  if (!share_.count(requests_.bytes())) return;
  lock.unlock();
  share_.settle();
  lock.lock();
}

void SplitChannel::resume_reading() noexcept {
  const std::lock_guard lock(mutex_);
  notify();
}

/// For the thread of a call that awaits its reply until `deadline`: answers a request that no lane will begin
/// before that. False: there is none. Else the lock was released meanwhile.
bool SplitChannel::reject_request(std::unique_lock<std::mutex>& lock, Deadline deadline) {
  const bool is_closing = requests_.is_closing() && requests_.is_executing();
  if (!is_closing && (!lacks_thread_ || adding_lane_ || requests_.idle() != 0)) return false;
  if (!requests_.has_two_way() || deadline.passed()) return false;
  add_lane(lock);  // tries again, unless it is closing
  if (!is_closing && !lacks_thread_) return true;
  const auto request = requests_.take_two_way();
  if (!request) return true;
  count_queued(lock);
  lock.unlock();
  log::write_limited(log::Level::warn, "request not begun", log::origin(peer_), [&] {
    return "request from " + peer_.address + " rejected (TRANSIENT) over a bidirectional connection: " +
           (is_closing ? "the ORB is being shut down" : "no thread for it");
  });
  const Frame reply = rejection_of(*request);
  const Deadline until = Deadline::in_ms(kCloseTimeout_ms);
  bool sent = static_cast<bool>(lock_to_send(Role::server, reply.size(), until));
  if (sent) {
    sent = static_cast<bool>(send(Role::server, reply, until));
    unlock_send(Role::server);
  }
  if (!sent) close();  // its caller would wait
  lock.lock();
  return true;
}

/// For other threads, after a change for which requests are rejected: the one that awaits a reply may be
/// reading, and does not see it. The lock is released meanwhile.
void SplitChannel::reject_requests(std::unique_lock<std::mutex>& lock) {
  while (caller_ != std::thread::id() && caller_ != std::this_thread::get_id() &&
         reject_request(lock, Deadline::never())) {
  }
}

/// Has the replies read for which no thread waits: they may be unexpected. The lock is released meanwhile.
void SplitChannel::read_unread_replies(std::unique_lock<std::mutex>& lock) {
  if (replies_.empty() || caller_ != std::thread::id() || !on_unread_reply_) return;
  const std::function<void()> read = on_unread_reply_;
  lock.unlock();
  read();
  lock.lock();
}

/// Reads one frame into the queue of its role. The lock is released meanwhile. Returns errors as of
/// read_or_wait.
std::optional<Error> SplitChannel::read(std::unique_lock<std::mutex>& lock, Deadline deadline) {
  reading_ = true;
  lock.unlock();
  auto frame = channel_->receive(deadline);
  lock.lock();
  reading_ = false;
  const struct AtEnd {
    SplitChannel& split;
    const bool releases;
    ~AtEnd() {
      if (releases) split.channel_->release();
      split.notify();
    }
  } at_end{*this, static_cast<bool>(frame)};
  if (!frame) {
    if (frame.error().kind == ErrorKind::timed_out) return frame.take_error();
    if (!ended_) ended_ = frame.take_error();
    return ended_;
  }
  route(*frame);
  return {};
}

void SplitChannel::route(Bytes frame) {
  const MessageRouting::Destination to = routing_.route(frame);
  if (to.server) requests_.put(frame);
  if (!to.caller) return;
  replies_.emplace_back(frame.begin(), frame.end());
  reply_bytes_ += frame.size();
}

}  // namespace orbweaver::orb
