#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "orb/client/call_options.h"
#include "orb/client/request_plan.h"
#include "orb/client/request_sender.h"

namespace orbweaver::orb {

/// Message buffer and send lock of a connection, claimed for one request. The destructor abandons the request
/// unless it was committed.
class ClaimedRequest {
 public:
  ClaimedRequest() = default;
  ~ClaimedRequest() {
    if (sender_ != nullptr) [[unlikely]]
      abandon(*sender_, has_code_sets_);
  }
  ClaimedRequest(const ClaimedRequest&) = delete;
  ClaimedRequest& operator=(const ClaimedRequest&) = delete;

  /// Takes over a successful claim.
  void take(RequestSender& sender) noexcept {
    sender_ = &sender;
    id_ = sender.next_request_id();
  }
  std::uint32_t id() const noexcept { return id_; }
  /// Whether the request has to contain the CodeSets context, as the first one of its connection.
  bool needs_code_sets(const RequestPlan& plan) noexcept {
    if (plan.code_sets_bytes == 0) return false;
    has_code_sets_ = !sender_->exchange_code_sets_sent();
    return has_code_sets_;
  }
  Result<void> commit(std::size_t bytes, const CallOptions& options) {
    return std::exchange(sender_, nullptr)
        ->commit(bytes, options.expects_reply,
                 options.never_waits ? transport::Deadline{0} : options.send_deadline);
  }

 private:
  [[gnu::cold]] static void abandon(RequestSender& sender, bool has_code_sets) noexcept {
    if (has_code_sets) sender.clear_code_sets_sent();
    sender.abandon();
  }

  RequestSender* sender_ = nullptr;
  std::uint32_t id_ = 0;
  bool has_code_sets_ = false;
};

}  // namespace orbweaver::orb
