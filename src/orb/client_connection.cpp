#include "orb/client_connection.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "base/log.h"
#include "giop/control.h"
#include "orb/flusher.h"
#include "orb/reactor.h"
#include "orb/thread_pool.h"
#include "platform/socket.h"

namespace orbweaver {
namespace {

/// Replies that nobody waits for any more, remembered until they come. More than this means that the
/// server does not answer at all: the connection is given up.
constexpr std::size_t kMaxForgotten = 1000;

/// Idle for so long, a connection is looked at before it is used: by one system call, which is a fraction of what the
/// pause costs. A server that closes later than that is told from by what its host takes.
constexpr std::int64_t kPause_ns = 100'000;

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
                                   std::size_t max_message_bytes, orb::Reactor* reactor)
    : channel_(std::move(channel)),
      description_(std::move(description)),
      reactor_(reactor),
      looks_(!channel_->claim_tells_of_end()),
      assembler_(max_message_bytes) {
  used_ns_ = now_ns();  // a new connection needs no look
}

ClientConnection::~ClientConnection() = default;

void ClientConnection::close() noexcept {
  if (const std::unique_lock lock(sending_, std::try_to_lock); lock && queued_bytes_ != 0) {
    static_cast<void>(channel_->flush(Deadline::in_ms(100)));
    queued_bytes_ = 0;
  }
  usable_.store(false, std::memory_order_release);
  channel_->close();
}

Error ClientConnection::fail(Error error) noexcept {
  if (error.remedy == Remedy::reconnect) usable_.store(false, std::memory_order_release);
  return error;
}

/// Behind a sender whom the server holds up: each waits until its own deadline, not until those before it add up.
Result<void> ClientConnection::lock_to_send(Deadline deadline) {
  if (sending_.lock(deadline)) [[likely]] return {};
  return Error{Remedy::wait, description_ + ": other requests waited to be sent until the deadline"};
}

Result<MutableBytes> ClientConnection::claim(std::size_t bytes, Deadline deadline) {
  if (reactor_ == nullptr) [[likely]] return claim_now(bytes, deadline);
  return claim_serving(bytes, deadline);
}

Result<MutableBytes> ClientConnection::claim_now(std::size_t bytes, Deadline deadline) {
  if (auto locked = lock_to_send(deadline); !locked) [[unlikely]] return locked.take_error();
  look_after_pause();
  auto room = channel_->claim(bytes, deadline);
  if (!room) {
    sending_.unlock();
    return fail(room.take_error());
  }
  return room;
}

/// With the send lock. What the server has said or done since it was used last is seen before anything is sent
/// to it. Not while one-way calls are queued: they have begun to leave.
void ClientConnection::look_after_pause() {
  if (!looks_ || queued_bytes_ != 0) return;
  const std::int64_t now = now_ns();
  const bool paused = now - std::exchange(used_ns_, now) >= kPause_ns;
  if (!paused || reading_.exchange(true, std::memory_order_seq_cst)) return;  // who reads will see it
  const int fd = channel_->descriptor();
  platform::PollItem item{fd, platform::kReadable};
  const bool nothing = fd >= 0 && channel_->arm() && platform::poll(std::span(&item, 1), Deadline{0}) == 0;
  if (nothing) return stop_reading();
  read_what_is_there();
}

Result<void> ClientConnection::commit(std::size_t bytes, bool two_way, Deadline deadline) {
  // Before the request can be answered; only the holder of the send lock writes it.
  committed_.store(committed_.load(std::memory_order_relaxed) + bytes, std::memory_order_release);
  if (fragments_) [[unlikely]] {
    if (const Error* failure = fragments_->failure()) {
      Error error = *failure;
      fragments_.reset();
      return end_sending(std::move(error));
    }
    fragments_.reset();
  } else if (two_way) {
    count_request(1);
  }
  if (!two_way && batching_.delay_ns != 0) [[unlikely]] return end_sending(queue(bytes, deadline));
  const std::size_t queued_bytes = std::exchange(queued_bytes_, 0);
  Result<void> sent = channel_->commit(bytes, deadline);
  if (!sent && queued_bytes != 0) [[unlikely]] {
    log::warn(description_ + ": one-way calls that were queued are lost: " + sent.error().message);
  }
  return end_sending(std::move(sent));
}

Result<void> ClientConnection::end_sending(Result<void> sent) {
  sending_.unlock();
  if (!sent) {
    usable_.store(false, std::memory_order_release);
    // A server that closes in order says so before it goes. Where sending fails at once (a Unix socket), that is
    // still to be read, and decides whether the call may be made again.
    if (sent.error().remedy == Remedy::reconnect) look_for_end();
  }
  return sent;
}

/// The one that makes the batch full takes the others along. So does one that the flusher cannot be told of.
Result<void> ClientConnection::queue(std::size_t bytes, Deadline deadline) {
  const std::size_t earlier_bytes = queued_bytes_;
  if (queued_bytes_ == 0) {
    queued_since_ns_ = now_ns();
    if (!flusher_knows_) flusher_knows_ = batching_.flusher->add(*this, queued_since_ns_ + batching_.delay_ns);
  }
  queued_bytes_ += bytes;
  if (queued_bytes_ < batching_.bytes && flusher_knows_) return channel_->queue(bytes, deadline);
  queued_bytes_ = 0;
  Result<void> sent = channel_->commit(bytes, deadline);
  if (!sent && earlier_bytes != 0) [[unlikely]] {
    queued_lost_ = "one-way calls that were queued are lost: " + sent.error().message;
    log::warn(description_ + ": " + queued_lost_);
  }
  return sent;
}

Result<void> ClientConnection::flush(Deadline deadline) {
  if (auto locked = lock_to_send(deadline); !locked) return locked.take_error();
  if (!queued_lost_.empty()) return end_sending(Error{Remedy::reconnect, std::exchange(queued_lost_, {})});
  Result<void> sent = queued_bytes_ != 0 ? channel_->flush(deadline) : Result<void>();
  if (!sent && sent.error().remedy == Remedy::wait) {  // it stays queued, and the connection good
    sending_.unlock();
    return sent;
  }
  queued_bytes_ = 0;
  return end_sending(std::move(sent));
}

std::int64_t ClientConnection::flush_due() {
  constexpr std::int64_t kSoon_ns = 100'000, kLater_ns = 1'000'000;
  const std::unique_lock lock(sending_, std::try_to_lock);
  if (!lock) return now_ns() + kSoon_ns;
  if (queued_bytes_ != 0) {
    const std::int64_t due_ns = queued_since_ns_ + batching_.delay_ns;
    if (now_ns() < due_ns) return due_ns;  // those that were meant have left with others
    const Result<void> sent = channel_->flush(Deadline::in_ns(0));
    if (!sent && sent.error().remedy == Remedy::wait) return now_ns() + kLater_ns;
    queued_bytes_ = 0;
    if (!sent) {
      usable_.store(false, std::memory_order_release);
      queued_lost_ = "one-way calls that were queued are lost: " + sent.error().message;
      log::warn(description_ + ": " + queued_lost_);
    }
  }
  flusher_knows_ = false;
  return 0;
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

void ClientConnection::abandon() noexcept {
  channel_->abandon();
  if (fragments_) [[unlikely]] cancel_fragments();
  sending_.unlock();
}

Result<void> ClientConnection::await(std::uint32_t request_id, Deadline deadline, Reply& reply) {
  if (reactor_ == nullptr) [[likely]] return await_idle(request_id, deadline, reply);
  if (reactor_->serves_here()) return await_serving(request_id, deadline, reply);
  const orb::ThreadPool::Away away;
  return await_idle(request_id, deadline, reply);
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
  Result<bool> result(true);
  while (!waiter.ready) {
    if (!reading_.exchange(true, std::memory_order_seq_cst)) {
      result = Result<bool>(false);
      break;
    }
    if (deadline.is_never()) {
      wake_.wait(lock);
    } else if (deadline.passed()) {
      result = Result<bool>(Error{Remedy::wait, "no reply until the deadline"});
      break;
    } else {
      wake_.wait_for(lock, std::chrono::nanoseconds(deadline.ns - now_ns()));
    }
  }
  followers_.fetch_sub(1, std::memory_order_relaxed);
  waiters_.erase(std::find(waiters_.begin(), waiters_.end(), &waiter));
  return result;
}

/// Gives the reader's role back and tells one who waits for it.
void ClientConnection::stop_reading() noexcept {
  reading_.exchange(false, std::memory_order_seq_cst);
  if (followers_.load(std::memory_order_seq_cst) == 0) return;
  const std::lock_guard lock(wait_mutex_);
  wake_.notify_all();
}

Result<void> ClientConnection::read_until(std::uint32_t request_id, Deadline deadline, Reply& reply) {
  for (;;) {
    auto frame = channel_->receive(deadline);
    if (!frame) {
      stop_reading();
      return frame.take_error();
    }
    if (plain_reply_to(request_id, *frame) && answered_.load(std::memory_order_relaxed) != asked_.load(std::memory_order_acquire)) [[likely]] {
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
      stop_reading();
      return error;
    }
    auto whole = assembler_.add(*frame, header);
    if (!whole) {
      channel_->close();
      stop_reading();
      return whole.take_error();
    }
    if (whole->empty()) {
      channel_->release();
      continue;
    }
    Result<void> step;
    if (header.type == giop::MessageType::reply || header.type == giop::MessageType::locate_reply) {
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
      const bool asked = answered_.load(std::memory_order_relaxed) != asked_.load(std::memory_order_acquire);
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
    channel_->release();
    if (!step) {
      channel_->close();
      stop_reading();
      return step;
    }
  }
}

/// Only the reader counts.
void ClientConnection::count_reply() noexcept {
  answered_.store(answered_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

/// What was given up may have been lost on the way, and is waited for by nobody.
bool ClientConnection::owes_more_than_lost() const noexcept {
  const std::lock_guard lock(wait_mutex_);
  return asked_.load(std::memory_order_relaxed) - answered_.load(std::memory_order_relaxed) > forgotten_.size();
}

void ClientConnection::hand_over(std::uint32_t request_id, const giop::MessageHeader& header, Bytes message) {
  const std::lock_guard lock(wait_mutex_);
  if (forgotten_.erase(request_id) != 0) return;
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

void ClientConnection::forget(std::uint32_t request_id) {
  const std::lock_guard lock(wait_mutex_);
  Reply arrived;
  if (claim_arrived_locked(request_id, arrived)) return;
  forgotten_.insert(request_id);
  if (forgotten_.size() > kMaxForgotten) close();
}

void ClientConnection::release(Reply& reply) noexcept {
  if (!reply.reading) return;
  reply.reading = false;
  assembler_.release();
  channel_->release();
  stop_reading();
}

}  // namespace orbweaver
