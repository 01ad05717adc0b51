#include "interceptors/client_request.h"

#include <orbweaver/forward_request.h>
#include <orbweaver/response.h>

#include <utility>

#include "giop/message.h"
#include "orb/client/queued_oneways.h"
#include "orb/client/reply_exceptions.h"
#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/server/forward_request.h"

namespace orbweaver::interceptors {

namespace pi = PortableInterceptor;

namespace {

/// When a one-way call with these options returns, as far as the request tells.
Messaging::SyncScope scope_of(const orb::CallOptions& options) noexcept {
  if (options.never_waits) return Messaging::SYNC_NONE;
  if (!options.expects_reply) return Messaging::SYNC_WITH_TRANSPORT;
  return options.response_flags == giop::response::kWithServer ? Messaging::SYNC_WITH_SERVER
                                                               : Messaging::SYNC_WITH_TARGET;
}

Slots slots_of_thread(const SlotTable& table) { return table.empty() ? Slots() : table.of_thread(); }

}  // namespace

ClientRequest::ClientRequest(OrbInterceptors& orb, const CORBA::Object& target, const Operation& operation,
                             cdr::Bound arguments, ArgumentWriter writer, ResultReader reader,
                             transport::Deadline deadline)
    : orb_(orb), target_([&target] {
        target._add_ref();
        return CORBA::object_reference<CORBA::Object>::adopt(const_cast<CORBA::Object*>(&target));
      }()),
      reference_(*target._reference()), operation_(operation), writer_(writer), reader_(reader),
      call_(reference_, operation, arguments, writer, reader, deadline),
      thread_slots_(slots_of_thread(*orb.slots)) {
  call_.observe(*this);
}

ClientRequest::~ClientRequest() = default;

std::span<const orb::OwnedServiceContext> ClientRequest::request_contexts() const noexcept {
  return info_->request_contexts;
}

void ClientRequest::reply_received(const giop::ReplyHeader& header) {
  info_->reply_contexts.clear();
  for (const giop::ServiceContext& context : header.contexts)
    info_->reply_contexts.push_back({context.id, {context.data.begin(), context.data.end()}});
}

void ClientRequest::forwarded(const giop::Ior& ior) {
  info_->outcome.status = pi::LOCATION_FORWARD;
  info_->outcome.forward = followed_ = make_object(ior, *target_);
}

void ClientRequest::count_attempt() {
  if (++attempts_ > orb::kMaxAttempts) orb::raise_too_many_forwards();
}

void ClientRequest::complete() {
  for (;;) {
    Outcome outcome;
    try {
      outcome = attempt();
    } catch (...) {
      info_->point = points::kNone;
      throw;
    }
    info_->point = points::kNone;  // the interceptors may have kept it
    if (outcome.exception != nullptr) std::rethrow_exception(outcome.exception);
    if (outcome.status == pi::SUCCESSFUL) return;
    count_attempt();
    call_.prepare_next_attempt();
  }
}

/// A function that calls an interceptor at `point`, with slots of its own in place of those of the thread.
template <class Point>
auto ClientRequest::at(Points point, const Point& call) {
  return [this, point, &call](Interceptor& interceptor) {
    info_->point = point;
    const ThreadSlots own(*orb_.slots, thread_slots_);
    call(interceptor, info_);
  };
}

Outcome ClientRequest::attempt() {
  info_ = CORBA::make_reference<ClientRequestInfoImpl>(*orb_.slots, target_);
  info_->id = orb_.next_request_id();
  info_->name.assign(operation_.name, operation_.name_bytes);
  info_->has_response = call_.options().expects_reply;
  info_->scope = scope_of(call_.options());
  info_->slots = thread_slots_;

  FlowStack<Interceptor> flow;
  Outcome outcome;
  const auto start = [](Interceptor& i, const auto& info) { i.send_request(info); };
  const bool is_to_be_sent =
      flow.begin(orb_.client, reference_.is_collocated(), outcome, at(points::kSendRequest, start));
  info_->point = points::kNone;
  if (is_to_be_sent) outcome = send();
  const auto end = [&outcome](Interceptor& i, const auto& info) {
    info->outcome = outcome;
    switch (info->point = ending_point(outcome, info->has_response)) {
      case points::kReceiveReply: return i.receive_reply(info);
      case points::kReceiveException: return i.receive_exception(info);
      default: return i.receive_other(info);
    }
  };
  flow.end(outcome, at(points::kNone, end));
  if (outcome.status == pi::LOCATION_FORWARD && outcome.forward.get() != followed_.get())
    reference_.forward(outcome.forward->_reference()->ior());
  return outcome;
}

Outcome ClientRequest::send() {
  try {
    std::vector<std::uint8_t> key;
    Outcome outcome;
    if (is_direct(key) && call_directly(key, outcome)) return outcome;
    info_->outcome.status = pi::TRANSPORT_RETRY;
    if (call_.attempt()) return {};
    return info_->outcome;  // see `forwarded`
  } catch (...) {
    return Outcome::of_current_exception(operation_.name);
  }
}

/// Whether the call is one that a stub would make without a transport: of an object of this ORB, two-way.
bool ClientRequest::is_direct(std::vector<std::uint8_t>& object_key) {
  if (!reference_.is_collocated() || operation_.oneway) return false;
  if (reference_.is_forwarded()) {
    object_key = reference_.forward_key();
    if (!object_key.empty() || reference_.is_forwarded()) return !object_key.empty();
  }
  const Bytes key = reference_.object_key();
  object_key.assign(key.begin(), key.end());
  return true;
}

bool ClientRequest::call_directly(Bytes object_key, Outcome& outcome) {
  orb::Core& core = reference_.core();
  if (core.finder() == nullptr) return false;
  orb::serve_queued_oneways(reference_);

  std::vector<std::uint8_t> arguments, contexts;
  cdr::Encoder out(arguments);
  if (writer_.write != nullptr) writer_.write(writer_.closure, out);
  out.finish();
  cdr::Encoder contexts_out(contexts);
  giop::encode_contexts(contexts_out, orb::views_of(info_->request_contexts));
  contexts_out.finish();

  giop::RequestHeader header;
  header.request_id = info_->id;
  header.target.object_key = object_key;
  header.operation = info_->name;
  cdr::Decoder contexts_in(contexts.data(), contexts.size(), false);
  header.contexts.decode(contexts_in);
  cdr::Scratch scratch;
  cdr::Decoder in(arguments.data(), arguments.size(), false, &scratch);
  in.broker(&core);
  struct DirectRequest final : orb::InterceptedRequest {
    using InterceptedRequest::InterceptedRequest;
    CORBA::object_reference<DeferredReply> defer(const Operation*,
                                                 std::unique_ptr<orb::DeferredObserver>) override {
      throw CORBA::NO_IMPLEMENT(orbweaver::minor::kNotImplemented, CORBA::CompletionStatus::COMPLETED_NO,
                                "a call within the thread of the client cannot be answered later");
    }
  } request(core, header, giop::kGiop12, in);
  request.is_collocated = request.is_direct = true;

  orb::InterceptedReply reply = orb_.serve(request);
  if (reply.lookup != orb::LookupStatus::found) return false;
  info_->reply_contexts = std::move(reply.contexts);
  if (reply.exception == nullptr) {
    cdr::Decoder results(reply.results.data(), reply.results.size(), false);
    if (reader_.read != nullptr) orb::read_results(reference_, operation_, reader_, results);
    return true;
  }
  try {
    std::rethrow_exception(reply.exception);
  } catch (const PortableServer::ForwardRequest& e) {
    orb::check_forward(operation_.name, e);
    outcome = {pi::LOCATION_FORWARD, nullptr, e.forward_reference()};
  } catch (const CORBA::OBJECT_NOT_EXIST& e) {
    // The object at the end of a forward has gone: the reference's own object is called, once.
    if (e.completed() != CORBA::CompletionStatus::COMPLETED_NO || returned_from_forward_ ||
        !reference_.drop_forward())
      throw;
    returned_from_forward_ = true;
    outcome.status = pi::TRANSPORT_RETRY;
  }
  return true;
}

}  // namespace orbweaver::interceptors
