#include "micro/upcall.h"

#include <cstring>

#include "micro/core.h"
#include "micro/log.h"
#include "micro/raise.h"
#include "micro/server.h"

namespace orbweaver {

cdr::Encoder& ServerCall::reply(std::size_t results_bound) { return begin_reply(results_bound); }

}  // namespace orbweaver

namespace orbweaver::micro {
namespace {

using CORBA::CompletionStatus;
using PortableServer::POAManager;

thread_local CurrentObject current;
thread_local bool is_in_upcall = false;
thread_local unsigned servants_entered = 0;  // by this thread, also by collocated calls

std::string_view text_of(Bytes bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The request of a servant, which the destructor ends.
struct ServedRequest {
  Core& core;
  CORBA::object_reference<PortableServer::Servant>& servant;
  ~ServedRequest() {
    current = {};
    leave_servant(core, std::move(servant));
  }
};

/// Marks this thread as one that executes an upcall.
struct UpcallScope {
  UpcallScope() noexcept { is_in_upcall = true; }
  ~UpcallScope() { is_in_upcall = false; }
};

}  // namespace

CurrentObject current_object() noexcept { return current; }
bool Upcall::is_inside() noexcept { return is_in_upcall; }
bool Upcall::would_wait_for_itself() noexcept { return is_in_upcall || servants_entered != 0; }

CORBA::object_reference<PortableServer::Servant> enter_servant(Core& core, std::string_view key) {
  using State = POAManager::State;
  std::unique_lock lock(core.mutex);
  while (core.poa_state == State::HOLDING && !core.is_shut_down) core.changed.wait(lock);
  if (core.poa_state == State::INACTIVE || core.is_shut_down)
    raise(Kind::OBJ_ADAPTER, minor::kAdapterInactive, "the object's POA manager is inactive");
  if (core.poa_state == State::DISCARDING)
    raise(Kind::TRANSIENT, minor::kDiscarding, "the object's POA manager is discarding requests");
  const ObjectMap::Entry* const entry = core.objects.find(key);
  if (entry == nullptr) return nullptr;
  ++core.requests;
  ++servants_entered;
  return entry->servant;
}

void leave_servant(Core& core, CORBA::object_reference<PortableServer::Servant>&& servant) noexcept {
  { const auto last = std::move(servant); }  // may be destroyed, before `shutdown` returns
  --servants_entered;
  const std::lock_guard lock(core.mutex);
  if (--core.requests == 0) core.changed.notify_all();
}

Upcall::Upcall(ServerConnection& connection, cdr::Decoder& in, giop::Version version,
               giop::RequestHeader& request)
    : ServerCall(in), connection_(connection), version_(version), request_(request),
      is_answered_(!request.response_expected()) {
  operation_ = request.operation;
}

bool Upcall::serve() {
  const UpcallScope scope;
  try {
    call_servant();
    if (!out_ && !is_answered_) begin(0, giop::ReplyStatus::no_exception, giop::Body::empty);
  } catch (const CORBA::UserException& e) {
    reply_user_exception(e);
  } catch (const CORBA::SystemException& e) {
    reply_system_exception(e);
  } catch (const std::bad_alloc&) {
    reply_system_exception(CORBA::NO_MEMORY(minor::kNoMemory, CompletionStatus::COMPLETED_MAYBE));
  } catch (...) {
    log("a servant has raised a C++ exception that is not a CORBA exception");
    reply_system_exception(CORBA::UNKNOWN(minor::kCppException, CompletionStatus::COMPLETED_MAYBE));
  }
  return send();
}

void Upcall::call_servant() {
  if (request_.target.needs_key) {
    giop::encode(begin(8, giop::ReplyStatus::needs_addressing_mode, giop::Body::follows),
                 giop::AddressingDisposition::key);
    return;
  }
  Core& core = connection_.core;
  const std::string_view key = text_of(request_.target.object_key);
  auto servant = enter_servant(core, key);
  if (servant == nullptr) {
    if (operation_ == "_non_existent" || operation_ == "_not_existent")
      return begin_reply(1).put(std::uint8_t{1});
    raise(Kind::OBJECT_NOT_EXIST, minor::kNoSuchObject,
          "object does not exist: deactivated, or its reference is of an earlier run");
  }
  const ServedRequest request{core, servant};
  current = {servant.get(), &core, key};
  if (!servant->_dispatch(*this)) call_object_operation(*servant);
}

void Upcall::operation_found(const DispatchHint&) {
  if (request_.response_flags != giop::response::kWithServer || is_answered_) return;
  begin(0, giop::ReplyStatus::no_exception, giop::Body::empty);
  send();
  is_answered_ = true;
}

void Upcall::call_object_operation(PortableServer::Servant& servant) {
  if (operation_ == "_is_a") {
    std::string id;
    cdr::decode(in_, id);
    if (arguments_decoded()) cdr::encode(begin_reply(1), servant._is_a(id));
  } else if (operation_ == "_non_existent" || operation_ == "_not_existent") {
    cdr::encode(begin_reply(1), servant._non_existent());
  } else if (operation_ == "_repository_id") {
    const std::string_view id = servant._interface().repository_id;
    cdr::encode(begin_reply(8 + id.size()), id);
  } else if (operation_ == "_interface") {
    raise(Kind::INTF_REPOS, minor::kNoRepository, "this ORB has no interface repository");
  } else {
    raise(Kind::BAD_OPERATION, minor::kNoSuchOperation,
          std::string(servant._interface().repository_id)
              .append(" has no operation ")
              .append(operation_.substr(0, 200)));
  }
}

cdr::Encoder& Upcall::begin(std::size_t bound, giop::ReplyStatus status, giop::Body body,
                            std::span<const giop::ServiceContext> contexts) {
  if (is_answered_) return out_.emplace(nullptr, 0);  // discards what is written
  bound += giop::reply_bound(contexts);
  if (bound > connection_.core.options.max_message_bytes)
    raise(Kind::IMP_LIMIT, minor::kMessageTooLarge, CompletionStatus::COMPLETED_YES,
          "the reply is larger than -ORBMaxMessageBytes");
  connection_.reserve_reply(bound);
  cdr::Encoder& out = out_.emplace(connection_.reply.data(), bound);
  giop::encode_reply(out, version_, request_.request_id, status, contexts, body);
  return out;
}

cdr::Encoder& Upcall::begin_reply(std::size_t results_bound) {
  return begin(results_bound, giop::ReplyStatus::no_exception,
               results_bound == 0 ? giop::Body::empty : giop::Body::follows);
}

void Upcall::raise_bad_arguments() {
  raise(Kind::MARSHAL, cdr::minor_code(in_),
        std::string("the arguments: ").append(cdr::describe(in_.fault())));
}

void Upcall::reply_user_exception(const CORBA::UserException& e) {
  const char* const id = e._rep_id();
  bool declared = false;
  for (std::uint32_t i = 0; served_operation_ != nullptr && i < served_operation_->raises_count; ++i)
    declared |= std::strcmp(served_operation_->raises[i].repository_id, id) == 0;
  if (!declared) {
    return reply_system_exception(
        CORBA::UNKNOWN(minor::kUndeclaredException, CompletionStatus::COMPLETED_MAYBE));
  }
  try {
    cdr::Encoder& out =
        begin(8 + std::strlen(id) + e._bound(), giop::ReplyStatus::user_exception, giop::Body::follows);
    out.put_string(id);
    e._encode(out);
  } catch (const CORBA::SystemException& encoding_error) {
    reply_system_exception(encoding_error);
  }
}

void Upcall::reply_system_exception(const CORBA::SystemException& e) {
  const giop::SystemException body{e._rep_id(), e.minor(), static_cast<giop::Completed>(e.completed())};
  // A detail that would not leave space for the rest of the reply is left out; it takes twice its size.
  const bool has_detail =
      !e.detail().empty() && e.detail().size() < connection_.core.options.max_message_bytes / 4;
  std::vector<std::uint8_t> detail;
  if (has_detail) detail = giop::encode_exception_detail(e.detail());
  const giop::ServiceContext context{giop::context_id::kExceptionDetailMessage, detail};
  giop::encode(begin(giop::bound_of(body), giop::ReplyStatus::system_exception, giop::Body::follows,
                     {&context, has_detail ? std::size_t{1} : 0}),
               body);
}

bool Upcall::send() {
  if (is_answered_) return true;
  if (!giop::finish_message(*out_)) {  // the results changed while they were encoded
    reply_system_exception(CORBA::MARSHAL(minor::kEncodingOverran, CompletionStatus::COMPLETED_YES));
    giop::finish_message(*out_);
  }
  return connection_.send({out_->data(), out_->size()});
}

}  // namespace orbweaver::micro
