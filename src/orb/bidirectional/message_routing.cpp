#include "orb/bidirectional/message_routing.h"

#include <algorithm>

namespace orbweaver::orb {
namespace {

using giop::MessageType;

/// The id of a GIOP 1.2 message that can be fragmented, or of a CancelRequest. False if the message has none.
bool read_id(Bytes frame, const giop::MessageHeader& header, std::uint32_t& id) noexcept {
  if (frame.size() < giop::kHeaderBytes + 4) return false;
  id = giop::request_id_of(frame, header);
  return true;
}

}  // namespace

/// The role of the messages with this id, if nothing else tells it.
MessageRouting::Role MessageRouting::role_of_id(std::uint32_t id) const noexcept {
  const bool is_own = (id % 2 == 0) == (side_ == Side::initiator);
  return is_own ? Role::caller : Role::server;
}

/// Records a message whose fragments follow. There are at most as many as a connection may have: one more
/// ends the connection.
void MessageRouting::begin(Role role, Bytes frame, const giop::MessageHeader& header) {
  last_incomplete_ = role;
  std::uint32_t id = 0;
  auto& ids = incomplete_[static_cast<std::size_t>(role)];
  if (header.version < giop::kGiop12 || !read_id(frame, header, id)) return;
  if (ids.size() < limits::kMaxFragmentedMessages && std::find(ids.begin(), ids.end(), id) == ids.end())
    ids.push_back(id);
}

/// Whether a message with this id is incomplete. Without `more`, it ends.
bool MessageRouting::end(Role role, std::uint32_t id, bool more) noexcept {
  auto& ids = incomplete_[static_cast<std::size_t>(role)];
  const auto found = std::find(ids.begin(), ids.end(), id);
  if (found == ids.end()) return false;
  if (!more) ids.erase(found);
  return true;
}

MessageRouting::Role MessageRouting::role_of_fragment(Bytes frame, const giop::MessageHeader& header) {
  std::uint32_t id = 0;
  if (header.version < giop::kGiop12 || !read_id(frame, header, id)) return last_incomplete_;
  const Role likely = role_of_id(id), other = likely == Role::caller ? Role::server : Role::caller;
  if (end(likely, id, header.more_fragments)) return likely;
  return end(other, id, header.more_fragments) ? other : likely;
}

MessageRouting::Role MessageRouting::role_of(Bytes frame, const giop::MessageHeader& header) {
  switch (header.type) {
    case MessageType::reply:
    case MessageType::locate_reply:
      if (header.more_fragments) begin(Role::caller, frame, header);
      return Role::caller;
    case MessageType::fragment: return role_of_fragment(frame, header);
    case MessageType::cancel_request:
      if (std::uint32_t id = 0; read_id(frame, header, id)) end(Role::server, id, false);
      return Role::server;
    default:
      if (header.more_fragments) begin(Role::server, frame, header);
      return Role::server;
  }
}

MessageRouting::Destination MessageRouting::route(Bytes frame) {
  giop::MessageHeader header;
  Role role = side_ == Side::initiator ? Role::caller : Role::server;  // of an invalid message
  if (giop::read_header(frame, header)) {
    if (header.type == MessageType::close_connection || header.type == MessageType::message_error)
      return {is_open(Role::caller), is_open(Role::server)};
    role = role_of(frame, header);
  }
  if (!is_open(role)) role = role == Role::caller ? Role::server : Role::caller;
  return {role == Role::caller, role == Role::server};
}

}  // namespace orbweaver::orb
