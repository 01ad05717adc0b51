#include "orb/serving_call.h"

#include "base/log.h"
#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/system_exceptions.h"

namespace orbweaver {

bool ServerCall::complete() {
  if (in_.ok()) return true;
  refuse_arguments();
  return false;
}

cdr::Encoder& ServerCall::reply(std::size_t results_bound) { return begin_reply(results_bound); }

}  // namespace orbweaver

namespace orbweaver::orb {

using CORBA::CompletionStatus;

ServingCall::ServingCall(ServerConnection& connection, giop::Version version, const giop::RequestHeader& request,
                         cdr::Decoder& in, Way* way)
    : ServerCall(in), connection_(connection), version_(version), request_(request), way_(way) {
  operation_ = request.operation;
  if (way != nullptr) remembered_ = &way->operation;
}

ServingCall::~ServingCall() { drop_reply(); }

bool ServingCall::serve(Core& core) {
  in_.broker(&core);
  try {
    connection_.check_admission();
    if (request_.target.needs_key) {
      giop::encode(begin(8, giop::ReplyStatus::needs_addressing_mode, {}, giop::Body::follows), giop::Addressing::key);
    } else {
      call_servant(core);
      if (!replying_ && !answered_ && request_.response_expected() && !connection_.held_) answer_nothing_yet();
    }
  } catch (const CORBA::UserException& e) {
    answer_user_exception(e);
  } catch (const CORBA::SystemException& e) {
    answer_system_exception(e);
  } catch (const std::exception& e) {
    answer_foreign_exception(core, ": " + std::string(e.what()));
  } catch (...) {
    answer_foreign_exception(core, " that is no std::exception");
  }
  return send_reply();
}

namespace {
struct Held {
  ObjectFinder& finder;
  Hold hold;
  ~Held() { finder.leave(hold); }
};
}  // namespace

void ServingCall::call_servant(Core& core) {
  Hold hold;
  const Found found = core.finder()->enter(request_.target.object_key, hold, connection_.waits_ == ServerConnection::Waits::yes,
                                           way_ == nullptr ? nullptr : &way_->route);
  if (found != Found::servant) {
    if (found == Found::held) {
      connection_.held_ = true;
      return;
    }
    if (operation_ == "_non_existent" || operation_ == "_not_existent") {
      if (found == Found::no_object || found == Found::no_adapter) {
        begin_reply(1).put(std::uint8_t{1});
        return;
      }
    }
    raise_not_found(found);
  }
  const Held held{*core.finder(), hold};
  if (request_.response_flags == giop::response::kWithServer) {
    // SYNC_WITH_SERVER: the caller goes on as soon as the servant is found (CORBA Messaging, 22.2.2.1).
    answer_nothing_yet();
    if (!send_reply()) return;
  }
  call_object(*hold.servant);
}

void ServingCall::call_object(PortableServer::Servant& servant) {
  if (servant._dispatch(*this) || serve_builtin(servant)) return;
  throw CORBA::BAD_OPERATION(minor::kNoSuchOperation, CompletionStatus::COMPLETED_NO,
                             std::string(servant._interface().repository_id) + " has no operation '" +
                                 std::string(operation_) + "'");
}

bool ServingCall::serve_builtin(PortableServer::Servant& servant) {
  if (operation_ == "_is_a") {
    std::string id;
    cdr::decode(in_, id);
    if (complete()) cdr::encode(begin_reply(1), servant._is_a(id));
    return true;
  }
  if (operation_ == "_non_existent" || operation_ == "_not_existent") {
    cdr::encode(begin_reply(1), servant._non_existent());
    return true;
  }
  if (operation_ == "_repository_id") {
    const std::string id = servant._interface().repository_id;
    cdr::encode(begin_reply(cdr::bound_of(id)), id);
    return true;
  }
  // Servants are of no components. JacORB asks by the second name; an attribute `component` is served before.
  if (operation_ == "_component" || operation_ == "_get_component") {
    const giop::Ior nil;
    giop::encode(begin_reply(giop::bound_of(nil)), nil);
    return true;
  }
  if (operation_ == "_interface") raise_no_repository();
  if (operation_ == "_domain_managers") {
    throw CORBA::NO_IMPLEMENT(minor::kNotYet, CompletionStatus::COMPLETED_NO,
                              "_domain_managers: there are none here");
  }
  return false;
}

cdr::Encoder& ServingCall::begin(std::size_t bound, giop::ReplyStatus status,
                                 std::span<const giop::ServiceContext> contexts, giop::Body body) {
  if (!request_.response_expected()) {
    // A peer calls a two-way as a one-way: what would be the reply goes nowhere.
    out_.emplace(sink_, 0);
    return *out_;
  }
  const std::size_t bytes = giop::reply_bound(contexts) + bound;
  cdr::Overflow* overflow = nullptr;
  auto room = bytes > connection_.fragment_bytes_ && version_ == giop::kGiop12
                  ? connection_.claim_fragment(bytes, request_.request_id, overflow)
                  : connection_.claim_reply(bytes);
  if (!room) {
    if (room.error().remedy == Remedy::give_up) {
      throw CORBA::IMP_LIMIT(minor::kMessageTooLarge, CompletionStatus::COMPLETED_YES, room.error().message);
    }
    failed_ = true;
    throw CORBA::COMM_FAILURE(minor::kPeerLost, CompletionStatus::COMPLETED_YES, room.error().message);
  }
  replying_ = true;
  out_.emplace(room->data(), room->size());
  if (overflow != nullptr) [[unlikely]] out_->overflow_to(*overflow);
  if (status == giop::ReplyStatus::no_exception && contexts.empty() && version_ == giop::kGiop12) [[likely]] {
    // Message and reply header of nearly every reply, at once; finish_message puts the size in.
    struct {
      std::uint8_t message[8] = {'G', 'I', 'O', 'P', 1, 2, giop::kThisMachineIsLittleEndian, 1};
      std::uint32_t size = 0, request_id, status = 0, contexts = 0;
    } header{.request_id = request_.request_id};
    static_assert(sizeof header == 24);
    out_->put_bytes(&header, sizeof header);
    return *out_;
  }
  giop::encode_reply(*out_, version_, request_.request_id, status, contexts, body);
  return *out_;
}

cdr::Encoder& ServingCall::begin_reply(std::size_t results_bound) {
  if (answered_) {
    out_.emplace(sink_, 0);  // before the servant was called
    return *out_;
  }
  return begin(results_bound, giop::ReplyStatus::no_exception, {},
               results_bound == 0 ? giop::Body::empty : giop::Body::follows);
}

void ServingCall::refuse_arguments() {
  throw CORBA::MARSHAL(cdr::minor_code(in_), CompletionStatus::COMPLETED_NO,
                       describe(in_, ("the arguments of " + std::string(operation_)).c_str()));
}

void ServingCall::answer_nothing_yet() { begin(0, giop::ReplyStatus::no_exception, {}, giop::Body::empty); }

void ServingCall::drop_reply() noexcept {
  if (!replying_) return;
  replying_ = false;
  connection_.abandon_reply();
}

bool ServingCall::declared(const char* repository_id) const {
  if (serving_ == nullptr) return false;
  for (std::uint32_t i = 0; i < serving_->raises_count; ++i) {
    if (std::strcmp(serving_->raises[i].repository_id, repository_id) == 0) return true;
  }
  return false;
}

void ServingCall::answer_user_exception(const CORBA::UserException& e) {
  drop_reply();
  if (!declared(e._rep_id())) {
    answer_system_exception(CORBA::UNKNOWN(
        minor::kUndeclaredException, CompletionStatus::COMPLETED_MAYBE,
        std::string(operation_) + " raised " + e._rep_id() + ", which its IDL does not declare"));
    return;
  }
  if (!request_.response_expected() || answered_ || failed_) return;
  const std::string_view id = e._rep_id();
  try {
    cdr::Encoder& out = begin(cdr::bound_of(id) + e._bound(), giop::ReplyStatus::user_exception, {}, giop::Body::follows);
    cdr::encode(out, id);
    e._encode(out);
  } catch (const CORBA::SystemException& worse) {
    answer_system_exception(worse);
  }
}

/// A C++ exception that is not CORBA's. Its text is for the server's own people: it may name paths, hosts, passwords.
void ServingCall::answer_foreign_exception(Core& core, const std::string& what) {
  const std::string raised = std::string(operation_) + " raised a C++ exception";
  if (request_.response_expected()) {
    log::write_limited(log::Level::warn, "C++ exception", log::origin(connection_.peer_), [&] { return raised + what; });
  }
  answer_system_exception(CORBA::UNKNOWN(
      minor::kForeignException, CompletionStatus::COMPLETED_MAYBE,
      raised + (core.options().send_internals || !request_.response_expected() ? what : "; the server's log has its text")));
}

void ServingCall::answer_system_exception(const CORBA::SystemException& e) {
  drop_reply();
  if (failed_) return;
  if (!request_.response_expected() || answered_) {
    log::write_limited(log::Level::warn, "one-way failed", log::origin(connection_.peer_),
                       [&] { return "the one-way " + std::string(operation_) + " failed: " + e.what(); });
    return;
  }
  std::vector<std::uint8_t> detail;
  giop::ServiceContext context{giop::context_id::kExceptionDetailMessage, {}};
  std::span<const giop::ServiceContext> contexts;
  if (!e.detail().empty()) {
    detail = giop::encode_exception_detail(e.detail());
    context.data = detail;
    contexts = {&context, 1};
  }
  const giop::SystemException body{e._rep_id(), e.minor(), static_cast<giop::Completed>(e.completed())};
  try {
    giop::encode(begin(giop::bound_of(body), giop::ReplyStatus::system_exception, contexts, giop::Body::follows), body);
  } catch (const CORBA::SystemException&) {
    failed_ = true;
  }
}

bool ServingCall::send_reply() {
  if (failed_) return false;
  if (!replying_) return true;
  if (!giop::finish_message(*out_)) {
    // More was written than was announced: a servant's results changed while they were sent.
    drop_reply();
    answer_system_exception(CORBA::MARSHAL(minor::kEncodingOverran, CompletionStatus::COMPLETED_YES,
                                           "the results of " + std::string(operation_) + " changed while they were sent"));
    if (failed_ || !replying_ || !giop::finish_message(*out_)) return false;
  }
  replying_ = false;
  const auto sent = connection_.commit_reply(out_->size());
  answered_ = true;
  failed_ = !sent;
  return !failed_;
}

void raise_not_found(Found found) {
  switch (found) {
    case Found::no_adapter:
      throw CORBA::OBJECT_NOT_EXIST(minor::kNoSuchAdapter, CompletionStatus::COMPLETED_NO,
                                    "the object's adapter does not exist here");
    case Found::discarding:
      throw CORBA::TRANSIENT(minor::kDiscarding, CompletionStatus::COMPLETED_NO,
                             "the object's adapter discards requests at present");
    case Found::inactive:
      throw CORBA::OBJ_ADAPTER(minor::kAdapterInactive, CompletionStatus::COMPLETED_NO,
                               "the object's adapter is deactivated");
    default:
      throw CORBA::OBJECT_NOT_EXIST(minor::kNoSuchObject, CompletionStatus::COMPLETED_NO,
                                    "no such object here: deactivated, or of an earlier run of the server");
  }
}

}  // namespace orbweaver::orb
