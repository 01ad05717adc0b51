#include "transport/shm/segment.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <new>
#include <string_view>
#include <system_error>

#include <orbweaver/transport.h>

#include "transport/huge_pages.h"

namespace orbweaver::transport::shm {

namespace {

constexpr std::string_view kRingRequest = "ring/";

}  // namespace

std::string ring_request(std::size_t ring_bytes) {
  if (ring_bytes >= ChannelOptions().ring_bytes) return {};
  return std::string(kRingRequest) + std::to_string(ring_bytes);
}

std::size_t requested_ring_bytes(const std::string& request, std::size_t ring_bytes) {
  if (!request.starts_with(kRingRequest)) return ring_bytes;
  const char* const end = request.data() + request.size();
  std::size_t asked = 0;
  const auto read = std::from_chars(request.data() + kRingRequest.size(), end, asked);
  return read.ec == std::errc() && read.ptr == end ? std::min(asked, ring_bytes) : ring_bytes;
}

Result<void> Segment::map() {
  const std::size_t populated = header_bytes_ == kHeaderBytes ? kPopulatedRingBytes : ring_bytes_;
  auto mapped = platform::map_shared(file_, {{0, header_bytes_, 1},
                                             {header_bytes_, ring_bytes_, 2, populated},
                                             {header_bytes_ + ring_bytes_, ring_bytes_, 2, populated}});
  if (!mapped)
    return Error{ErrorKind::unavailable,
                 "cannot map a shared segment: " + platform::error_text(mapped.error)};
  mapping_ = std::move(mapped.mapping);
  return {};
}

Result<Segment> Segment::make(std::size_t ring_bytes) {
  using platform::kHugePageBytes;
  const std::size_t rounded =
      std::bit_ceil(std::clamp(ring_bytes, std::max(kMinRingBytes, platform::page_bytes()), kMaxRingBytes));
  const Segment huge(kHugePageBytes, std::max(rounded, kHugePageBytes));
  Segment segment;
  auto file = with_best_pages(
      "a shared segment", huge.file_bytes(), HugePageReserve::never, [&](platform::Pages pages) {
        const bool ordinary = pages == platform::Pages::ordinary;
        segment = ordinary ? Segment(kHeaderBytes, rounded) : Segment(kHugePageBytes, huge.ring_bytes_);
        return platform::make_memory_file("orbweaver-shm", segment.file_bytes(), pages);
      });
  if (!file) {
    return Error{ErrorKind::unavailable, "no memory for a shared segment with two rings of " +
                                             std::to_string(segment.ring_bytes_) +
                                             " bytes: " + platform::error_text(file.error)};
  }
  segment.file_ = std::move(file.fd);
  if (auto mapped = segment.map(); !mapped) return mapped.take_error();
  auto* header = new (segment.header()) SegmentHeader{};
  header->magic = kSegmentMagic;
  header->version = segment.version();
  header->ring_bytes = segment.ring_bytes_;
  header->features[kServer].store(kFeatures);  // before the client can read them
  return segment;
}

Result<Segment> Segment::open(platform::Fd file, const Welcome& welcome) {
  if (welcome.magic == __builtin_bswap32(kSegmentMagic))
    return Error{ErrorKind::unavailable, "the shared-memory server has another byte order"};
  if (welcome.magic != kSegmentMagic)
    return Error{ErrorKind::disconnected, "the peer is not an Orbweaver shared-memory server"};
  if (welcome.version != kSegmentVersion && welcome.version != kHugeSegmentVersion) {
    return Error{ErrorKind::unavailable, "the peer's segment has version " + std::to_string(welcome.version) +
                                             ", this program supports " + std::to_string(kSegmentVersion) +
                                             " and " + std::to_string(kHugeSegmentVersion)};
  }
  const bool huge = welcome.version == kHugeSegmentVersion;
  if (!std::has_single_bit(welcome.ring_bytes) || welcome.ring_bytes < kMinRingBytes ||
      welcome.ring_bytes > kMaxRingBytes ||
      welcome.ring_bytes % (huge ? platform::kHugePageBytes : platform::page_bytes()) != 0) {
    return Error{ErrorKind::disconnected,
                 "invalid ring size from the peer: " + std::to_string(welcome.ring_bytes) + " bytes"};
  }
  Segment segment(huge ? platform::kHugePageBytes : kHeaderBytes,
                  static_cast<std::size_t>(welcome.ring_bytes));
  segment.file_ = std::move(file);
  if (const int error = platform::check_memory_file(segment.file_, segment.file_bytes()); error != 0) {
    return Error{ErrorKind::disconnected,
                 "the peer sent a file that is not a sealed segment: " + platform::error_text(error)};
  }
  if (auto mapped = segment.map(); !mapped) return mapped.take_error();
  if (const int error = platform::forbid_hole_punching(segment.file_, segment.file_bytes()); error != 0) {
    return Error{ErrorKind::disconnected,
                 "the peer's segment is not fully allocated: " + platform::error_text(error)};
  }
  return segment;
}

}  // namespace orbweaver::transport::shm
