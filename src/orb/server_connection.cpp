#include "orb/server_connection.h"

#include "base/contained.h"
#include "base/log.h"
#include "giop/control.h"
#include "giop/locate.h"
#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/serving_call.h"
#include "platform/asymmetric_fence.h"
#include "platform/clock.h"

namespace orbweaver::orb {

using transport::Deadline;

namespace {
/// A thread that waits for its client between two fragments is one of the connection's own, or is replaced in
/// its pool. A single thread puts replies aside as a whole.
std::size_t fragment_bytes(const Options& options, const transport::Channel& channel) noexcept {
  const bool some = options.max_fragment_bytes != 0 && options.threads != Options::Threads::single &&
                    channel.takes_fragments();
  return some ? options.max_fragment_bytes : SIZE_MAX;
}

constexpr int kFarewellMs = 500;

/// A thread that others wait for does not wait for a client that takes nothing.
Deadline farewell(ServerConnection::Waits waits) noexcept {
  return waits == ServerConnection::Waits::yes ? Deadline::in_ms(kFarewellMs) : Deadline{0};
}

/// Where sending costs a system call, and `arm` tells of what has been read ahead and nothing else.
bool gathers(std::string_view transport) {
  return transport == "tcp" || transport == "unix" || transport == "mqueue" || transport == "tls";
}

/// Where the channel's descriptor is the socket that its bytes come by.
bool is_socket(std::string_view transport) {
  return transport == "tcp" || transport == "unix" || transport == "tls";
}
}  // namespace

ServerConnection::ServerConnection(Core& core, std::unique_ptr<transport::Channel> channel,
                                   const char* transport,
                                   std::unique_ptr<ConnectionLimits::Admission> admission, Waits waits)
    : core_(core),
      waits_(waits),
      channel_(std::move(channel)),
      peer_(channel_->peer()),
      share_(
          core.receive_budget(), [this](const std::string& why) { end(why); }, ReceiveBudget::Timed::yes,
          [this] {
            const State state = state_.load(std::memory_order_relaxed);
            return state == State::serving || state == State::held || has_input();
          }),
      service_(core.limits().service(), [this](const std::string& why) { end(why); }),
      assembler_(core.options().max_message_bytes, limits::kMaxFragmentedMessages, &share_),
      // Of one that serves with a thread of its own, where asking for it changes nothing.
      looks_at_descriptor_(waits == Waits::no || is_socket(transport)),
      fragment_bytes_(fragment_bytes(core.options(), *channel_)),
      idle_since_ns_(platform::now_ns()),
      admission_(std::move(admission)) {
  peer_.transport = transport;
  share_.count_for(peer_);
  service_.count_for(peer_);
  admitted_ = admission_ == nullptr || admission_->allowed();
  if (const Batching batching = core.batching(); batching.delay_ns != 0 && waits == Waits::yes && gathers(transport)) {
    batch_ = CORBA::make_reference<ReplyBatch>(*channel_, batching);
  }
  if (admission_ != nullptr) admission_->watch(*this);
}

ServerConnection::~ServerConnection() {
  admission_ = nullptr;  // nobody looks at this any more
  if (batch_) batch_->end();
}

void ServerConnection::serve() {
  const UpcallScope upcall(peer_);
  for (;;) {
    auto frame = channel_->receive(Deadline::never());
    if (!frame) {
      tell_end(frame.error());
      return;
    }
    if (serve_frame(*frame) != Served::request) return;
  }
}

ServerConnection::Served ServerConnection::serve_one() {
  const UpcallScope upcall(peer_);
  if (held_) return serve_held();
  auto frame = channel_->receive(Deadline{0});
  if (frame) return serve_frame(*frame);
  if (frame.error().remedy == Remedy::wait) return Served::nothing;
  tell_end(frame.error());
  return Served::ended;
}

ServerConnection::Served ServerConnection::serve_frame(Bytes frame) {
  // S1: announced before `closing_` is looked at; pairs with S2.
  state_.store(State::serving, std::memory_order_relaxed);
  platform::light_fence();
  if (closing_.load(std::memory_order_acquire)) [[unlikely]] {
    say_close(farewell(waits_));
    return Served::ended;
  }
  bool go_on = true;
  giop::MessageHeader header;
  if (frame.size() >= ServiceBudget::kLeastCounted) [[unlikely]]
    count_request(frame.size());
  if (known_request(frame, go_on)) [[likely]] {
    if (held_) [[unlikely]] {
      held_message_ = frame;
      giop::read_header(frame, held_header_);
    }
    return served(go_on);
  }
  if (!giop::read_header(frame, header)) {
    say_error();
    end(giop::describe_bad_header(frame).message);
    return Served::ended;
  }
  minor_version_.store(header.version.minor, std::memory_order_relaxed);
  auto whole = assembler_.add(frame, header);
  if (!whole) {
    say_error();
    end(whole.error().message);
    return Served::ended;
  }
  if (whole->empty() && !admitted_) [[unlikely]] {  // of a large request, of which nothing would be kept
    say_close(farewell(waits_));
    return Served::ended;
  }
  if (whole->size() >= ServiceBudget::kLeastCounted) [[unlikely]]
    count_request(whole->size());
  held_message_ = *whole;
  held_header_ = header;
  const Served done = served(whole->empty() || handle(*whole, header));
  if (!held_) assembler_.release();
  return done;
}

/// A message that is held, another time.
ServerConnection::Served ServerConnection::serve_held() {
  held_ = false;
  state_.store(State::serving, std::memory_order_relaxed);  // S1
  platform::light_fence();
  if (closing_.load(std::memory_order_acquire)) {
    say_close(farewell(waits_));
    return Served::ended;
  }
  const Served done = served(handle(held_message_, held_header_));
  if (!held_) assembler_.release();
  return done;
}

/// After a message: what is to come of the connection.
ServerConnection::Served ServerConnection::served(bool go_on) {
  if (held_) [[unlikely]] {
    if (!still_open()) return Served::ended;
    state_.store(State::held, std::memory_order_relaxed);
    return Served::held;
  }
  channel_->release();
  service_.end_request();
  too_much_ = false;
  if (batch_) [[unlikely]] {
    mark_sending();
    batch_->rest(!channel_->arm());
    mark_sending();
  }
  if (late_bytes_ != 0) [[unlikely]] return Served::late;
  return go_on && still_open() ? Served::request : Served::ended;
}

/// A request has been served. False, having said so to the client, if the connection is to close.
bool ServerConnection::still_open() {
  state_.store(State::idle, std::memory_order_release);
  platform::light_fence();
  if (!closing_.load(std::memory_order_acquire)) [[likely]] return true;
  say_close(farewell(waits_));
  return false;
}

void ServerConnection::check_admission() {
  if (too_much_) [[unlikely]] {
    log::write_limited(log::Level::warn, "too much to serve", log::origin(peer_), [&] {
      return "a large request from " + peer_.address +
             " is answered TRANSIENT: " + std::to_string(core_.limits().service().request_bytes()) +
             " bytes of others are being served (-ORBMaxServedBytes)";
    });
    throw CORBA::TRANSIENT(
        minor::kTooMuchServed, CORBA::CompletionStatus::COMPLETED_NO,
        "the server serves as many bytes of large requests as it may (-ORBMaxServedBytes)");
  }
  if (admitted_) [[likely]] return;
  closing_.store(true, std::memory_order_release);
  throw CORBA::NO_PERMISSION(minor::kAccessDenied, CORBA::CompletionStatus::COMPLETED_NO,
                             "the server's access rules (-ORBAllow, -ORBDeny) do not admit this caller");
}

void ServerConnection::close_in_order(Deadline patience) {
  closing_.store(true, std::memory_order_release);
  // S2: announced before the state is looked at; pairs with S1. Where a request is being served, its thread
  // sees `closing_` when it is done.
  platform::heavy_fence();
  if (state_.load(std::memory_order_acquire) != State::serving) say_close(patience);
}

void ServerConnection::turn_away(transport::Channel& channel) noexcept {
  contained("a client is turned away without a word", [&] {
    const auto message = giop::close_connection(giop::kGiop12);
    if (auto room = channel.claim(message.size(), Deadline{0})) {
      std::memcpy(room->data(), message.data(), message.size());
      (void)channel.commit(message.size(), Deadline{0});
    }
  });
  channel.close();
}

bool ServerConnection::handle(Bytes message, const giop::MessageHeader& header) {
  // Its first request is answered, with NO_PERMISSION. Whatever else it sends ends it: it keeps no place.
  if (!admitted_ && header.type != giop::MessageType::request) [[unlikely]] {
    say_close(farewell(waits_));
    return false;
  }
  cdr::Decoder in = giop::open_body(message, header, &scratch_);
  switch (header.type) {
    case giop::MessageType::request:
      return request(in, message, header);
    case giop::MessageType::locate_request:
      return locate(in, header);
    case giop::MessageType::cancel_request:
      return true;  // requests are served in order: what could be cancelled is done already
    case giop::MessageType::close_connection:
    case giop::MessageType::message_error:
      return false;
    default:
      say_error();
      end(std::string("a ") + giop::to_string(header.type) + ", which only servers send");
      return false;
  }
}

bool ServerConnection::request(cdr::Decoder& in, Bytes message, const giop::MessageHeader& header) {
  giop::RequestHeader request;
  if (!giop::decode_request(in, header.version, request)) {
    say_error();
    end(giop::malformed("request header", in).message);
    return false;
  }
  known_.remember(message, header, request, in.offset());
  return serve_request(in, header.version, request, nullptr);
}

bool ServerConnection::serve_request(cdr::Decoder& in, giop::Version version, const giop::RequestHeader& request, Way* way) {
  in.blocks(channel_->block_receiver());
  ServingCall call(*this, version, request, in, way);
  const bool sent = call.serve(core_);
  scratch_.reset();
  return sent;
}

/// Serves a request whose header is that of the last one. False if it is not.
bool ServerConnection::known_request(Bytes message, bool& sent) {
  const giop::RequestHeader* const request = known_.match(message, channel_->known());
  if (request == nullptr) return false;
  cdr::Decoder in(message.data(), message.size(), false, &scratch_);
  in.skip(known_.arguments());
  sent = serve_request(in, giop::kGiop12, *request, &known_.way());
  return true;
}

bool ServerConnection::locate(cdr::Decoder& in, const giop::MessageHeader& header) {
  giop::LocateRequest request;
  if (!giop::decode_locate_request(in, header.version, request)) {
    say_error();
    end(giop::malformed("locate request", in).message);
    return false;
  }
  giop::LocateReply reply{request.request_id, giop::LocateStatus::unknown_object};
  std::uint8_t room[giop::kLocateReplyBytes + 8];
  cdr::Encoder out(room, sizeof room);
  if (request.target.needs_key) {
    reply.status = giop::LocateStatus::needs_addressing_mode;
    giop::encode_locate_reply(out, header.version, reply);
    giop::encode(out, giop::Addressing::key);
  } else {
    // Who is not admitted learns nothing about objects, and is told with its first request.
    if (!admitted_ || core_.finder()->knows(request.target.object_key)) reply.status = giop::LocateStatus::object_here;
    giop::encode_locate_reply(out, header.version, reply);
  }
  return giop::finish_message(out) && answer({out.data(), out.size()});
}

bool ServerConnection::answer(Bytes message) {
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

void ServerConnection::say_close(Deadline patience) {
  if (said_close_.exchange(true)) return;
  // It is closing: whether this arrives does not matter, and a client that reads nothing is not waited for.
  (void)send(giop::close_connection(client_version()), patience);
  channel_->close();
}

void ServerConnection::say_error() {
  (void)send(giop::message_error(client_version()), farewell(waits_));
}

void ServerConnection::tell_end(const Error& error) const {
  log::write_limited(log::Level::debug, "connection ended", log::origin(peer_), [&] {
    return "connection from " + peer_.address + " ended: " + error.message;
  });
}

void ServerConnection::end(const std::string& why) {
  log::write_limited(log::Level::warn, "connection ended for what was received", log::origin(peer_), [&] {
    return "the connection from " + peer_.address + " is ended: " + why;
  });
  channel_->close();
}

}  // namespace orbweaver::orb
