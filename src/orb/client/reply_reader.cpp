#include "orb/client/reply_reader.h"

#include <new>
#include <span>

#include "giop/reply.h"
#include "orb/client/async_replies.h"
#include "orb/server/reactor.h"
#include "orb/server/thread_pool.h"
#include "platform/socket.h"

namespace orbweaver::orb {
namespace {

/// Frames that a reader processes after its deadline, if they have already arrived: ignored replies may
/// precede the awaited one. The limit bounds the delay caused by a server that sends continuously.
constexpr std::size_t kMaxLateFrames = kMaxIgnoredReplies;

/// The request id of a reply or locate reply, with `in` after the message header.
std::uint32_t reply_id(cdr::Decoder& in, const giop::MessageHeader& header) noexcept {
  // GIOP 1.2 replies and locate replies begin with the request id; GIOP 1.0 and 1.1 replies with the
  // contexts.
  if (header.type != giop::MessageType::reply || header.version >= giop::kGiop12)
    return in.get<std::uint32_t>();
  giop::ReplyHeader old;
  giop::decode_reply(in, header.version, old);
  return old.request_id;
}

}  // namespace

ReplyReader::ReplyReader(ConnectionState& state, ReplyTable& replies, std::size_t max_message_bytes,
                         Reactor* reactor, std::shared_ptr<ReceiveBudget> budget,
                         std::function<void()> close_connection,
                         std::function<void(const std::string&)> close_for_limit)
    : state_(state), replies_(replies), reactor_(reactor), close_connection_(std::move(close_connection)),
      share_(std::move(budget), std::move(close_for_limit)),
      assembler_(max_message_bytes, limits::kMaxFragmentedMessages, &share_) {
  share_.count_for(state.channel->peer());
}

Result<void> ReplyReader::await(std::uint32_t request_id, Deadline deadline, Reply& reply) try {
  if (reactor_ == nullptr) return await_blocking(request_id, deadline, reply);
  if (reactor_->must_serve_while_waiting()) return await_while_serving(request_id, deadline, reply);
  const ThreadPool::BlockedScope blocked;
  return await_blocking(request_id, deadline, reply);
} catch (const std::bad_alloc&) {
  return no_memory(request_id);
}

Error ReplyReader::no_memory(std::uint32_t request_id) {
  ignore_reply(request_id);
  return {ErrorKind::disconnected, "no memory"};
}

Result<void> ReplyReader::await_blocking(std::uint32_t request_id, Deadline deadline, Reply& reply) {
  if (role_.try_take()) return await_as_reader(request_id, deadline, reply);
  auto followed = replies_.follow(request_id, deadline, reply, role_);
  if (!followed) return finish_await(followed.take_error(), request_id);
  if (*followed) return {};
  return finish_await(read_until(request_id, deadline, reply), request_id);
}

/// Waits as the reader. Another thread may have stored the reply before.
Result<void> ReplyReader::await_as_reader(std::uint32_t request_id, Deadline deadline, Reply& reply) try {
  if (replies_.has_early() && replies_.take_early(request_id, reply)) {
    release_role();
    return {};
  }
  return finish_await(read_until(request_id, deadline, reply), request_id);
} catch (const std::bad_alloc&) {
  return no_memory(request_id);
}

Result<void> ReplyReader::await_further(Result<Bytes> frame, std::uint32_t request_id, Deadline deadline,
                                        Reply& reply) try {
  return finish_await(read_frames(std::move(frame), request_id, deadline, reply), request_id);
} catch (const std::bad_alloc&) {
  return no_memory(request_id);
}

/// After an error: ignores a later reply.
Result<void> ReplyReader::finish_await(Result<void> done, std::uint32_t request_id) {
  if (done) return {};
  ignore_reply(request_id);
  return state_.note(done.take_error());
}

void ReplyReader::ignore_reply(std::uint32_t request_id) noexcept {
  // Without the table's mutex: closing may block, and other threads may need the mutex.
  if (!replies_.ignore(request_id)) close_connection_();
}

/// Ends reading with `error`. References keep a failed connection until they are used again; the memory of
/// its incomplete messages is released now.
Error ReplyReader::end_reading(Error error) noexcept {
  if (error.kind == ErrorKind::disconnected) assembler_.clear();
  release_role();
  return error;
}

/// Reads until the reply to `request_id` arrives. Called by the reader; the role is kept only if `reply` is
/// in the channel.
Result<void> ReplyReader::read_until(std::uint32_t request_id, Deadline deadline, Reply& reply) {
  return read_frames(state_.channel->receive(deadline), request_id, deadline, reply);
}

/// As read_until, with the result of the first `receive`.
Result<void> ReplyReader::read_frames(Result<Bytes> frame, std::uint32_t request_id, Deadline deadline,
                                      Reply& reply) {
  transport::Channel& channel = *state_.channel;
  bool has_frame = true;
  try {
    for (std::size_t late_frames = 0;; frame = channel.receive(deadline)) {
      has_frame = static_cast<bool>(frame);
      if (!has_frame) return end_reading(frame.take_error());
      if (is_plain_reply(*frame, request_id) && replies_.outstanding() != 0) {
        take_plain(*frame, reply);
        return {};
      }
      giop::MessageHeader header;
      if (!giop::read_header(*frame, header)) {
        Error error = giop::invalid_header_error(*frame);
        channel.close();
        return end_reading(std::move(error));
      }
      auto message = assembler_.add(*frame, header);
      if (!message) {
        channel.close();
        return end_reading(message.take_error());
      }
      auto arrived = handle_message(*message, header, request_id, reply);
      if (arrived && *arrived) return {};
      has_frame = false;
      assembler_.release();
      channel.release();
      if (!arrived) {
        channel.close();
        return end_reading(arrived.take_error());
      }
      if (deadline.passed() && ++late_frames == kMaxLateFrames) {
        return end_reading({ErrorKind::timed_out,
                            "deadline exceeded while waiting for the reply: the server sends continuously"});
      }
    }
  } catch (const std::bad_alloc&) {
    channel.close();  // the reply lost may be another thread's
    if (has_frame) channel.release();
    return end_reading({ErrorKind::disconnected, "no memory"});
  }
}

/// Handles a message; empty: a part of an incomplete one. True: it is the reply to `request_id`, now in
/// `reply`. Errors: the server has closed, or violated the protocol.
Result<bool> ReplyReader::handle_message(Bytes message, const giop::MessageHeader& header,
                                         std::uint32_t request_id, Reply& reply) {
  if (message.empty()) return false;
  if (header.type != giop::MessageType::reply && header.type != giop::MessageType::locate_reply)
    return control_error(header);
  cdr::Decoder in = giop::open_body(message, header);
  const std::uint32_t id = reply_id(in, header);
  const bool expected = replies_.expects(id);
  replies_.count_reply();
  if (!in.ok()) return giop::malformed("reply header", in);
  if (!expected) {
    return Error{ErrorKind::disconnected, state_.description + ": unexpected reply: request " +
                                              std::to_string(id) + " is not outstanding"};
  }
  if (id != request_id) {
    AsyncReplies* const async = replies_.async();
    if (async == nullptr || !async->take(id, header, message)) replies_.deliver(id, header, message);
    return false;
  }
  reply.header = header;
  reply.message = message;
  reply.in_channel = true;
  return true;
}

/// The error for a message that is not a reply.
[[gnu::cold]] Error ReplyReader::control_error(const giop::MessageHeader& header) {
  switch (header.type) {
    case giop::MessageType::close_connection:
      state_.closed_orderly.store(true, std::memory_order_release);
      state_.mark_unusable();
      return {ErrorKind::disconnected, state_.description + ": the server closed the connection"};
    case giop::MessageType::message_error:
      return {ErrorKind::disconnected, state_.description + ": the server sent MessageError"};
    default:
      return {ErrorKind::disconnected,
              state_.description + ": unexpected message type " + giop::to_string(header.type)};
  }
}

void ReplyReader::check_for_close() {
  if (role_.try_take()) read_pending();  // the current reader will detect it otherwise
}

void ReplyReader::check_for_close_if_readable() {
  if (!role_.try_take()) return;
  transport::Readiness* const readiness = state_.channel->capabilities().readiness;
  const int fd = readiness != nullptr ? readiness->descriptor() : -1;
  platform::PollItem item{fd, platform::kReadable};
  const bool nothing = fd >= 0 && readiness->arm() && platform::poll(std::span(&item, 1), Deadline{0}) == 0;
  if (nothing) return release_role();
  read_pending();
}

/// Processes the frames that have arrived, then releases the reader role. Called by the reader.
void ReplyReader::read_pending() {
  constexpr std::uint32_t kNoRequest = 0;  // request ids begin at 1
  Reply unused;
  if (auto read = read_until(kNoRequest, Deadline::in_ns(0), unused)) {
    release(unused);
  } else {
    state_.note(read.take_error());
  }
}

bool ReplyReader::try_take_role_for_close() noexcept {
  if (!role_.try_take()) return false;
  state_.mark_unusable();
  assembler_.clear();
  return true;
}

}  // namespace orbweaver::orb
