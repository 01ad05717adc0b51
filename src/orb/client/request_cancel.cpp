// CancelRequest for a call whose client no longer waits.
#include <algorithm>

#include "giop/control_messages.h"
#include "orb/client/request_sender.h"

namespace orbweaver::orb {

void RequestSender::cancel(giop::Version version, std::uint32_t request_id) noexcept {
  if (is_unreliable_ || has_any(kBatches | kHasSendQueue)) return;
  try {
    const auto message = giop::cancel_request(version, request_id);
    const auto room = claim_at_once(message.size());
    if (!room) return;
    std::copy(message.begin(), message.end(), room->begin());
    if (auto sent = commit(message.size(), false, Deadline{0}); !sent) state_.note(sent.take_error());
  } catch (const std::exception&) {  // no memory for an error: the request is not cancelled
  }
}

}  // namespace orbweaver::orb
