// Calls of generated stubs. Most are completed here: a small plain request, and a plain reply that the
// calling thread reads. ClientCall makes all others.
#include <orbweaver/detail/invoke.h>
#include <orbweaver/detail/stub.h>

#include "orb/client/client_call.h"
#include "orb/interception.h"
#include "orb/minor_codes.h"
#include "orb/policy/call_policies.h"

namespace orbweaver {
namespace {

[[noreturn, gnu::cold]] void raise_local_object() {
  throw CORBA::BAD_INV_ORDER(minor::kLocalObject, CORBA::CompletionStatus::COMPLETED_NO,
                             "a local object has no remote operations");
}

/// A request that was sent, or whose sending has failed.
struct SentRequest {
  ClientConnection& connection;
  std::uint32_t id;
  std::uint64_t send_position;
  transport::Deadline deadline;  // of the call
};

[[gnu::noinline]] void invoke_any(const CORBA::Object& object, const Operation& operation,
                                  cdr::Bound arguments, ArgumentWriter writer, ResultReader reader,
                                  transport::Deadline deadline) {
  Reference& target = *object._reference();
  if (orb::Interception* const interception = target.core().request_interception(); interception != nullptr)
      [[unlikely]]
    return interception->invoke(object, operation, arguments, writer, reader, deadline);
  orb::ClientCall(target, operation, arguments, writer, reader, deadline).complete();
}

[[gnu::cold, gnu::noinline]] void repeat_unsent(Reference& target, const Operation& operation,
                                                cdr::Bound arguments, ArgumentWriter writer,
                                                ResultReader reader, const SentRequest& request,
                                                const Error& error) {
  orb::ClientCall call(target, operation, arguments, writer, reader, request.deadline,
                       orb::ClientCall::Policies::none);
  if (!call.recover_from_send(request.connection, error)) call.complete();
}

[[gnu::noinline]] void receive_other_reply(Reference& target, const Operation& operation,
                                           cdr::Bound arguments, ArgumentWriter writer, ResultReader reader,
                                           const SentRequest& request, Result<Bytes>* first) {
  orb::ClientCall call(target, operation, arguments, writer, reader, request.deadline,
                       orb::ClientCall::Policies::none);
  if (!call.receive_other_reply(request.connection, request.id, request.send_position, first))
    call.complete();
}

/// Makes a call without policies whose request is small and plain (RequestPlan), over the bound connection,
/// if no other thread uses that. Returns false if ClientCall is to make the call; nothing was sent then.
[[gnu::always_inline]] inline bool invoke_small(Reference& target, const Operation& operation,
                                                cdr::Bound arguments, ArgumentWriter writer,
                                                ResultReader reader, transport::Deadline deadline) {
  const Binding* const binding = target.usable_binding();
  if (binding == nullptr || orb::call_policies_in_use.load(std::memory_order_relaxed)) [[unlikely]]
    return false;
  const orb::RequestPlan* const plan = binding->cached_request(operation, orb::body_of(arguments));
  if (plan == nullptr || arguments.bytes >= plan->small_below) return false;
  ClientConnection& connection = *binding->connection.get();
  if (connection.replies().has_outstanding()) [[unlikely]]
    return false;
  alignas(8) std::uint8_t room[orb::kSmallRequestBytes];
  const std::size_t bytes = orb::encode_plain_request(
      MutableBytes(room, plan->header.size() + arguments.bytes), *plan, operation, writer);
  orb::RequestSender& sender = connection.sender();
  if (!sender.try_lock_to_send(plan->code_sets_bytes != 0)) [[unlikely]]
    return false;
  const SentRequest request{connection, sender.next_request_id(), sender.send_position(), deadline};
  giop::RequestTemplate::complete(room, bytes, request.id);
  if (const auto sent = sender.send({room, bytes}, !operation.oneway, deadline); !sent) [[unlikely]] {
    repeat_unsent(target, operation, arguments, writer, reader, request, sent.error());
    return true;
  }
  if (operation.oneway) {
    if (target.is_collocated()) target.mark_queued_oneway();
    return true;
  }
  return orb::receive_reply(
      connection, request.id, deadline, target, operation, reader, [&](Result<Bytes>* first) {
        receive_other_reply(target, operation, arguments, writer, reader, request, first);
        return true;
      });
}

}  // namespace

void invoke(const CORBA::Object& target, const Operation& operation, cdr::Bound arguments,
            ArgumentWriter writer, ResultReader reader) {
  Reference* const reference = target._reference();
  if (reference == nullptr) [[unlikely]]
    raise_local_object();
  const orb::CallScope scope;  // keeps the binding and its connection alive
  const transport::Deadline deadline = reference->core().call_deadline();
  if (!invoke_small(*reference, operation, arguments, writer, reader, deadline)) [[unlikely]]
    invoke_any(target, operation, arguments, writer, reader, deadline);
}

}  // namespace orbweaver
