#include "interceptors/server_request.h"

#include <orbweaver/forward_request.h>
#include <orbweaver/response.h>

#include <cstring>
#include <utility>

#include "interceptors/adapter.h"
#include "interceptors/later_reply.h"
#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/real_time.h"
#include "orb/server/upcall.h"
#include "orb/server/upcall_scope.h"
#include "orb/system_exceptions.h"

namespace orbweaver::interceptors {

namespace pi = PortableInterceptor;
using CORBA::CompletionStatus;
using orb::LookupStatus;

namespace {

thread_local ServerRequest* looking_up = nullptr;

/// Marks the thread as executing an operation of the servant: for a stub of this thread, or a connection.
class ExecutionScope {
 public:
  ExecutionScope(orb::ServantPin& pin, bool is_direct) : pin_(pin), is_direct_(is_direct) {
    if (is_direct)
      orb::begin_collocated_call(pin);
    else
      current_.emplace(pin);
  }
  ~ExecutionScope() {
    if (is_direct_) orb::end_collocated_call(pin_);
  }
  ExecutionScope(const ExecutionScope&) = delete;
  ExecutionScope& operator=(const ExecutionScope&) = delete;

 private:
  orb::ServantPin& pin_;
  const bool is_direct_;
  std::optional<orb::PinScope> current_;
};

bool is_declared(const Operation* operation, const char* repository_id) noexcept {
  if (operation == nullptr) return false;
  for (std::uint32_t i = 0; i < operation->raises_count; ++i) {
    if (std::strcmp(operation->raises[i].repository_id, repository_id) == 0) return true;
  }
  return false;
}

}  // namespace

ServerRequest::ServerRequest(OrbInterceptors& orb, orb::InterceptedRequest& request)
    : ServerCall(request.arguments), orb_(orb), request_(request),
      info_(CORBA::make_reference<ServerRequestInfoImpl>(orb, request.header)) {
  operation_ = request.header.operation;
}

ServerRequest::~ServerRequest() {
  if (!is_deferred_) {
    info_->point = points::kNone;  // interceptors may have kept it
    info_->servant = nullptr;
  }
  if (is_pinned_) request_.core.finder()->leave(pin_);
}

ServerRequest* ServerRequest::of_thread() noexcept { return looking_up; }

orb::InterceptedReply ServerRequest::serve() {
  const LookupStatus found = find_servant();
  if ((found == LookupStatus::holding || found == LookupStatus::queued || found == LookupStatus::remote) &&
      !contexts_received_) {
    orb::InterceptedReply later;
    later.lookup = found;
    return later;
  }
  if (found == LookupStatus::remote) {  // an interceptor has been called, for a servant manager
    info_->has_response = false;
    end();
    orb::InterceptedReply later;
    later.lookup = found;
    return later;
  }
  const ThreadSlots own(*orb_.slots, {});  // of this thread, until the end of the request
  if (is_pinned_) {
    const ExecutionScope scope(pin_, request_.is_direct);
    info_->has_object = true;
    execute();
    if (is_deferred_) {
      orb::InterceptedReply later;
      later.is_deferred = true;
      return later;
    }
    end();
  } else {
    fail_lookup(found);
    end();
  }
  return make_reply();
}

/// Sets is_pinned_, or the outcome if the lookup has raised an exception.
LookupStatus ServerRequest::find_servant() {
  // A request of a stub does not tell its operation, as without interceptors: see PoaImpl::enter_managed.
  const std::string_view operation = request_.is_direct ? std::string_view() : operation_;
  struct Scope {
    ServerRequest* before;
    explicit Scope(ServerRequest* now) : before(std::exchange(looking_up, now)) {}
    ~Scope() { looking_up = before; }
  } const scope(this);
  try {
    const LookupStatus found = request_.core.finder()->enter(
        request_.header.target.object_key, pin_, request_.may_wait, nullptr, request_.queue, operation);
    is_pinned_ = found == LookupStatus::found;
    // A servant that answers later needs a connection.
    const bool is_remote =
        is_pinned_ && request_.is_direct && pin_.servant()._as(&deferring_interface()) != nullptr;
    return is_remote ? LookupStatus::remote : found;
  } catch (...) {
    if (outcome_.status == pi::SUCCESSFUL) outcome_ = Outcome::of_current_exception("the request");
    return LookupStatus::no_object;
  }
}

void ServerRequest::before_servant_manager(const Adapter* poa) {
  info_->adapter = poa;
  looking_up = nullptr;  // an interceptor may make calls
  const ThreadSlots own(*orb_.slots, {});
  const bool received = receive_contexts();
  looking_up = this;
  if (received) return;
  // Ends the lookup; find_servant keeps the outcome.
  if (outcome_.exception != nullptr) std::rethrow_exception(outcome_.exception);
  throw PortableServer::ForwardRequest(outcome_.forward);
}

/// A function that calls an interceptor at `point`.
template <class Point>
auto ServerRequest::at(Points point, const Point& call) {
  return [this, point, &call](Interceptor& interceptor) {
    info_->point = point;
    call(interceptor, info_);
    info_->point = points::kNone;
  };
}

/// Calls receive_request_service_contexts, once. False: an interceptor has raised an exception.
bool ServerRequest::receive_contexts() {
  if (std::exchange(contexts_received_, true)) return outcome_.status == pi::SUCCESSFUL;
  const auto receive = [](Interceptor& i, const auto& info) { i.receive_request_service_contexts(info); };
  return flow_.begin(orb_.server, request_.is_collocated, outcome_, at(points::kReceiveContexts, receive));
}

void ServerRequest::fail_lookup(LookupStatus found) {
  if (!contexts_received_) {
    const Outcome failed = std::exchange(outcome_, {});  // of an adapter activator
    if (!receive_contexts()) return;
    outcome_ = failed;
  }
  if (outcome_.status != pi::SUCCESSFUL) return;  // of an interceptor or a servant manager
  try {
    if (orb::is_answer_of_non_existent(found, operation_)) {
      begin_reply(1).put(std::uint8_t{1});
    } else if (found == LookupStatus::holding || found == LookupStatus::queued) {
      // After receive_request_service_contexts, which has been called for a servant manager.
      orb::raise_lookup_failure(LookupStatus::discarding);
    } else {
      orb::raise_lookup_failure(found);
    }
  } catch (const CORBA::SystemException&) {
    outcome_ = Outcome::of_current_exception("the request");
  }
}

void ServerRequest::execute() {
  if (!receive_contexts()) return;
  // The slots that interceptors have set become those of the thread.
  if (!orb_.slots->empty()) orb_.slots->of_thread() = info_->slots;
  info_->servant = &pin_.servant();
  const auto receive = [](Interceptor& i, const auto& info) { i.receive_request(info); };
  if (flow_.pass(outcome_, at(points::kReceiveRequest, receive))) call_servant();
  if (is_deferred_) return;
  info_->servant = nullptr;
  if (!orb_.slots->empty()) info_->slots = orb_.slots->of_thread();
}

void ServerRequest::call_servant() {
  PortableServer::Servant& servant = pin_.servant();
  const auto unknown = [&](const std::string& what) {
    outcome_ = {pi::SYSTEM_EXCEPTION,
                std::make_exception_ptr(orb::unknown_of_cpp_exception(
                    request_.core, operation_, info_->has_response && !request_.is_direct, what)),
                nullptr};
  };
  std::optional<orb::RequestPriorityScope> priority;
  try {
    request_.servant_found();
    std::int16_t object_priority = orb::kNoPriority;
    const orb::RealTimeAdapter* const real_time =
        request_.is_direct || pin_.slot->manager_state != nullptr
            ? nullptr
            : request_.core.finder()->real_time(pin_, object_priority);
    if (real_time != nullptr && operation_ == orb::kBindPriorityBand)
      return request_.bind_priority_band(*real_time, object_priority);
    if (real_time != nullptr) {
      priority.emplace(*real_time, request_.header.contexts, object_priority);
      for (const giop::ServiceContext& each : priority->reply_contexts())
        info_->reply_contexts.push_back({each.id, {each.data.begin(), each.data.end()}});
    }
    if (!servant._dispatch(*this)) orb::serve_object_operation(servant, *this);
    if (pin_.unmapped != nullptr) request_.core.finder()->complete(pin_);
    if (out_ && !out_->ok()) {
      throw CORBA::MARSHAL(orbweaver::minor::kEncodingOverran, CompletionStatus::COMPLETED_YES,
                           "the results of " + info_->name + " could not be encoded");
    }
  } catch (const CORBA::UserException& e) {
    outcome_ = Outcome::of_current_exception(info_->name.c_str());
    if (outcome_.status != pi::USER_EXCEPTION || is_declared(served_operation_, e._rep_id())) return;
    outcome_ = {pi::SYSTEM_EXCEPTION,
                std::make_exception_ptr(CORBA::UNKNOWN(
                    orbweaver::minor::kUndeclaredException, CompletionStatus::COMPLETED_MAYBE,
                    info_->name + " raised " + e._rep_id() + ", which its IDL does not declare")),
                nullptr};
  } catch (const CORBA::SystemException&) {
    outcome_ = Outcome::of_current_exception(info_->name.c_str());
  } catch (const std::exception& e) {
    unknown(": " + std::string(e.what()));
  } catch (...) {
    unknown(" not derived from std::exception");
  }
}

CORBA::object_reference<DeferredReply> ServerRequest::defer() {
  info_->outlive_request();
  info_->servant = nullptr;
  if (!orb_.slots->empty()) info_->slots = orb_.slots->of_thread();
  auto reply =
      request_.defer(served_operation_, std::make_unique<LaterReply>(orb_.shared_from_this(), flow_, info_));
  is_deferred_ = true;
  return reply;
}

void ServerRequest::end() { end_request(flow_, info_, outcome_); }

orb::InterceptedReply ServerRequest::make_reply() {
  orb::InterceptedReply reply;
  reply.contexts = std::move(info_->reply_contexts);
  reply.operation = served_operation_;
  reply.exception = exception_of(outcome_);
  if (reply.exception == nullptr) {
    if (out_) out_->finish();
    reply.results = std::move(results_);
  }
  return reply;
}

// ---- the call, as its skeleton sees it ----

void ServerRequest::operation_found(const DispatchHint&) { request_.operation_found(); }

cdr::Encoder& ServerRequest::begin_reply(std::size_t results_bound) {
  results_.resize(results_bound);
  out_.emplace(results_);
  out_->wchar_encoding(giop::wchar_encoding(request_.version, giop::MessageType::reply));
  return *out_;
}

void ServerRequest::raise_bad_arguments() {
  throw CORBA::MARSHAL(cdr::minor_code(in_), CompletionStatus::COMPLETED_NO,
                       orb::describe(in_, ("the arguments of " + info_->name).c_str()));
}

}  // namespace orbweaver::interceptors
