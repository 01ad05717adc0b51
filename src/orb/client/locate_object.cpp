#include "orb/client/locate_object.h"

#include "giop/locate.h"
#include "giop/reply.h"
#include "orb/client/reply_exceptions.h"
#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/system_exceptions.h"

namespace orbweaver::orb {

using CORBA::CompletionStatus;
using transport::Deadline;

namespace {

[[noreturn]] void raise_malformed(const cdr::Decoder& in) {
  throw CORBA::MARSHAL(minor::kReplyMalformed, CompletionStatus::COMPLETED_NO,
                       giop::malformed("locate reply", in).message);
}

/// Handles the reply. Returns true if the object is at this server, false if the request is to be repeated.
bool handle_locate_reply(Reference& target, Bytes message, const giop::MessageHeader& header) {
  cdr::Decoder in = giop::open_body(message, header);
  giop::LocateReply reply;
  if (header.type != giop::MessageType::locate_reply || !giop::decode_locate_reply(in, header.version, reply))
    raise_malformed(in);
  switch (reply.status) {
    case giop::LocateStatus::object_here: return true;
    case giop::LocateStatus::unknown_object:
      throw CORBA::OBJECT_NOT_EXIST(minor::kNoSuchObject, CompletionStatus::COMPLETED_NO,
                                    "the server does not have the object");
    case giop::LocateStatus::object_forward:
    case giop::LocateStatus::object_forward_perm: {
      giop::Ior ior;
      if (!giop::decode(in, ior)) raise_malformed(in);
      target.forward(std::move(ior), reply.status == giop::LocateStatus::object_forward_perm
                                         ? Reference::Forward::permanent
                                         : Reference::Forward::temporary);
      return false;
    }
    case giop::LocateStatus::needs_addressing_mode: {
      giop::AddressingDisposition disposition;
      if (!giop::decode(in, disposition)) raise_malformed(in);
      target.set_addressing_disposition(disposition);
      return false;
    }
    case giop::LocateStatus::system_exception: {
      giop::SystemException e;
      if (!giop::decode(in, e)) raise_malformed(in);
      raise_system(e.repository_id, e.minor, static_cast<CompletionStatus>(e.completed), {});
    }
  }
  raise_malformed(in);
}

}  // namespace

Result<void> send_locate_request(const Binding& binding, Deadline deadline, Reply& reply) {
  RequestSender& sender = binding.connection->sender();
  const Endpoint& endpoint = binding.endpoint;
  const bool by_key = endpoint.target.addressing == giop::AddressingDisposition::key;
  auto room = sender.claim(
      by_key ? giop::locate_request_bound(endpoint.object_key) : giop::locate_request_bound(endpoint.target),
      deadline);
  if (!room) return room.take_error();
  const std::uint32_t id = sender.next_request_id();
  cdr::Encoder out(room->data(), room->size());
  if (by_key)
    giop::encode_locate_request(out, endpoint.version, id, endpoint.object_key);
  else
    giop::encode_locate_request(out, id, endpoint.target);
  giop::finish_message(out);
  if (auto sent = sender.commit(out.size(), true, deadline); !sent) return sent;
  return binding.connection->reader().await(id, deadline, reply);
}

void locate(Reference& target) {
  const CallScope scope;
  Deadline deadline = target.core().call_deadline();
  for (int failures = 0, attempt = 0; attempt < kMaxAttempts; ++attempt) {
    const Binding& binding = target.binding(deadline);
    if (deadline.is_never() && !binding.endpoint.transport->traits().reliable) {
      deadline = Deadline::in_ms(target.core().options().udp_call_timeout_ms);
    }
    HeldReply reply(binding.connection->reader());
    if (auto arrived = send_locate_request(binding, deadline, *reply); !arrived) {
      // A LocateRequest is idempotent.
      if (arrived.error().kind == ErrorKind::disconnected && ++failures < 2) continue;
      raise_for(arrived.error(), CompletionStatus::COMPLETED_NO);
    }
    if (handle_locate_reply(target, reply->message, reply->header)) return;
  }
  raise_too_many_forwards();
}

}  // namespace orbweaver::orb
