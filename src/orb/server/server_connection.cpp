#include "orb/server/server_connection.h"

#include "base/catch_and_log.h"
#include "base/log.h"
#include "giop/control_messages.h"
#include "giop/locate.h"
#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/server/upcall.h"
#include "orb/server/upcall_scope.h"
#include "platform/asymmetric_fence.h"
#include "platform/clock.h"

namespace orbweaver::orb {

using transport::Deadline;

namespace {
/// Fragment size of replies, SIZE_MAX for no fragmentation. A thread that blocks between two fragments is the
/// connection's own, or is replaced in its pool; the thread of a single-threaded ORB defers whole replies
/// instead.
std::size_t fragment_bytes(const Options& options, const transport::Channel& channel) noexcept {
  const bool some = options.max_fragment_bytes != 0 && options.threads != Options::Threads::single &&
                    channel.allows_fragments();
  return some ? options.max_fragment_bytes : SIZE_MAX;
}

constexpr int kCloseMessageTimeoutMs = 500;

/// Deadline of CloseConnection and MessageError: a thread that serves other connections does not wait for a
/// client that does not read.
Deadline close_message_deadline(ServerConnection::MayBlock waits) noexcept {
  return waits == ServerConnection::MayBlock::yes ? Deadline::in_ms(kCloseMessageTimeoutMs) : Deadline{0};
}

/// Whether replies are batched: sending costs a system call, and `arm` reports exactly whether input has been
/// read ahead.
bool supports_reply_batches(std::string_view transport) {
  return transport == "tcp" || transport == "unix" || transport == "mqueue" || transport == "tls";
}

/// Whether the channel's descriptor is the socket that carries its data.
bool is_socket(std::string_view transport) {
  return transport == "tcp" || transport == "unix" || transport == "tls";
}
}  // namespace

ServerConnection::ServerConnection(Core& core, std::unique_ptr<transport::Channel> channel,
                                   const char* transport,
                                   std::unique_ptr<ConnectionLimits::Admission> admission, MayBlock waits)
    : core_(core), may_block_(waits), channel_(std::move(channel)), peer_(channel_->peer()),
      share_(
          core.receive_budget(), [this](const std::string& why) { end(why); }, ReceiveBudget::Timed::yes,
          [this] {
            const State state = state_.load(std::memory_order_relaxed);
            return state == State::serving || state == State::held || has_input();
          }),
      service_(core.endpoints().limits().service_budget(), [this](const std::string& why) { end(why); }),
      assembler_(core.options().max_message_bytes, limits::kMaxFragmentedMessages, &share_),
      // For a connection with its own thread: only if polling the descriptor has no side effect.
      polls_descriptor_(waits == MayBlock::no || is_socket(transport)),
      fragment_bytes_(fragment_bytes(core.options(), *channel_)), idle_since_ns_(platform::now_ns()),
      admission_(std::move(admission)) {
  peer_.transport = transport;
  share_.count_for(peer_);
  service_.count_for(peer_);
  admitted_ = admission_ == nullptr || admission_->allowed();
  if (const Batching batching = core.options().batching(core.flusher());
      batching.delay_ns != 0 && waits == MayBlock::yes && supports_reply_batches(transport)) {
    batch_ = CORBA::make_reference<ReplyBatch>(*channel_, batching);
  }
  if (admission_ != nullptr) admission_->watch(*this);
}

ServerConnection::~ServerConnection() {
  admission_ = nullptr;  // ends the supervision by ConnectionLimits
  if (batch_) batch_->end();
}

void ServerConnection::serve() {
  const UpcallScope upcall(peer_);
  for (;;) {
    auto frame = channel_->receive(Deadline::never());
    if (!frame) {
      log_end(frame.error());
      return;
    }
    if (serve_frame(*frame) != ServeResult::request) return;
  }
}

ServerConnection::ServeResult ServerConnection::serve_one() {
  const UpcallScope upcall(peer_);
  if (parked_) return serve_parked();
  auto frame = channel_->receive(Deadline{0});
  if (frame) return serve_frame(*frame);
  if (frame.error().kind == ErrorKind::timed_out) return ServeResult::nothing;
  log_end(frame.error());
  return ServeResult::ended;
}

ServerConnection::ServeResult ServerConnection::serve_frame(Bytes frame) {
  // S1: the state is stored before `closing_` is loaded; pairs with S2.
  state_.store(State::serving, std::memory_order_relaxed);
  platform::light_fence();
  if (closing_.load(std::memory_order_acquire)) [[unlikely]] {
    send_close_connection(close_message_deadline(may_block_));
    return ServeResult::ended;
  }
  bool go_on = true;
  giop::MessageHeader header;
  if (frame.size() >= ServiceBudget::kMinCountedBytes) [[unlikely]]
    count_request(frame.size());
  if (serve_cached_request(frame, go_on)) [[likely]] {
    if (parked_) [[unlikely]] {
      parked_message_ = frame;
      giop::read_header(frame, parked_header_);
    }
    return complete_message(go_on);
  }
  if (!giop::read_header(frame, header)) {
    send_message_error();
    end(giop::invalid_header_error(frame).message);
    return ServeResult::ended;
  }
  minor_version_.store(header.version.minor, std::memory_order_relaxed);
  auto whole = assembler_.add(frame, header);
  if (!whole) {
    send_message_error();
    end(whole.error().message);
    return ServeResult::ended;
  }
  if (whole->empty() && !admitted_) [[unlikely]] {  // a fragment of a large request, which is not stored
    send_close_connection(close_message_deadline(may_block_));
    return ServeResult::ended;
  }
  if (whole->size() >= ServiceBudget::kMinCountedBytes) [[unlikely]]
    count_request(whole->size());
  parked_message_ = *whole;
  parked_header_ = header;
  const ServeResult done = complete_message(whole->empty() || handle(*whole, header));
  if (!parked_) assembler_.release();
  return done;
}

/// Serves the parked message again.
ServerConnection::ServeResult ServerConnection::serve_parked() {
  parked_ = false;
  state_.store(State::serving, std::memory_order_relaxed);  // S1
  platform::light_fence();
  if (closing_.load(std::memory_order_acquire)) {
    send_close_connection(close_message_deadline(may_block_));
    return ServeResult::ended;
  }
  const ServeResult done = complete_message(handle(parked_message_, parked_header_));
  if (!parked_) assembler_.release();
  return done;
}

/// Completes a message and returns what follows for the connection.
ServerConnection::ServeResult ServerConnection::complete_message(bool go_on) {
  if (parked_) [[unlikely]] {
    if (!become_idle()) return ServeResult::ended;
    state_.store(State::held, std::memory_order_relaxed);
    return ServeResult::held;
  }
  channel_->release();
  service_.end_request();
  over_budget_ = false;
  if (batch_) [[unlikely]] {
    advance_send_sequence();
    batch_->end_request(!channel_->arm());
    advance_send_sequence();
  }
  if (deferred_bytes_ != 0) [[unlikely]]
    return ServeResult::late;
  return go_on && become_idle() ? ServeResult::request : ServeResult::ended;
}

/// Marks the connection idle. Returns false if it is to close; CloseConnection has then been sent.
bool ServerConnection::become_idle() {
  state_.store(State::idle, std::memory_order_release);
  platform::light_fence();
  if (!closing_.load(std::memory_order_acquire)) [[likely]]
    return true;
  send_close_connection(close_message_deadline(may_block_));
  return false;
}

void ServerConnection::check_admission() {
  if (over_budget_) [[unlikely]] {
    log::write_limited(log::Level::warn, "request rejected", log::origin(peer_), [&] {
      return "request from " + peer_.address + " rejected (TRANSIENT): -ORBTune service-bytes reached, " +
             std::to_string(core_.endpoints().limits().service_budget().request_bytes()) +
             " bytes in service";
    });
    throw CORBA::TRANSIENT(
        minor::kServiceBudgetExceeded, CORBA::CompletionStatus::COMPLETED_NO,
        "the server has reached its limit of request bytes in service (-ORBTune service-bytes)");
  }
  if (admitted_) [[likely]]
    return;
  closing_.store(true, std::memory_order_release);
  throw CORBA::NO_PERMISSION(minor::kAccessDenied, CORBA::CompletionStatus::COMPLETED_NO,
                             "the server's access rules (-ORBAllow, -ORBDeny) do not admit this caller");
}

void ServerConnection::close_orderly(Deadline deadline) {
  closing_.store(true, std::memory_order_release);
  // S2: `closing_` is stored before the state is loaded; pairs with S1. If a request is being served, its
  // thread loads `closing_` at the end.
  platform::heavy_fence();
  if (state_.load(std::memory_order_acquire) != State::serving) send_close_connection(deadline);
}

void ServerConnection::reject(transport::Channel& channel) noexcept {
  catch_and_log("sending CloseConnection to a rejected client", [&] {
    const auto message = giop::close_connection(giop::kGiop12);
    if (auto room = channel.claim(message.size(), Deadline{0})) {
      std::memcpy(room->data(), message.data(), message.size());
      (void)channel.commit(message.size(), Deadline{0});
    }
  });
  channel.close();
}

bool ServerConnection::handle(Bytes message, const giop::MessageHeader& header) {
  // A peer that is not admitted: its first request is answered with NO_PERMISSION; any other message closes
  // the connection.
  if (!admitted_ && header.type != giop::MessageType::request) [[unlikely]] {
    send_close_connection(close_message_deadline(may_block_));
    return false;
  }
  cdr::Decoder in = giop::open_body(message, header, &scratch_);
  switch (header.type) {
    case giop::MessageType::request: return request(in, message, header);
    case giop::MessageType::locate_request: return locate(in, header);
    case giop::MessageType::cancel_request:
      return true;  // requests are served in order: the one to cancel is complete
    case giop::MessageType::close_connection:
    case giop::MessageType::message_error: return false;
    default:
      send_message_error();
      end(std::string("unexpected message type ") + giop::to_string(header.type));
      return false;
  }
}

bool ServerConnection::request(cdr::Decoder& in, Bytes message, const giop::MessageHeader& header) {
  giop::RequestHeader request;
  if (!giop::decode_request(in, header.version, request)) {
    send_message_error();
    end(giop::malformed("request header", in).message);
    return false;
  }
  header_cache_.store(message, header, request, in.offset());
  return serve_request(in, header.version, request, nullptr);
}

bool ServerConnection::serve_request(cdr::Decoder& in, giop::Version version,
                                     const giop::RequestHeader& request, DispatchCache* dispatch_cache) {
  in.blocks(channel_->block_receiver());
  Upcall call(*this, version, request, in, dispatch_cache);
  const bool sent = call.serve(core_);
  scratch_.reset();
  return sent;
}

/// Serves a request whose header equals the cached one. Returns false if it does not.
bool ServerConnection::serve_cached_request(Bytes message, bool& sent) {
  const giop::RequestHeader* const request = header_cache_.match(message, channel_->received_prefix());
  if (request == nullptr) return false;
  cdr::Decoder in(message.data(), message.size(), false, &scratch_);
  in.skip(header_cache_.arguments_offset());
  sent = serve_request(in, giop::kGiop12, *request, &header_cache_.dispatch_cache());
  return true;
}

bool ServerConnection::locate(cdr::Decoder& in, const giop::MessageHeader& header) {
  giop::LocateRequest request;
  if (!giop::decode_locate_request(in, header.version, request)) {
    send_message_error();
    end(giop::malformed("locate request", in).message);
    return false;
  }
  giop::LocateReply reply{request.request_id, giop::LocateStatus::unknown_object};
  std::uint8_t room[giop::kLocateReplyBytes + 8];
  cdr::Encoder out(room, sizeof room);
  if (request.target.needs_key) {
    reply.status = giop::LocateStatus::needs_addressing_mode;
    giop::encode_locate_reply(out, header.version, reply);
    giop::encode(out, giop::AddressingDisposition::key);
  } else {
    // A peer that is not admitted gets no information about objects; its first request is rejected.
    if (!admitted_ || core_.finder()->knows(request.target.object_key))
      reply.status = giop::LocateStatus::object_here;
    giop::encode_locate_reply(out, header.version, reply);
  }
  return giop::finish_message(out) && send_message({out.data(), out.size()});
}

bool ServerConnection::send_message(Bytes message) {
  auto room = claim_reply(message.size());
  if (!room) return false;
  std::memcpy(room->data(), message.data(), message.size());
  return static_cast<bool>(commit_reply(message.size()));
}

Result<void> ServerConnection::send(Bytes message, Deadline deadline) {
  auto room = batch_ ? batch_->claim(message.size(), deadline) : channel_->claim(message.size(), deadline);
  if (!room) return room.take_error();
  std::memcpy(room->data(), message.data(), message.size());
  return batch_ ? batch_->commit(message.size(), deadline) : channel_->commit(message.size(), deadline);
}

void ServerConnection::send_close_connection(Deadline deadline) {
  if (close_connection_sent_.exchange(true)) return;
  // The connection is closing: the result is irrelevant, and a client that does not read is not waited for.
  (void)send(giop::close_connection(client_version()), deadline);
  channel_->close();
}

void ServerConnection::send_message_error() {
  (void)send(giop::message_error(client_version()), close_message_deadline(may_block_));
}

void ServerConnection::log_end(const Error& error) const {
  log::write_limited(log::Level::debug, "connection closed", log::origin(peer_),
                     [&] { return "connection from " + peer_.address + " closed: " + error.message; });
}

void ServerConnection::end(const std::string& why) {
  log::write_limited(log::Level::warn, "connection ended for what was received", log::origin(peer_),
                     [&] { return "connection from " + peer_.address + " closed: " + why; });
  channel_->close();
}

}  // namespace orbweaver::orb
