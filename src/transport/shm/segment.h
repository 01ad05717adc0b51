#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "platform/memory.h"
#include "transport/shm/ring.h"

/// The shared segment of one connection: a header page and two rings. The format and its versions:
/// docs/formats/shm.md.
namespace orbweaver::transport::shm {

inline constexpr std::uint32_t kSegmentMagic = 0x4d53574f;  // "OWSM"
inline constexpr std::uint32_t kSegmentVersion = 3;
inline constexpr std::uint32_t kHugeSegmentVersion = 4;  // the same with a header of one huge page
inline constexpr std::size_t kHeaderBytes = 4096;
inline constexpr std::size_t kMinRingBytes = 4096;
inline constexpr std::size_t kMaxRingBytes = std::size_t{1} << 30;

/// Bytes of each ring whose page tables are populated when it is mapped. A writer that wraps early stays
/// within them, as those of most connections do; to populate whole rings took most of the time in which a
/// connection was opened (decision 59). Rings of huge pages are populated completely.
inline constexpr std::size_t kPopulatedRingBytes = std::size_t{64} << 10;

/// What a client asks for that wants rings of at most `ring_bytes`; empty: those of the server, which the
/// default and larger ones do not limit. Sent as the name of its socket (docs/formats/shm.md).
std::string ring_request(std::size_t ring_bytes);
/// The size of the rings of a client with this request, `ring_bytes` if it asks for no smaller ones.
std::size_t requested_ring_bytes(const std::string& request, std::size_t ring_bytes);

/// Feature bits that an end announces in the header, and the index of each end's word.
inline constexpr std::uint32_t kBlocks = 32;        // imports blocks (docs/formats/blocks.md), version 5
inline constexpr std::uint32_t kPrefixCaching = 2;  // expands frames sent without their cached prefix
inline constexpr std::uint32_t kFeatures = kBlocks | kPrefixCaching;
inline constexpr std::size_t kServer = 0, kClient = 1;

/// The header page. Its constants are written once by the server before the file is passed on.
struct SegmentHeader {
  std::uint32_t magic;
  std::uint32_t version;
  std::uint64_t ring_bytes;
  std::atomic<std::uint32_t> features[2];  // by server and client; 0 from peers without features
  alignas(kLine) RingWords to_server;
  RingWords to_client;
};
static_assert(sizeof(SegmentHeader) <= kHeaderBytes);
// docs/formats/shm.md; processes of 32 and of 64 bits share segments.
static_assert(offsetof(SegmentHeader, ring_bytes) == 8 && offsetof(SegmentHeader, features) == 16 &&
              offsetof(SegmentHeader, to_server) == kLine && offsetof(SegmentHeader, to_client) == 4 * kLine);

/// Message that accompanies the memory file over the rendezvous socket.
struct Welcome {
  std::uint32_t magic;
  std::uint32_t version;
  std::uint64_t ring_bytes;
};

/// The mapped segment. Its memory is freed when the last process has unmapped it.
class Segment {
 public:
  /// Creates a segment, in huge pages if enabled (transport/huge_pages.h). Errors: unavailable if memory or
  /// descriptors are short.
  static Result<Segment> make(std::size_t ring_bytes);
  /// Maps a segment received from a peer, after checking its size, seals and header.
  static Result<Segment> open(platform::Fd file, const Welcome& welcome);

  Segment() = default;
  RingMemory to_server() const noexcept { return ring(header()->to_server, 0); }
  RingMemory to_client() const noexcept { return ring(header()->to_client, 1); }
  std::atomic<std::uint32_t>& features(std::size_t end) const noexcept { return header()->features[end]; }
  std::size_t ring_bytes() const noexcept { return ring_bytes_; }
  std::uint32_t version() const noexcept {
    return header_bytes_ == kHeaderBytes ? kSegmentVersion : kHugeSegmentVersion;
  }
  const platform::Fd& file() const noexcept { return file_; }
  /// Closes the descriptor, which is not needed once the peer has it.
  void close_file() noexcept { file_.reset(); }

 private:
  Segment(std::size_t header_bytes, std::size_t ring_bytes) noexcept
      : header_bytes_(header_bytes), ring_bytes_(ring_bytes) {}
  Result<void> map();
  std::size_t file_bytes() const noexcept { return header_bytes_ + 2 * ring_bytes_; }
  SegmentHeader* header() const noexcept { return reinterpret_cast<SegmentHeader*>(mapping_.data()); }
  RingMemory ring(RingWords& words, std::size_t index) const noexcept {
    return {&words, mapping_.data() + header_bytes_ + index * 2 * ring_bytes_, ring_bytes_, true};
  }

  platform::Fd file_;
  platform::Mapping mapping_;
  std::size_t header_bytes_ = kHeaderBytes;
  std::size_t ring_bytes_ = 0;
};

}  // namespace orbweaver::transport::shm
