#include "orb/server/upcall.h"

#include <algorithm>
#include <iterator>

#include "base/log.h"
#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/real_time.h"
#include "orb/server/forward_request.h"
#include "orb/server/request_queue.h"
#include "orb/server/upcall_scope.h"
#include "orb/system_exceptions.h"

namespace orbweaver {

cdr::Encoder& ServerCall::reply(std::size_t results_bound) { return begin_reply(results_bound); }

}  // namespace orbweaver

namespace orbweaver::orb {

using CORBA::CompletionStatus;

/// Finds and pins the servant by the object key. Releases the servant at its end.
void Upcall::call_found_servant(ObjectFinder& finder) {
  ServantPin pin;
  auto* const cache = static_cast<DispatchCache*>(dispatch_hint_);
  const LookupStatus status =
      finder.enter(request_.target.object_key, pin, served_.may_wait,
                   cache == nullptr ? nullptr : &cache->slot_hint, served_.queue, operation_);
  if (status != LookupStatus::found) return handle_lookup_failure(status);
  const struct Leave {
    ObjectFinder& finder;
    ServantPin& pin;
    ~Leave() { finder.leave(pin); }
  } leave{finder, pin};
  // After the lookup, which may have waited for the POA manager.
  if (served_.is_queued) [[unlikely]]
    connection_.check_cancelled(request_.request_id);
  {
    const PinScope current(pin);
    std::int16_t object_priority = kNoPriority;
    const RealTimeAdapter* const real_time =
        pin.slot->manager_state != nullptr ? nullptr : finder.real_time(pin, object_priority);
    if (real_time != nullptr) [[unlikely]]
      return dispatch_by_priority(*real_time, object_priority, finder, pin);
    dispatch(pin.servant());
  }
  if (pin.unmapped != nullptr) [[unlikely]]
    finder.complete(pin);
}

void Upcall::bind_priority_band(const RealTimeAdapter& adapter, std::int16_t object_priority) {
  adapter.bind_band(request_.contexts, object_priority, owns_thread());
  if (request_.response_expected()) reply_without_results();
}

bool Upcall::bind_priority_band_of_pool() {
  std::shared_ptr<RequestQueue>& queue = *served_.queue;
  if (queue == nullptr || queue->pool() == nullptr) return false;
  ObjectFinder& finder = *connection_.core_.finder();
  ServantPin pin;
  const LookupStatus status =
      finder.enter(request_.target.object_key, pin, false, nullptr, served_.queue, operation_);
  if (status == LookupStatus::holding || status == LookupStatus::queued) return false;
  queue = nullptr;
  if (status != LookupStatus::found) {
    handle_lookup_failure(status);
    return true;
  }
  const struct Leave {
    ObjectFinder& finder;
    ServantPin& pin;
    ~Leave() { finder.leave(pin); }
  } leave{finder, pin};
  std::int16_t object_priority = kNoPriority;
  bind_priority_band(*finder.real_time(pin, object_priority), object_priority);
  return true;
}

[[gnu::cold]] void Upcall::dispatch_by_priority(const RealTimeAdapter& adapter, std::int16_t object_priority,
                                                ObjectFinder& finder, ServantPin& pin) {
  if (operation_ == kBindPriorityBand) return bind_priority_band(adapter, object_priority);
  const RequestPriorityScope scope(adapter, request_.contexts, object_priority);
  served_.reply_contexts = scope.reply_contexts();
  const struct RemoveContexts {
    ServedRequest& served;
    ~RemoveContexts() { served.reply_contexts = {}; }
  } remove{served_};
  try {
    dispatch(pin.servant());
    if (pin.unmapped != nullptr) finder.complete(pin);
    if (state_ == ReplyState::none && request_.response_expected()) reply_without_results();
  } catch (const CORBA::UserException& e) {
    reply_user_exception(e);
  } catch (const CORBA::SystemException& e) {
    reply_system_exception(e);
  }
  (void)send_reply();  // `serve` sees from the state whether it was sent
}

void Upcall::request_other_addressing() {
  giop::encode(begin(8, giop::ReplyStatus::needs_addressing_mode, {}, giop::Body::follows),
               giop::AddressingDisposition::key);
}

void Upcall::operation_found(const DispatchHint& found) {
  if (replies_before_upcall()) return reply_before_upcall();
  if (dispatch_hint_ != nullptr) *dispatch_hint_ = found;
}

void Upcall::reply_before_upcall() {
  reply_without_results();
  if (send_reply()) return replies().send_batch();
  throw CORBA::COMM_FAILURE(minor::kPeerLost, CompletionStatus::COMPLETED_NO,
                            "the reply to " + std::string(operation_) + " could not be sent");
}

void Upcall::handle_lookup_failure(LookupStatus status) {
  if (status == LookupStatus::holding) {
    served_.is_held = true;
    return;
  }
  if (status == LookupStatus::queued && !served_.is_queued) {
    if (operation_ == kBindPriorityBand && bind_priority_band_of_pool()) return;
    served_.is_held = true;
    served_.is_plain = false;
    return;
  }
  // Another queue than that of the request: the object has been deactivated, and activated again.
  if (status == LookupStatus::queued) status = LookupStatus::no_object;
  if (is_answer_of_non_existent(status, operation_)) {
    begin_reply(1).put(std::uint8_t{1});
    return;
  }
  raise_lookup_failure(status);
}

void serve_object_operation(PortableServer::Servant& servant, ServerCall& call) {
  static constexpr std::string_view kServed[] = {"_is_a",          "_non_existent", "_not_existent",
                                                 "_repository_id", "_component",    "_get_component"};
  const std::string_view operation = call.operation();
  if (std::find(std::begin(kServed), std::end(kServed), operation) != std::end(kServed))
    call.operation_found({});
  if (operation == "_is_a") {
    std::string id;
    cdr::decode(call.arguments(), id);
    if (call.arguments_decoded()) cdr::encode(call.reply(1), servant._is_a(id));
    return;
  }
  if (operation == "_non_existent" || operation == "_not_existent") {
    cdr::encode(call.reply(1), servant._non_existent());
    return;
  }
  if (operation == "_repository_id") {
    const std::string id = servant._interface().repository_id;
    cdr::encode(call.reply(cdr::bound_of(id)), id);
    return;
  }
  // No component: servants here belong to none. JacORB uses the second name; an attribute `component` is
  // served before.
  if (operation == "_component" || operation == "_get_component") {
    const giop::Ior nil;
    giop::encode(call.reply(giop::bound_of(nil)), nil);
    return;
  }
  if (operation == "_interface") raise_no_repository();
  if (operation == "_domain_managers") {
    throw CORBA::NO_IMPLEMENT(minor::kNotImplemented, CompletionStatus::COMPLETED_NO,
                              "_domain_managers: not supported");
  }
  throw CORBA::BAD_OPERATION(
      minor::kNoSuchOperation, CompletionStatus::COMPLETED_NO,
      std::string(servant._interface().repository_id) + " has no operation '" + std::string(operation) + "'");
}

cdr::Encoder& Upcall::begin(std::size_t bound, giop::ReplyStatus status,
                            std::span<const giop::ServiceContext> contexts, giop::Body body) {
  if (!request_.response_expected()) {
    // A two-way operation called as a one-way: the reply is discarded.
    out_.emplace(discard_buffer_, 0);
    return *out_;
  }
  const std::size_t bytes = giop::reply_bound(contexts) + bound;
  cdr::OverflowHandler* overflow = nullptr;
  auto room = version_ == giop::kGiop12 ? replies().claim(bytes, request_.request_id, overflow)
                                        : replies().claim(bytes);
  if (!room) {
    if (room.error().kind == ErrorKind::unavailable) {
      throw CORBA::IMP_LIMIT(minor::kMessageTooLarge, CompletionStatus::COMPLETED_YES, room.error().message);
    }
    state_ = ReplyState::failed;
    throw CORBA::COMM_FAILURE(minor::kPeerLost, CompletionStatus::COMPLETED_YES, room.error().message);
  }
  state_ = ReplyState::claimed;
  out_.emplace(room->data(), room->size());
  if (overflow != nullptr) [[unlikely]]
    out_->set_overflow_handler(*overflow);
  if (status == giop::ReplyStatus::no_exception && contexts.empty() && version_ == giop::kGiop12) [[likely]] {
    const PlainReplyHeader header{.request_id = request_.request_id};  // finish_message sets the size
    out_->put_bytes(&header, sizeof header);
    return *out_;
  }
  giop::encode_reply(*out_, version_, request_.request_id, status, contexts, body);
  return *out_;
}

cdr::Encoder& Upcall::begin_reply(std::size_t results_bound) {
  if (state_ == ReplyState::sent) {
    out_.emplace(discard_buffer_, 0);  // SYNC_WITH_SERVER: already replied
    return *out_;
  }
  return begin(results_bound, giop::ReplyStatus::no_exception, served_.reply_contexts,
               results_bound == 0 ? giop::Body::empty : giop::Body::follows);
}

void Upcall::raise_bad_arguments() {
  throw CORBA::MARSHAL(cdr::minor_code(in_), CompletionStatus::COMPLETED_NO,
                       describe(in_, ("the arguments of " + std::string(operation_)).c_str()));
}

void Upcall::reply_without_results() {
  begin(0, giop::ReplyStatus::no_exception, served_.reply_contexts, giop::Body::empty);
}

void Upcall::drop_reply() noexcept {
  if (state_ != ReplyState::claimed) return;
  state_ = ReplyState::none;
  replies().abandon();
}

bool Upcall::declared(const char* repository_id) const {
  if (served_operation_ == nullptr) return false;
  for (std::uint32_t i = 0; i < served_operation_->raises_count; ++i) {
    if (std::strcmp(served_operation_->raises[i].repository_id, repository_id) == 0) return true;
  }
  return false;
}

[[gnu::cold]] void Upcall::reply_user_exception(const CORBA::UserException& e) {
  drop_reply();
  if (const auto* const forward = dynamic_cast<const PortableServer::ForwardRequest*>(&e); forward != nullptr)
    return reply_forward(*forward);
  if (!declared(e._rep_id())) {
    reply_system_exception(CORBA::UNKNOWN(
        minor::kUndeclaredException, CompletionStatus::COMPLETED_MAYBE,
        std::string(operation_) + " raised " + e._rep_id() + ", which its IDL does not declare"));
    return;
  }
  if (!request_.response_expected() || state_ != ReplyState::none) return;
  const std::string_view id = e._rep_id();
  try {
    cdr::Encoder& out = begin(cdr::bound_of(id) + e._bound(), giop::ReplyStatus::user_exception,
                              served_.reply_contexts, giop::Body::follows);
    cdr::encode(out, id);
    e._encode(out);
  } catch (const CORBA::SystemException& encoding_error) {
    reply_system_exception(encoding_error);
  }
}

/// Replies LOCATION_FORWARD (CORBA 3.3 part 2, 9.4.3.2).
[[gnu::cold]] void Upcall::reply_forward(const PortableServer::ForwardRequest& forward) {
  if (state_ == ReplyState::failed) return;
  if (!request_.response_expected() || state_ == ReplyState::sent) {
    log::write_limited(log::Level::warn, "one-way failed", log::origin(connection_.peer_), [&] {
      return "one-way " + std::string(operation_) +
             " is lost: the servant forwards it, and only a request with a reply can be forwarded";
    });
    return;
  }
  try {
    check_forward(operation_, forward);
    cdr::Encoder& out = begin(forward._bound(), giop::ReplyStatus::location_forward, served_.reply_contexts,
                              giop::Body::follows);
    forward._encode(out);
  } catch (const CORBA::SystemException& unusable) {
    reply_system_exception(unusable);
  }
}

[[gnu::cold]] CORBA::UNKNOWN unknown_of_cpp_exception(Core& core, std::string_view operation,
                                                      bool response_expected, const std::string& what) {
  const std::string raised = std::string(operation) + " raised a C++ exception";
  if (response_expected) {
    log::write_limited(log::Level::warn, "C++ exception", log::origin(*peer()),
                       [&] { return raised + what; });
  }
  return CORBA::UNKNOWN(
      minor::kCppException, CompletionStatus::COMPLETED_MAYBE,
      raised + (core.options().send_exception_text || !response_expected ? what : "; see the server's log"));
}

[[gnu::cold]] void Upcall::reply_system_exception(const CORBA::SystemException& e) {
  drop_reply();
  if (state_ == ReplyState::failed) return;
  if (!request_.response_expected() || state_ == ReplyState::sent) {
    log::write_limited(log::Level::warn, "one-way failed", log::origin(connection_.peer_),
                       [&] { return "one-way " + std::string(operation_) + " failed: " + e.what(); });
    return;
  }
  std::vector<std::uint8_t> detail;
  std::vector<giop::ServiceContext> contexts(served_.reply_contexts.begin(), served_.reply_contexts.end());
  if (!e.detail().empty()) {
    detail = giop::encode_exception_detail(e.detail());
    contexts.push_back({giop::context_id::kExceptionDetailMessage, detail});
  }
  const giop::SystemException body{e._rep_id(), e.minor(), static_cast<giop::Completed>(e.completed())};
  try {
    giop::encode(
        begin(giop::bound_of(body), giop::ReplyStatus::system_exception, contexts, giop::Body::follows),
        body);
  } catch (const CORBA::SystemException&) {
    state_ = ReplyState::failed;
  }
}

bool Upcall::send_reply() {
  if (state_ != ReplyState::claimed) return state_ != ReplyState::failed;
  if (!giop::finish_message(*out_)) [[unlikely]] {
    // The encoding exceeded its bound: the results changed while they were encoded.
    drop_reply();
    reply_system_exception(
        CORBA::MARSHAL(minor::kEncodingOverran, CompletionStatus::COMPLETED_YES,
                       "the results of " + std::string(operation_) + " changed while they were sent"));
    if (state_ != ReplyState::claimed || !giop::finish_message(*out_)) return false;
  }
  const auto sent = replies().commit(out_->size());
  state_ = sent ? ReplyState::sent : ReplyState::failed;
  return state_ == ReplyState::sent;
}

bool is_answer_of_non_existent(LookupStatus found, std::string_view operation) noexcept {
  return (found == LookupStatus::no_object || found == LookupStatus::no_adapter) &&
         (operation == "_non_existent" || operation == "_not_existent");
}

void raise_lookup_failure(LookupStatus found) {
  switch (found) {
    case LookupStatus::no_adapter:
      throw CORBA::OBJECT_NOT_EXIST(minor::kNoSuchAdapter, CompletionStatus::COMPLETED_NO,
                                    "the object's POA does not exist");
    case LookupStatus::discarding:
      throw CORBA::TRANSIENT(minor::kDiscarding, CompletionStatus::COMPLETED_NO,
                             "the object's POA manager is discarding requests");
    case LookupStatus::inactive:
      throw CORBA::OBJ_ADAPTER(minor::kAdapterInactive, CompletionStatus::COMPLETED_NO,
                               "the object's POA manager is inactive");
    default:
      throw CORBA::OBJECT_NOT_EXIST(
          minor::kNoSuchObject, CompletionStatus::COMPLETED_NO,
          "object does not exist: deactivated, or its reference is of an earlier run");
  }
}

}  // namespace orbweaver::orb
