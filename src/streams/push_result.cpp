#include <orbweaver/streams/push_result.h>

#include <orbweaver/exception.h>

#include "orb/minor_codes.h"

namespace orbweaver::streams::detail {

void raise_rejection(PushResult result) {
  constexpr auto kNo = CORBA::CompletionStatus::COMPLETED_NO;
  switch (result) {
    case PushResult::too_large:
      throw CORBA::IMP_LIMIT(
          minor::kPacketTooLarge, kNo,
          "packet larger than the limit in bytes of its queue or than the largest payload");
    case PushResult::closed:
      throw CORBA::TRANSIENT(minor::kStreamClosed, kNo, "queue closed: no more packets are accepted");
    default: throw CORBA::TRANSIENT(minor::kQueueFull, kNo, "queue full");
  }
}

}  // namespace orbweaver::streams::detail
