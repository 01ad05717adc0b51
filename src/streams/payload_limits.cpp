#include <orbweaver/streams/payload_limits.h>

#include <stdexcept>
#include <string>

namespace orbweaver::streams {

namespace {

bool valid(const PayloadSizes& sizes, std::uint32_t largest) {
  return sizes.desired > 0 && sizes.min <= sizes.desired && sizes.desired <= sizes.max &&
         sizes.max <= largest;
}

}  // namespace

PayloadLimits::PayloadLimits(const PayloadSizes& sizes, std::uint32_t largest)
    : sizes_(sizes), largest_(largest) {
  if (valid(sizes, largest)) return;
  throw std::invalid_argument("payload sizes: max " + std::to_string(sizes.max) + ", min " +
                              std::to_string(sizes.min) + ", desired " + std::to_string(sizes.desired) +
                              ": desired must be greater than 0, between min and max, and max at most " +
                              std::to_string(largest));
}

PayloadSizes PayloadLimits::sizes() const {
  const std::lock_guard lock(mutex_);
  return sizes_;
}

bool PayloadLimits::replace(std::uint32_t PayloadSizes::*member, std::uint32_t size) {
  const std::lock_guard lock(mutex_);
  PayloadSizes changed = sizes_;
  changed.*member = size;
  if (!valid(changed, largest_)) return false;
  sizes_ = changed;
  return true;
}

bool PayloadLimits::set_max(std::uint32_t size) { return replace(&PayloadSizes::max, size); }
bool PayloadLimits::set_min(std::uint32_t size) { return replace(&PayloadSizes::min, size); }
bool PayloadLimits::set_desired(std::uint32_t size) { return replace(&PayloadSizes::desired, size); }

void PayloadLimits::set_min_override_timeout_ms(std::uint32_t timeout_ms) {
  const std::lock_guard lock(mutex_);
  sizes_.min_override_timeout_ms = timeout_ms;
}

}  // namespace orbweaver::streams
