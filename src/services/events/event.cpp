#include "services/events/event.h"

#include <orbweaver/streams/push_result.h>

namespace orbweaver::services::events {

std::size_t event_bytes(const CORBA::Any& any) {
  // A TypeCode takes up to twelve times its encoded size: 88 bytes for each string type of 8.
  constexpr std::size_t kTypeCodeFactor = 12;
  const std::size_t type = cdr::Codec<CORBA::typecode_reference>::bound(any.type());
  return sizeof(Event) + kTypeCodeFactor * type + orbweaver::any::Access::bound(any);
}

Event::~Event() { memory_->release(bytes_); }

bool EventMemory::charge(std::size_t bytes) noexcept {
  std::size_t used = used_.load(std::memory_order_relaxed);
  do {
    if (bytes > limit_ || used > limit_ - bytes) return false;
  } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  return true;
}

EventRef EventMemory::make_event(const CORBA::Any& any, std::size_t bytes) {
  if (bytes > limit_) streams::raise_if_rejected(streams::PushResult::too_large);
  while (!charge(bytes)) {
    if (!discard_(bytes)) streams::raise_if_rejected(streams::PushResult::queue_full);
  }
  try {
    return std::make_shared<const Event>(any, bytes, shared_from_this());
  } catch (...) {
    release(bytes);
    throw;
  }
}

}  // namespace orbweaver::services::events
