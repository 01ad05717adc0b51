#include "orb/server/server_connection.h"

#include "base/catch_and_log.h"
#include "base/log.h"
#include "giop/control_messages.h"
#include "giop/locate.h"
#include "orb/bidirectional/accepted_offer.h"
#include "orb/bidirectional/split_channel.h"
#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/server/upcall.h"
#include "orb/server/upcall_scope.h"
#include "platform/asymmetric_fence.h"
#include "platform/clock.h"

namespace orbweaver::orb {

using transport::Deadline;

namespace {
constexpr int kCloseMessageTimeoutMs = 500;

/// Deadline of CloseConnection and MessageError: a thread that serves other connections does not wait for a
/// client that does not read.
Deadline close_message_deadline(MayBlock may_block) noexcept {
  return may_block == MayBlock::yes ? Deadline::in_ms(kCloseMessageTimeoutMs) : Deadline{0};
}
}  // namespace

ServerConnection::ServerConnection(Core& core, std::unique_ptr<transport::Channel> channel,
                                   const char* transport,
                                   std::unique_ptr<IncomingConnections::Admission> admission,
                                   MayBlock may_block, EventHandler* handler)
    : core_(core), may_block_(may_block), channel_(std::move(channel)),
      readiness_(channel_->capabilities().readiness), source_(&core), peer_(channel_->peer()),
      admitted_(admission == nullptr || admission->is_admitted()), is_concurrent_(is_unordered()),
      share_(
          core.receive_budget(), [this](const std::string& why) { close_with_warning(why); },
          ReceiveBudget::Timed::yes,
          [this] {
            if (is_concurrent_.load(std::memory_order_relaxed))
              return concurrent_parked_.load(std::memory_order_relaxed) || has_input();
            const State state = state_.load(std::memory_order_relaxed);
            return state == State::serving || state == State::parked || has_input();
          }),
      service_(core.endpoints().incoming().service_budget(),
               [this](const std::string& why) { close_with_warning(why); }),
      assembler_(core.options().max_message_bytes, limits::kMaxFragmentedMessages, &share_),
      handler_(handler), concurrent_(is_unordered() ? make_concurrent_requests() : nullptr),
      replies_(*channel_, peer_, service_, core.options(), core.flusher(), may_block,
               concurrent_ == nullptr ? nullptr : &concurrent_->replies()),
      is_plain_connection_(admitted_ && replies_.is_plain() && core.request_interception() == nullptr),
      served_{replies_, channel_->capabilities().block_receiver, may_block == MayBlock::yes,
              is_plain_connection_, &target_queue_},
      // For a connection with its own thread: only if polling the descriptor has no side effect.
      polls_descriptor_(readiness_ != nullptr &&
                        (may_block == MayBlock::no || channel_->capabilities().polls_data_socket)),
      idle_since_ns_(platform::now_ns()), admission_(std::move(admission)) {
  peer_.transport = transport;
  share_.count_for(peer_);
  service_.count_for(peer_);
  if (admission_ != nullptr) admission_->watch(*this);
}

std::unique_ptr<ConcurrentRequests> ServerConnection::make_concurrent_requests() {
  // Replies of requests in the queues of objects, before no further message is read.
  constexpr std::size_t kMaxUnsentReplies = 64;
  const std::size_t limit = is_unordered() ? core_.options().pool_threads : kMaxUnsentReplies;
  return std::make_unique<ConcurrentRequests>(
      ConcurrentRequests::Settings{handler_ == nullptr ? nullptr : core_.reactor(), handler_, limit},
      *channel_, peer_, service_, concurrent_parked_,
      [this] {
        state_.store(State::idle, std::memory_order_release);
        platform::light_fence();
        return !closing_.load(std::memory_order_acquire);
      },
      [this] { catch_and_log("closing a connection", [this] { close_between_requests(); }); });
}

bool ServerConnection::is_unordered() const noexcept {
  return core_.options().threads == Options::Threads::unordered;
}

ServerConnection::~ServerConnection() {
  if (offer_ != nullptr) offer_->remove_peer(peer_);
  admission_ = nullptr;  // ends the supervision by IncomingConnections
  space_ = nullptr;      // its callback uses concurrent_
  if (deferred_ != nullptr) deferred_->close();
  concurrent_ = nullptr;  // joins the thread of replies, which uses this object
}

void ServerConnection::serve() {
  const UpcallScope upcall(peer_, &header_cache_.dispatch_cache(), &served_.is_plain);
  for (;;) {
    Bytes message;
    {
      const auto frame = channel_->receive(Deadline::never());
      if (!frame) {
        log_end(frame.error());
        return;
      }
      message = *frame;
    }
    const ServeResult result = serve_frame(message);
    if (result == ServeResult::request) [[likely]]
      continue;
    if (result == ServeResult::parked) serve_with_queues();
    return;
  }
}

ServerConnection::ServeResult ServerConnection::serve_one() {
  const UpcallScope upcall(peer_, &header_cache_.dispatch_cache(), &served_.is_plain);
  if (concurrent_ != nullptr) return serve_turn(Deadline{0});
  if (served_.is_held) return serve_parked();
  auto frame = channel_->receive(Deadline{0});
  if (frame) return serve_frame(*frame);
  if (frame.error().kind == ErrorKind::timed_out) return ServeResult::no_message;
  log_end(frame.error());
  return ServeResult::ended;
}

inline bool ServerConnection::become_idle() {
  state_.store(State::idle, std::memory_order_release);
  platform::light_fence();
  return !closing_.load(std::memory_order_acquire) || close_between_requests();
}

bool ServerConnection::close_between_requests() {
  send_close_connection(close_message_deadline(may_block_));
  return false;
}

/// Completes a message and returns what follows for the connection.
inline ServerConnection::ServeResult ServerConnection::complete_message(bool is_usable) {
  scratch_.reset();
  if (!served_.is_plain) [[unlikely]]
    return complete_unusual_message(is_usable);
  channel_->release();
  return is_usable && become_idle() ? ServeResult::request : ServeResult::ended;
}

inline bool ServerConnection::begin_serving() {
  // S1: the state is stored before `closing_` is loaded; pairs with S2.
  state_.store(State::serving, std::memory_order_relaxed);
  platform::light_fence();
  return !closing_.load(std::memory_order_acquire) || close_between_requests();
}

/// Serves a received frame. A request whose header equals the cached one is served here.
[[gnu::always_inline]] inline ServerConnection::ServeResult ServerConnection::serve_begun_frame(Bytes frame) {
  if (frame.size() >= ServiceBudget::kMinCountedBytes) [[unlikely]]
    count_request(frame.size());
  const giop::RequestHeader* const request = header_cache_.match(frame);
  if (request == nullptr) [[unlikely]]
    return serve_uncached_frame(frame);
  cdr::Decoder in(frame.data(), frame.size(), false, &scratch_);
  in.skip(header_cache_.arguments_offset());
  const bool is_usable =
      Upcall(*this, served_, giop::kGiop12, *request, in, &header_cache_.dispatch_cache()).serve(core_);
  if (served_.is_held) [[unlikely]] {
    parked_message_ = frame;
    giop::read_header(frame, parked_header_);
  }
  return complete_message(is_usable);
}

ServerConnection::ServeResult ServerConnection::serve_frame(Bytes frame) {
  if (!begin_serving()) [[unlikely]] {
    put_back(frame);
    return ServeResult::ended;
  }
  return serve_begun_frame(frame);
}

/// Serves a message in a turn of concurrent service.
ServerConnection::ServeResult ServerConnection::serve_read_message(Bytes frame) {
  return is_unordered() ? serve_uncached_frame(frame) : serve_begun_frame(frame);
}

ServerConnection::ServeResult ServerConnection::serve_uncached_frame(Bytes frame) {
  giop::MessageHeader header;
  if (!giop::read_header(frame, header)) {
    send_message_error();
    close_with_warning(giop::invalid_header_error(frame).message);
    return ServeResult::ended;
  }
  minor_version_.store(header.version.minor, std::memory_order_relaxed);
  auto whole = assembler_.add(frame, header);
  if (!whole) {
    send_message_error();
    close_with_warning(whole.error().message);
    return ServeResult::ended;
  }
  if (whole->empty() && !admitted_) [[unlikely]] {  // a fragment of a large request, which is not stored
    send_close_connection(close_message_deadline(may_block_));
    return ServeResult::ended;
  }
  if (whole->size() >= ServiceBudget::kMinCountedBytes && !is_unordered()) [[unlikely]]
    count_request(whole->size());
  parked_message_ = *whole;
  parked_header_ = header;
  const ServeResult done = complete_message(whole->empty() || handle(*whole, header));
  if (!served_.is_held) assembler_.release();
  return done;
}

/// Handles the parked message again, in a turn.
ServerConnection::ServeResult ServerConnection::handle_parked_message() {
  served_.is_held = false;
  return complete_message(handle(parked_message_, parked_header_));
}

/// Serves the parked message again.
ServerConnection::ServeResult ServerConnection::serve_parked() {
  if (!begin_serving()) {
    put_back(parked_message_);
    return ServeResult::ended;
  }
  const ServeResult done = handle_parked_message();
  if (!served_.is_held) assembler_.release();
  return done;
}

ServerConnection::ServeResult ServerConnection::complete_unusual_message(bool is_usable) {
  restore_priority();
  if (served_.is_held) {
    if (target_queue_ != nullptr) return concurrent_ == nullptr ? queue_first_message() : queue_message();
    if (concurrent_ != nullptr) return ServeResult::parked;
    if (!become_idle()) return ServeResult::ended;
    state_.store(State::parked, std::memory_order_relaxed);
    return ServeResult::parked;
  }
  if (concurrent_ == nullptr && deferred_ != nullptr) return begin_deferring(is_usable);
  if (concurrent_ != nullptr) {
    channel_->release();
    service_.end_request();
    over_budget_ = false;
    return is_usable ? ServeResult::request : ServeResult::ended;
  }
  channel_->release();
  service_.end_request();
  over_budget_ = false;
  served_.is_plain = is_plain_connection_;
  replies_.end_request();
  if (replies_.has_deferred_reply()) return ServeResult::reply_deferred;
  return is_usable && become_idle() ? ServeResult::request : ServeResult::ended;
}

bool ServerConnection::finish_deferred_reply() { return replies_.finish_deferred_reply() && become_idle(); }

void ServerConnection::count_request(std::size_t bytes) noexcept {
  over_budget_ = !service_.begin_request(bytes);
  served_.is_plain = false;
}

namespace {

[[noreturn, gnu::cold]] void reject_over_budget(Core& core, const Peer& peer) {
  log::write_limited(log::Level::warn, "request rejected", log::origin(peer), [&] {
    EndpointRegistry& endpoints = core.endpoints();
    return "request from " + peer.address + " rejected (TRANSIENT): -ORBTune service-bytes reached, " +
           std::to_string(endpoints.incoming().service_budget().request_bytes()) + " bytes in service, " +
           std::to_string(endpoints.request_queues().waiting().request_bytes()) +
           " waiting for request queues";
  });
  throw CORBA::TRANSIENT(
      minor::kServiceBudgetExceeded, CORBA::CompletionStatus::COMPLETED_NO,
      "the server has reached its limit of request bytes in service (-ORBTune service-bytes)");
}

}  // namespace

void ServerConnection::check_admission(const giop::Target& target) {
  if (pool_is_full_) [[unlikely]] {
    throw CORBA::TRANSIENT(minor::kThreadPoolFull, CORBA::CompletionStatus::COMPLETED_NO,
                           "the request buffer of the object's thread pool is full");
  }
  if (over_budget_ && queue_of(target) == nullptr) [[unlikely]]
    reject_over_budget(core_, peer_);
  if (bidirectional_only_ && !target.needs_key && !core_.finder()->is_bidirectional(target.object_key)) {
    throw CORBA::NO_PERMISSION(minor::kNotBidirectional, CORBA::CompletionStatus::COMPLETED_NO,
                               "the object is not to be called over a connection of its own process: the "
                               "BidirectionalPolicy of its POA is not BOTH");
  }
  if (admitted_) [[likely]]
    return;
  closing_.store(true, std::memory_order_release);
  throw CORBA::NO_PERMISSION(minor::kAccessDenied, CORBA::CompletionStatus::COMPLETED_NO,
                             "the server's access rules (-ORBAllow, -ORBDeny) do not admit this caller");
}

void ServerConnection::close_orderly(Deadline deadline) {
  closing_.store(true, std::memory_order_release);
  if (SplitChannel* const split = split_.load(std::memory_order_acquire)) split->begin_closing(deadline);
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
    case giop::MessageType::locate_request: return locate(in, header, served_);
    case giop::MessageType::cancel_request: return cancel(in);
    case giop::MessageType::close_connection:
    case giop::MessageType::message_error: return false;
    default:
      send_message_error();
      close_with_warning(std::string("unexpected message type ") + giop::to_string(header.type));
      return false;
  }
}

