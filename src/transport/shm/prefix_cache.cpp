#include "transport/shm/prefix_cache.h"

namespace orbweaver::transport::shm {

std::size_t PrefixDetector::announce(const std::uint8_t* frame, std::size_t bytes) noexcept {
  bytes = std::min(bytes, kMaxPrefixBytes) & ~std::size_t{7};
  std::size_t common = 0;
  for (; common < std::min(bytes, previous_bytes_); common += 8) {
    static_assert(kVaryingOffset % 8 == 0 && kVaryingBytes == 8);
    if (common != kVaryingOffset && std::memcmp(frame + common, previous_ + common, 8) != 0) break;
  }
  announced_ = cacheable_prefix_bytes(common);
  omissions_ = 0;
  if (announced_ != 0) {
    previous_bytes_ = announced_;
  } else {
    std::memcpy(previous_, frame, bytes);
    previous_bytes_ = bytes;
  }
  return announced_;
}

}  // namespace orbweaver::transport::shm
