#include "orb/bidirectional/rejected_request.h"

#include <cstring>

#include "giop/locate.h"
#include "giop/reply.h"
#include "orb/minor_codes.h"

namespace orbweaver::orb {

std::vector<std::uint8_t> rejection_of(Bytes frame) {
  giop::MessageHeader header;
  giop::read_header(frame, header);
  std::uint32_t id;
  std::memcpy(&id, frame.data() + giop::kHeaderBytes, sizeof id);
  if (header.swaps()) id = __builtin_bswap32(id);
  const giop::SystemException body{"IDL:omg.org/CORBA/TRANSIENT:1.0", minor::kNotBegun, giop::Completed::no};
  std::vector<std::uint8_t> reply(giop::reply_bound() + giop::bound_of(body));
  cdr::Encoder out(reply.data(), reply.size());
  if (header.type == giop::MessageType::locate_request)
    giop::encode_locate_reply(out, header.version, {id, giop::LocateStatus::system_exception});
  else
    giop::encode_reply(out, header.version, id, giop::ReplyStatus::system_exception, {}, giop::Body::follows);
  giop::encode(out, body);
  giop::finish_message(out);
  reply.resize(out.size());
  return reply;
}

}  // namespace orbweaver::orb
