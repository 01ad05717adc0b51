// Requests that a client connection sends in fragments.
#include <algorithm>

#include "giop/control_messages.h"
#include "orb/client/request_sender.h"

namespace orbweaver::orb {
namespace {
constexpr std::int64_t kCancelMs = 100;
}  // namespace

/// Counts the request before it is sent: a server may reply before it has received all fragments.
cdr::OverflowHandler& RequestSender::send_in_fragments(MutableBytes room, std::uint32_t request_id,
                                                       bool two_way, Deadline deadline) {
  if (two_way) replies_.count_request();
  fragmented_is_two_way_ = two_way;
  set_special(kSendsFragments, true);
  return fragments_.emplace(*state_.channel, room, request_id, deadline, &committed_);
}

/// Cancels a fragmented request whose encoding failed, so that the server does not wait for the rest (CORBA
/// 3.3 part 2, 9.4.4 and 9.4.9).
void RequestSender::cancel_fragments() noexcept {
  const bool has_sent = fragments_->has_sent() && fragments_->failure() == nullptr;
  if (has_sent) queued_.mark_sent();
  const std::uint32_t cancelled = fragments_->request_id();
  const auto cancel = giop::cancel_request(giop::kGiop12, cancelled);
  end_fragments();
  if (fragmented_is_two_way_) replies_.mark_incomplete(cancelled);
  if (!has_sent) return;
  // The send lock is held and no error can be returned: the wait is limited. If the cancellation cannot be
  // sent the connection is closed, as the server would read the next message as a missing fragment.
  const Deadline deadline = Deadline::in_ms(kCancelMs);
  auto room = state_.channel->claim(cancel.size(), deadline);
  if (room) {
    std::copy(cancel.begin(), cancel.end(), room->begin());
    count(cancel.size());
    if (state_.channel->commit(cancel.size(), deadline)) return;
  }
  state_.mark_unusable();
  state_.channel->close();
}

}  // namespace orbweaver::orb
