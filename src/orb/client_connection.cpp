#include "orb/client_connection.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>

#include "base/log.h"
#include "orb/reactor.h"
#include "orb/thread_pool.h"

namespace orbweaver {
namespace {

/// Replies that nobody waits for any more, remembered until they come. More than this means that the
/// server does not answer at all: the connection is given up.
constexpr std::size_t kMaxForgotten = 1000;
/// Frames that a reader takes after its deadline, of what has arrived by then: late replies may stand before what it
/// looks for. A server that always has another frame to send would otherwise keep it.
constexpr std::size_t kMostLateFrames = kMaxForgotten;

/// Is this, whole, the reply that nearly every call gets: GIOP 1.2, this machine's byte order, to this
/// request, NO_EXCEPTION, no service contexts? Each word is read once.
bool plain_reply_to(std::uint32_t request_id, Bytes frame) noexcept {
  static constexpr std::uint8_t kBeginning[8] = {'G', 'I', 'O', 'P', 1, 2, giop::kThisMachineIsLittleEndian, 1};
  if (frame.size() < ClientConnection::kPlainReplyBytes) return false;
  std::uint64_t beginning, expected;
  std::uint32_t words[4];  // size, request id, status, number of contexts
  std::memcpy(&beginning, frame.data(), 8);
  std::memcpy(&expected, kBeginning, 8);
  std::memcpy(words, frame.data() + 8, sizeof words);
  return beginning == expected && words[0] == frame.size() - giop::kHeaderBytes && words[1] == request_id &&
         words[2] == 0 && words[3] == 0;
}

}  // namespace

ClientConnection::ClientConnection(std::unique_ptr<transport::Channel> channel, std::string description,
                                   std::size_t max_message_bytes, orb::Reactor* reactor,
                                   std::shared_ptr<ReceiveBudget> budget)
    : channel_(std::move(channel)),
      takes_fragments_(channel_->takes_fragments()),
      block_sender_(channel_->block_sender()),
      description_(std::move(description)),
      reactor_(reactor),
      looks_(!channel_->claim_tells_of_end()),
      share_(std::move(budget), [this](const std::string& why) { end(why); }),
      assembler_(max_message_bytes, limits::kMaxFragmentedMessages, &share_) {
  share_.count_for(channel_->peer());
  used_ns_.store(now_ns(), std::memory_order_relaxed);  // a new connection needs no look
}

ClientConnection::~ClientConnection() { place_ = nullptr; }

void ClientConnection::close() noexcept {
  if (const std::unique_lock lock(sending_, std::try_to_lock); lock && queued_bytes_ != 0) {
    if (const auto sent = channel_->flush(Deadline::in_ms(100))) all_left();
    else lose_queued(sent.error().message);
  }
  usable_.store(false, std::memory_order_release);
  const std::lock_guard channel(channel_mutex_);
  channel_->close();
}

/// A limit of what an ORB may receive ends it. Any thread.
void ClientConnection::end(const std::string& why) {
  const std::lock_guard channel(channel_mutex_);
  log::write_limited(log::Level::warn, "connection ended for what was received", log::origin(channel_->peer()),
                     [&] { return "the connection with " + description_ + " is ended: " + why; });
  usable_.store(false, std::memory_order_release);
  channel_->close();
}

Error ClientConnection::fail(Error error) noexcept {
  if (error.remedy == Remedy::reconnect) usable_.store(false, std::memory_order_release);
  return error;
}

void ClientConnection::look_for_end() {
  if (reading_.exchange(true, std::memory_order_seq_cst)) return;  // whoever reads will see it
  read_what_is_there();
}

/// The reader, which it ends to be.
void ClientConnection::read_what_is_there() {
  constexpr std::uint32_t kNobodys = 0;  // request ids begin at 1
  Reply none;
  if (auto read = read_until(kNobodys, Deadline::in_ns(0), none)) {
    release(none);
  } else {
    fail(read.take_error());
  }
}

Result<void> ClientConnection::await(std::uint32_t request_id, Deadline deadline, Reply& reply) try {
  if (reactor_ == nullptr) [[likely]] return await_idle(request_id, deadline, reply);
  if (reactor_->serves_here()) return await_serving(request_id, deadline, reply);
  const orb::ThreadPool::Away away;
  return await_idle(request_id, deadline, reply);
} catch (const std::bad_alloc&) {
  forget(request_id);
  return Error{Remedy::reconnect, "no memory"};
}

Result<void> ClientConnection::await_idle(std::uint32_t request_id, Deadline deadline, Reply& reply) {
  Result<void> done;
  if (!reading_.exchange(true, std::memory_order_seq_cst)) {
    // Another thread may have read our reply between our commit and now; it told so before it gave up the role.
    if (unclaimed_count_.load(std::memory_order_relaxed) != 0 && claim_arrived(request_id, reply)) {
      stop_reading();
    } else {
      done = read_until(request_id, deadline, reply);
    }
  } else {
    auto followed = follow(request_id, deadline, reply);
    if (!followed) {
      done = followed.take_error();
    } else if (!*followed) {
      done = read_until(request_id, deadline, reply);
    }
  }
  if (!done) {
    forget(request_id);
    return fail(done.take_error());
  }
  return {};
}

/// Takes a reply that came before its thread did.
bool ClientConnection::claim_arrived(std::uint32_t request_id, Reply& reply) {
  const std::lock_guard lock(wait_mutex_);
  return claim_arrived_locked(request_id, reply);
}

bool ClientConnection::claim_arrived_locked(std::uint32_t request_id, Reply& reply) {
  for (auto u = unclaimed_.begin(); u != unclaimed_.end(); ++u) {
    if (u->request_id != request_id) continue;
    reply.header = u->header;
    reply.handed_over = std::move(u->bytes);
    reply.message = reply.handed_over;
    unclaimed_.erase(u);
    unclaimed_count_.store(static_cast<std::uint32_t>(unclaimed_.size()), std::memory_order_relaxed);
    return true;
  }
  return false;
}

/// Waits while another thread reads. True: the reply was handed over; false: this thread is the reader now.
Result<bool> ClientConnection::follow(std::uint32_t request_id, Deadline deadline, Reply& reply) {
  std::unique_lock lock(wait_mutex_);
  if (claim_arrived_locked(request_id, reply)) return true;
  Waiter waiter{request_id, &reply};
  waiters_.push_back(&waiter);
  // seq_cst, with stop_reading: either it sees this follower or this follower sees the free role.
  followers_.fetch_add(1, std::memory_order_seq_cst);
  bool reads = false, late = false;
  while (!waiter.ready) {
    reads = !reading_.exchange(true, std::memory_order_seq_cst);
    if (reads) break;
    if (deadline.is_never()) {
      wake_.wait(lock);
    } else if (deadline.passed()) {
      late = true;
      break;
    } else {
      wake_.wait_for(lock, std::chrono::nanoseconds(deadline.ns - now_ns()));
    }
  }
  followers_.fetch_sub(1, std::memory_order_relaxed);
  waiters_.erase(std::find(waiters_.begin(), waiters_.end(), &waiter));
  if (late) return Error{Remedy::wait, "no reply until the deadline"};
  return !reads;
}

/// Gives the reader's role back and tells one who waits for it.
void ClientConnection::stop_reading() noexcept {
  reading_.exchange(false, std::memory_order_seq_cst);
  if (followers_.load(std::memory_order_seq_cst) == 0) return;
  const std::lock_guard lock(wait_mutex_);
  wake_.notify_all();
}

/// The same without a reply. References keep a connection that has ended until they are used again: what it
/// has of messages in fragments is freed now.
Error ClientConnection::end_reading(Error error) noexcept {
  if (error.remedy == Remedy::reconnect) assembler_.clear();
  stop_reading();
  return error;
}

/// The reader, which it ends to be unless `reply` is in the channel.
Result<void> ClientConnection::read_until(std::uint32_t request_id, Deadline deadline, Reply& reply) {
  bool has_frame = false;
  try {
    return read_frames(request_id, deadline, reply, has_frame);
  } catch (const std::bad_alloc&) {
    channel_->close();  // a reply is lost, perhaps another thread's
    if (has_frame) channel_->release();
    return end_reading({Remedy::reconnect, "no memory"});
  }
}

Result<void> ClientConnection::read_frames(std::uint32_t request_id, Deadline deadline, Reply& reply, bool& has_frame) {
  for (std::size_t late_frames = 0;;) {
    auto frame = channel_->receive(deadline);
    if (!frame) return end_reading(frame.take_error());
    has_frame = true;
    if (plain_reply_to(request_id, *frame) && owed_replies() != 0) [[likely]] {
      count_reply();
      reply.header.version = giop::kGiop12;
      reply.header.type = giop::MessageType::reply;
      reply.message = *frame;
      reply.plain = true;
      reply.reading = true;
      return {};
    }
    giop::MessageHeader header;
    if (!giop::read_header(*frame, header)) {
      Error error = giop::describe_bad_header(*frame);
      channel_->close();
      return end_reading(std::move(error));
    }
    auto whole = assembler_.add(*frame, header);
    if (!whole) {
      channel_->close();
      return end_reading(whole.take_error());
    }
    Result<void> step;
    if (whole->empty()) {
      // A fragment: more of the message is to come.
    } else if (header.type == giop::MessageType::reply || header.type == giop::MessageType::locate_reply) {
      // Both begin with the request id in GIOP 1.2 and locate replies; 1.0 and 1.1 replies with contexts.
      cdr::Decoder in = giop::open_body(*whole, header);
      std::uint32_t id = 0;
      if (header.type == giop::MessageType::reply && header.version < giop::kGiop12) {
        giop::ReplyHeader old;
        giop::decode_reply(in, header.version, old);
        id = old.request_id;
      } else {
        id = in.get<std::uint32_t>();
      }
      const bool asked = is_owed(id);
      count_reply();
      if (in.ok() && !asked) {
        step = Error{Remedy::reconnect, description_ + ": a reply to request " + std::to_string(id) + ", which nobody made"};
      } else if (in.ok() && id == request_id) {
        reply.header = header;
        reply.message = *whole;
        reply.reading = true;
        return {};
      } else if (in.ok()) {
        hand_over(id, header, *whole);
      } else {
        step = giop::malformed("reply header", in);
      }
    } else {
      step = control(header);
    }
    has_frame = false;
    channel_->release();
    if (!step) {
      channel_->close();
      return end_reading(step.take_error());
    }
    if (deadline.passed() && ++late_frames == kMostLateFrames) {
      return end_reading({Remedy::wait, "no reply until the deadline, though the server sends without a pause"});
    }
  }
}

/// May the server send that reply? Where it owes no more than the replies to requests that were withdrawn, only those.
bool ClientConnection::is_owed(std::uint32_t request_id) const noexcept {
  const std::uint64_t owed = owed_replies();
  if (owed > withdrawn_count_.load(std::memory_order_relaxed)) [[likely]] return true;
  const std::lock_guard lock(wait_mutex_);
  return owed != 0 && find_withdrawn(request_id) != kMaxWithdrawn;
}

/// With the lock. Its place; kMaxWithdrawn: it is none of them.
std::size_t ClientConnection::find_withdrawn(std::uint32_t request_id) const noexcept {
  const auto end = withdrawn_.begin() + withdrawn_count_.load(std::memory_order_relaxed);
  const auto at = std::find(withdrawn_.begin(), end, request_id);
  return at == end ? kMaxWithdrawn : static_cast<std::size_t>(at - withdrawn_.begin());
}

/// Only the reader counts.
void ClientConnection::count_reply() noexcept {
  answered_.store(answered_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

/// What was given up may have been lost on the way, and is waited for by nobody.
bool ClientConnection::owes_more_than_lost() const noexcept {
  const std::lock_guard lock(wait_mutex_);
  return owed_replies() > forgotten_.size() + withdrawn_count_.load(std::memory_order_relaxed);
}

void ClientConnection::hand_over(std::uint32_t request_id, const giop::MessageHeader& header, Bytes message) {
  const std::lock_guard lock(wait_mutex_);
  if (forgotten_.erase(request_id) != 0) return;
  if (const std::size_t at = find_withdrawn(request_id); at != kMaxWithdrawn) {
    const std::uint32_t left = withdrawn_count_.load(std::memory_order_relaxed) - 1;
    std::copy(withdrawn_.begin() + at + 1, withdrawn_.begin() + left + 1, withdrawn_.begin() + at);
    withdrawn_count_.store(left, std::memory_order_relaxed);
    return;
  }
  for (Waiter* waiter : waiters_) {
    if (waiter->request_id != request_id || waiter->ready) continue;
    waiter->reply->header = header;
    waiter->reply->handed_over.assign(message.begin(), message.end());
    waiter->reply->message = waiter->reply->handed_over;
    waiter->ready = true;
    wake_.notify_all();
    return;
  }
  // Its thread has sent it and not yet come to wait. There are no more of those than requests: see asked_.
  unclaimed_.push_back({request_id, header, {message.begin(), message.end()}});
  unclaimed_count_.store(static_cast<std::uint32_t>(unclaimed_.size()), std::memory_order_relaxed);
}

Result<void> ClientConnection::control(const giop::MessageHeader& header) {
  switch (header.type) {
    case giop::MessageType::close_connection:
      closed_in_order_.store(true, std::memory_order_release);
      usable_.store(false, std::memory_order_release);
      return Error{Remedy::reconnect, description_ + ": the server closed the connection"};
    case giop::MessageType::message_error:
      return Error{Remedy::reconnect, description_ + ": the server did not understand what was sent (MessageError)"};
    default:
      return Error{Remedy::reconnect,
                   description_ + ": the server sent a " + giop::to_string(header.type) + ", which only clients send"};
  }
}

/// Without the lock where it closes, which takes a while and may need what other threads do with it.
void ClientConnection::forget(std::uint32_t request_id) noexcept {
  bool remembered = false;
  try {
    const std::lock_guard lock(wait_mutex_);
    Reply arrived;
    if (claim_arrived_locked(request_id, arrived)) return;
    forgotten_.insert(request_id);
    remembered = forgotten_.size() <= kMaxForgotten;
  } catch (const std::bad_alloc&) {
  }
  if (!remembered) close();
}

void ClientConnection::release(Reply& reply) noexcept {
  if (!reply.reading) return;
  reply.reading = false;
  assembler_.release();
  channel_->release();
  stop_reading();
}

}  // namespace orbweaver