/// Without concurrent requests, those before are complete.
bool ServerConnection::cancel(cdr::Decoder& in) {
  std::uint32_t request_id = 0;
  if (!giop::decode_cancel_request(in, request_id)) {
    send_message_error();
    close_with_warning(giop::malformed("CancelRequest", in).message);
    return false;
  }
  if (concurrent_ != nullptr) concurrent_->cancel(request_id);
  return true;
}

bool ServerConnection::request(cdr::Decoder& in, Bytes message, const giop::MessageHeader& header) {
  const bool detaches = is_unordered() && admitted_ && !over_budget_;
  const bool has_queues = detaches && core_.endpoints().request_queues().in_use();
  const bool decodes_first = has_queues || offer_ != nullptr;
  if (detaches && !decodes_first && detach(message, header)) return true;
  giop::RequestHeader request;
  if (!giop::decode_request(in, header.version, request)) {
    send_message_error();
    close_with_warning(giop::malformed("request header", in).message);
    return false;
  }
  if (offer_ != nullptr && !take_offer(request, header.version)) [[unlikely]]
    return false;
  if (has_queues && holds_for_queue(request.target)) return true;
  if (detaches && decodes_first && detach(message, header)) return true;
  if (!is_unordered()) header_cache_.store(message, header, request, in.offset());
  return Upcall(*this, served_, header.version, request, in, nullptr).serve(core_);
}

