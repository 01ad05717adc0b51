// Requests that are sent in fragments.
#include <algorithm>

#include "giop/control.h"
#include "orb/client_connection.h"

namespace orbweaver {
namespace {
constexpr std::int64_t kCancelMs = 100;
}  // namespace

/// A server may answer before it has all of it.
cdr::Overflow& ClientConnection::send_in_fragments(MutableBytes room, std::uint32_t request_id, bool two_way,
                                                   Deadline deadline) {
  if (two_way) count_request(1);
  fragments_counted_ = two_way;
  return fragments_.emplace(*channel_, room, request_id, deadline, &committed_);
}

/// Its encoding failed. What has left of it is taken back, so that the server does not wait for the rest
/// (CORBA 3.3 part 2, 9.4.4 and 9.4.9).
void ClientConnection::cancel_fragments() noexcept {
  const bool begun = fragments_->begun() && fragments_->failure() == nullptr;
  const auto cancel = giop::cancel_request(giop::kGiop12, fragments_->request_id());
  fragments_.reset();
  if (fragments_counted_) count_request(-1);
  if (!begun) return;
  // With the send lock, and no caller to tell: a server that takes nothing is not waited for. Without the cancellation
  // the connection is of no more use, as the server would take the next message for a fragment that is missing.
  const Deadline deadline = Deadline::in_ms(kCancelMs);
  auto room = channel_->claim(cancel.size(), deadline);
  if (room) {
    std::copy(cancel.begin(), cancel.end(), room->begin());
    if (channel_->commit(cancel.size(), deadline)) return;
  }
  usable_.store(false, std::memory_order_release);
  channel_->close();
}

}  // namespace orbweaver
