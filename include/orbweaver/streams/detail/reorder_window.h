#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <orbweaver/streams/push_result.h>
#include <orbweaver/streams/reorder_options.h>

namespace orbweaver::streams::detail {

/// Sequence numbers, sizes and slots of a ReorderBuffer, without its packets. One thread at a time.
class ReorderWindow {
 public:
  /// Smallest jump_distance().
  static constexpr std::uint32_t kMinJumpDistance = 4096;
  /// Largest capacity, in packets.
  static constexpr std::size_t kMaxPackets = 1u << 23;

  /// Throws std::invalid_argument as ReorderBuffer.
  explicit ReorderWindow(const ReorderOptions& options);

  /// Chooses the slot for the packet `number`; sets `slot` if the result is `accepted`.
  PushResult push(std::uint32_t number, std::size_t bytes, std::size_t& slot);
  /// The slot of the next packet; nullopt if it has not arrived. See ReorderBuffer::take.
  std::optional<std::size_t> take(std::int64_t now_ns);
  /// The slot of the stored packet of the lowest number, which is discarded; nullopt if there is none.
  std::optional<std::size_t> discard() noexcept;
  /// See ReorderBuffer::forget_refused.
  void forget_refused(std::uint32_t number) noexcept;

  /// When take() will skip the missing packet; nullopt if none is missing.
  std::optional<std::int64_t> skip_at_ns() const noexcept { return skip_at_ns_; }
  /// See ReorderBuffer::finish.
  void finish() noexcept;
  /// Largest number of packets.
  std::size_t capacity() const noexcept { return sizes_.size(); }
  /// The larger of 4096 and twice the capacity.
  std::uint32_t jump_distance() const noexcept { return jump_distance_; }
  /// Counters.
  const ReorderCounts& counts() const noexcept { return counts_; }

 private:
  static constexpr std::size_t kFree = kUnlimited;  // size of a slot without a packet

  void jump_to(std::uint32_t number) noexcept;
  std::size_t slot_of(std::uint32_t number) const noexcept;
  /// Whether no packet is stored or refused for lack of space.
  bool is_empty() const noexcept { return counts_.packets == 0 && !lowest_refused_; }
  bool is_next_stored() const noexcept { return sizes_[head_] != kFree; }
  bool is_jump(std::uint32_t number) const noexcept;
  bool must_skip(std::int64_t now_ns);
  void skip();
  void advance(std::uint32_t numbers) noexcept;
  std::size_t remove_next() noexcept;

  const std::size_t max_bytes_;
  std::vector<std::size_t> sizes_;  // by slot: bytes of the packet, or kFree
  std::size_t head_ = 0;            // slot of next_; those of the following numbers follow, modulo capacity
  std::uint32_t next_;              // number that take() returns next
  const std::uint32_t jump_distance_;
  const std::int64_t skip_after_ns_;
  std::optional<std::uint32_t> lowest_refused_;  // for lack of space, since take() last returned or skipped
  std::optional<std::uint32_t> refused_jump_;    // until what was no jump before it has been delivered
  std::uint32_t jump_limit_ = 0;                 // with refused_jump_: this and later numbers were jumps
  std::optional<std::int64_t> skip_at_ns_;
  bool finishing_ = false;
  ReorderCounts counts_;
};

}  // namespace orbweaver::streams::detail
