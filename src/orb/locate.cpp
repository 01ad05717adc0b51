#include "orb/locate.h"

#include "giop/locate.h"
#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/system_exceptions.h"

namespace orbweaver::orb {

using CORBA::CompletionStatus;
using transport::Deadline;

namespace {

constexpr int kMaxAttempts = 10;  // forwards, addressings and reconnects

/// Sends the request and waits for its reply, which is to be released.
Result<void> ask(const Binding& binding, Deadline deadline, ClientConnection::Reply& reply) {
  ClientConnection& connection = *binding.connection;
  const Road& road = binding.road;
  const bool by_key = road.target.addressing == giop::Addressing::key;
  auto room = connection.claim(by_key ? giop::locate_request_bound(road.object_key) : giop::locate_request_bound(road.target),
                               deadline);
  if (!room) return room.take_error();
  const std::uint32_t id = connection.next_request_id();
  cdr::Encoder out(room->data(), room->size());
  if (by_key) giop::encode_locate_request(out, road.version, id, road.object_key);
  else giop::encode_locate_request(out, id, road.target);
  giop::finish_message(out);
  if (auto sent = connection.commit(out.size(), true, deadline); !sent) return sent;
  return connection.await(id, deadline, reply);
}

[[noreturn]] void raise_malformed(const cdr::Decoder& in) {
  throw CORBA::MARSHAL(minor::kReplyMalformed, CompletionStatus::COMPLETED_NO, giop::malformed("locate reply", in).message);
}

/// True: the object is where the request went. False: it is to be asked for anew.
bool follow(Reference& target, Bytes message, const giop::MessageHeader& header) {
  cdr::Decoder in = giop::open_body(message, header);
  giop::LocateReply reply;
  if (header.type != giop::MessageType::locate_reply || !giop::decode_locate_reply(in, header.version, reply)) raise_malformed(in);
  switch (reply.status) {
    case giop::LocateStatus::object_here:
      return true;
    case giop::LocateStatus::unknown_object:
      throw CORBA::OBJECT_NOT_EXIST(minor::kNoSuchObject, CompletionStatus::COMPLETED_NO, "the server knows no such object");
    case giop::LocateStatus::object_forward:
    case giop::LocateStatus::object_forward_perm: {
      giop::Ior ior;
      if (!giop::decode(in, ior)) raise_malformed(in);
      target.forward(std::move(ior));
      return false;
    }
    case giop::LocateStatus::needs_addressing_mode: {
      giop::Addressing wanted;
      if (!giop::decode(in, wanted)) raise_malformed(in);
      target.address_by(wanted);
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

void locate(Reference& target) {
  const CallScope scope;
  Deadline deadline = target.core().call_deadline();
  for (int failures = 0, attempt = 0; attempt < kMaxAttempts; ++attempt) {
    const Binding& binding = target.binding(deadline);
    if (deadline.is_never() && !binding.road.transport->reliable()) {
      deadline = Deadline::in_ms(target.core().options().udp_call_timeout_ms);
    }
    ClientConnection::Reply reply;
    if (auto arrived = ask(binding, deadline, reply); !arrived) {
      // Asking twice does nothing twice.
      if (arrived.error().remedy == Remedy::reconnect && ++failures < 2) continue;
      raise_for(arrived.error(), CompletionStatus::COMPLETED_NO);
    }
    struct Release {
      ClientConnection& connection;
      ClientConnection::Reply& reply;
      ~Release() { connection.release(reply); }
    } const release{*binding.connection, reply};
    if (follow(target, reply.message, reply.header)) return;
  }
  throw CORBA::TRANSIENT(minor::kTooManyForwards, CompletionStatus::COMPLETED_NO,
                         "the object kept moving: " + std::to_string(kMaxAttempts) + " attempts");
}

}  // namespace orbweaver::orb