bool ServerConnection::locate(cdr::Decoder& in, const giop::MessageHeader& header, ServedRequest& served) {
  giop::LocateRequest request;
  if (!giop::decode_locate_request(in, header.version, request)) {
    send_message_error();
    close_with_warning(giop::malformed("locate request", in).message);
    return false;
  }
  // After the requests before it: a collocated caller waits for its one-way calls in this way.
  if (admitted_ && !served.is_queued && holds_for_queue(request.target, Pools::no)) return true;
  giop::LocateReply reply{request.request_id, giop::LocateStatus::unknown_object};
  std::uint8_t room[giop::kLocateReplyBytes + 8];
  cdr::Encoder out(room, sizeof room);
  if (request.target.needs_key) {
    reply.status = giop::LocateStatus::needs_addressing_mode;
    giop::encode_locate_reply(out, header.version, reply);
    giop::encode(out, giop::AddressingDisposition::key);
  } else {
    // A peer that is not admitted gets no information about objects; its first request is rejected.
    ObjectFinder& finder = *core_.finder();
    const Bytes key = request.target.object_key;
    if (!admitted_ || (served.is_queued ? finder.request_queue(key) == *served.queue : serves(key)))
      reply.status = giop::LocateStatus::object_here;
    giop::encode_locate_reply(out, header.version, reply);
  }
  return giop::finish_message(out) && served.replies.send_small({out.data(), out.size()});
}

void ServerConnection::send_close_connection(Deadline deadline) {
  if (close_connection_sent_.exchange(true)) return;
  reply_to_deferred();
  // The connection is closing: the result is irrelevant, and a client that does not read is not waited for.
  (void)replies_.send(giop::close_connection(client_version()), deadline);
  channel_->close();
}

void ServerConnection::send_message_error() {
  (void)replies_.send(giop::message_error(client_version()), close_message_deadline(may_block_));
}

void ServerConnection::log_end(const Error& error) const {
  log::write_limited(log::Level::debug, "connection closed", log::origin(peer_),
                     [&] { return "connection from " + peer_.address + " closed: " + error.message; });
}

}  // namespace orbweaver::orb
