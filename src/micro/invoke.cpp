#include <orbweaver/detail/invoke.h>

#include <orbweaver/detail/stub.h>

#include "giop/reply.h"
#include "giop/request.h"
#include "micro/core.h"
#include "micro/raise.h"
#include "micro/reference.h"
#include "micro/upcall.h"
#include "platform/socket.h"

namespace orbweaver {
namespace micro {
namespace {

using CORBA::CompletionStatus;

constexpr int kMaxAttempts = 10;
/// Data of the service context CodeSets: UTF-8 and UTF-16 (CORBA 3.3 part 2, 7.10.2.5).
constexpr std::uint32_t kCodeSets[] = {giop::kThisMachineIsLittleEndian ? giop::pack_octets(1, 0, 0, 0) : 0,
                                       0x05010001, 0x00010109};

/// Owns a count of a Reference.
struct CountedReference {
  Reference* reference;
  ~CountedReference() { reference->release(); }
};

/// A call with its arguments and results, which is attempted until it is complete.
struct Call {
  const Operation& operation;
  std::size_t bound;
  ArgumentWriter writer;
  ResultReader reader;
  Deadline deadline;

  bool attempt(Reference& target, Reference& original);
  bool send(Reference& target, const Profile& profile, Connection& connection, AwaitedReply& reply);
  bool handle(AwaitedReply& reply, Reference& original);
};

[[noreturn]] void raise_marshal(const cdr::Decoder& in, CompletionStatus completed) {
  raise(Kind::MARSHAL, cdr::minor_code(in), completed,
        std::string("the reply: ").append(describe(in.fault())));
}

[[noreturn]] void raise_timeout(CompletionStatus completed) {
  raise(Kind::TIMEOUT, minor::kCallTimeout, completed, "-ORBCallTimeout exceeded");
}

/// Sends the request. False: the connection has ended.
bool Call::send(Reference& target, const Profile& profile, Connection& connection, AwaitedReply& reply) {
  const bool names_code_sets =
      profile.has_code_sets && !connection.code_sets_sent.load(std::memory_order_relaxed);
  const giop::ServiceContext context{1, {reinterpret_cast<const std::uint8_t*>(kCodeSets), sizeof kCodeSets}};
  const std::span<const giop::ServiceContext> contexts(&context, names_code_sets ? 1 : 0);
  const std::size_t bytes =
      giop::request_bound(profile.key, {operation.name, operation.name_bytes}, contexts) + bound;
  if (bytes > target.core().options.max_message_bytes)
    raise(Kind::IMP_LIMIT, minor::kMessageTooLarge, "the request is larger than -ORBMaxMessageBytes");
  Buffer request;
  request.reserve(bytes);
  cdr::Encoder out(request.data(), bytes);
  giop::encode_request(out, profile.version, reply.request_id,
                       operation.oneway ? giop::response::kNone : giop::response::kWithTarget, profile.key,
                       {operation.name, operation.name_bytes}, contexts,
                       bound == 0 ? giop::Body::empty : giop::Body::follows);
  if (writer.write != nullptr) writer.write(writer.closure, out);
  if (!giop::finish_message(out))
    raise(Kind::MARSHAL, minor::kEncodingOverran, "the arguments changed while they were sent");
  if (!operation.oneway) connection.expect(reply);
  if (!connection.send({out.data(), out.size()}, deadline)) {
    if (deadline.passed()) {
      if (!operation.oneway) connection.wait(reply, Deadline{0});
      raise_timeout(CompletionStatus::COMPLETED_NO);
    }
    return false;
  }
  if (names_code_sets) connection.code_sets_sent.store(true, std::memory_order_relaxed);
  return true;
}

/// Handles a reply. False: the call is to be repeated.
bool Call::handle(AwaitedReply& reply, Reference& original) {
  cdr::Decoder in = giop::open_body(reply.message.bytes(), reply.header);
  in.broker(&original.core());
  giop::ReplyHeader header;
  if (!giop::decode_reply(in, reply.header.version, header))
    raise_marshal(in, CompletionStatus::COMPLETED_MAYBE);
  switch (header.status) {
    case giop::ReplyStatus::no_exception:
      if (reader.read != nullptr) reader.read(reader.closure, in);
      if (!in.ok()) raise_marshal(in, CompletionStatus::COMPLETED_YES);
      return true;
    case giop::ReplyStatus::user_exception: {
      const std::string_view id = in.get_string_view();
      for (std::uint32_t i = 0; i < operation.raises_count; ++i) {
        if (id == operation.raises[i].repository_id) operation.raises[i].raise(in);
      }
      if (!in.ok()) raise_marshal(in, CompletionStatus::COMPLETED_YES);
      raise(Kind::UNKNOWN, minor::kUndeclaredException, CompletionStatus::COMPLETED_YES, std::string(id));
    }
    case giop::ReplyStatus::system_exception: {
      giop::SystemException e;
      if (!giop::decode(in, e)) raise_marshal(in, CompletionStatus::COMPLETED_MAYBE);
      std::string detail;
      if (const auto context = header.contexts.find(giop::context_id::kExceptionDetailMessage)) {
        if (auto text = giop::decode_exception_detail(*context)) detail = std::move(*text);
      }
      raise_received(e.repository_id, e.minor, static_cast<CompletionStatus>(e.completed), std::move(detail));
    }
    case giop::ReplyStatus::location_forward:
    case giop::ReplyStatus::location_forward_perm: {
      Reference* const to = read_reference(original.core(), in);
      if (to == nullptr)
        raise(Kind::INV_OBJREF, minor::kUnusableReference, "the server forwards the call to no object");
      original.forward(to);
      return false;
    }
    default:
      raise(Kind::NO_IMPLEMENT, minor::kNotImplemented,
            "the server asks for another addressing of requests than by key");
  }
}

/// Makes one attempt. False: the call is to be repeated.
bool Call::attempt(Reference& target, Reference& original) {
  Profile profile;
  if (!target.profile(profile))
    raise(Kind::INV_OBJREF, minor::kUnusableReference, "the reference has no IIOP profile");
  Core& core = target.core();
  const bool exclusive = !operation.oneway && Upcall::is_inside();
  Connections::Lease connection(core.connections,
                                core.connections.acquire(profile.host, profile.port, exclusive, deadline));
  AwaitedReply reply;
  reply.request_id = connection->next_request_id();
  const bool sent = send(target, profile, *connection, reply);
  if (operation.oneway) return sent;
  switch (connection->wait(reply, sent ? deadline : Deadline::in_ms(0))) {
    case AwaitedReply::State::received: return handle(reply, original);
    case AwaitedReply::State::rejected: return false;
    case AwaitedReply::State::waiting: raise_timeout(CompletionStatus::COMPLETED_MAYBE);
    default: break;
  }
  if (!sent) return false;
  raise(Kind::COMM_FAILURE, minor::kPeerLost, CompletionStatus::COMPLETED_MAYBE,
        "the connection has ended before the reply");
}

}  // namespace
}  // namespace micro

void invoke(const CORBA::Object& target, const Operation& operation, cdr::Bound arguments,
            ArgumentWriter writer, ResultReader reader) {
  using namespace micro;
  Reference* const original = target._reference();
  if (original == nullptr)
    raise(Kind::NO_IMPLEMENT, minor::kLocalObject, "a local object has no operations of remote objects");
  Core& core = original->core();
  core.check_running();
  if (operation.oneway) original->leave_process();
  Call call{operation, arguments.bytes, writer, reader, deadline_of(core.options.call_timeout_ms)};
  bool has_fallen_back = false;
  for (int i = 0; i < kMaxAttempts; ++i) {
    // A server that closes its connections is given time, about 1 s in all.
    if (i > 1) platform::poll({}, Deadline{std::min(call.deadline.ns, Deadline::in_ms(1 << i).ns)});
    const CountedReference current{original->current()};
    try {
      if (call.attempt(*current.reference, *original)) return;
    } catch (const CORBA::SystemException& e) {
      // The object to which the server has forwarded the call is not there: ask the server again, once
      // (CORBA 3.3 part 2, 9.4.3.2).
      if (current.reference == original || has_fallen_back || e.completed() != CompletionStatus::COMPLETED_NO)
        throw;
      if (dynamic_cast<const CORBA::TRANSIENT*>(&e) == nullptr &&
          dynamic_cast<const CORBA::OBJECT_NOT_EXIST*>(&e) == nullptr)
        throw;
      has_fallen_back = true;
      original->forward(nullptr);
    }
  }
  raise(Kind::TRANSIENT, minor::kTooManyForwards,
        "given up after ten attempts: the server forwards the call, or closes its connections");
}

void CollocatedCall::enter(Reference& target, const Interface& interface) {
  if (!target.is_local()) return;
  micro::Core& core = target.core();
  const Bytes key = target.key();
  auto servant = micro::enter_servant(core, {reinterpret_cast<const char*>(key.data()), key.size()});
  if (servant == nullptr) return;  // the server replies that there is none
  servant_ = servant->_as(&interface);
  if (servant_ == nullptr) return micro::leave_servant(core, std::move(servant));
  finder_ = &core;
  new (hold_) CORBA::object_reference<PortableServer::Servant>(std::move(servant));
}

void CollocatedCall::leave() noexcept {
  auto& servant = *reinterpret_cast<CORBA::object_reference<PortableServer::Servant>*>(hold_);
  micro::leave_servant(*static_cast<micro::Core*>(finder_), std::move(servant));
  servant.~object_reference();
}

void CollocatedCall::follow_forward(const CORBA::Object&, const Interface&) {}

void rethrow_as_corba(const CORBA::Object&, const Operation&) {
  try {
    throw;
  } catch (const CORBA::Exception&) {
    throw;
  } catch (...) {
    micro::raise(micro::Kind::UNKNOWN, minor::kCppException, CORBA::CompletionStatus::COMPLETED_MAYBE,
                 "a servant has raised a C++ exception that is not a CORBA exception");
  }
}

}  // namespace orbweaver
