#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include <orbweaver/detail/block_ref.h>

namespace orbweaver::sca {

template <class Sample>
class Output;

/// Storage of one packet, from Output::allocate: a component writes its samples there and pushes it. Movable,
/// not copyable. One thread at a time. Storage that is not pushed is released by the destructor.
template <class Sample>
class OutputBuffer {
 public:
  /// Has no samples.
  OutputBuffer() noexcept = default;
  /// Takes the storage of the other buffer, which then has no samples.
  OutputBuffer(OutputBuffer&& other) noexcept
      : block_(std::move(other.block_)), hold_(std::move(other.hold_)), memory_(std::move(other.memory_)),
        capacity_(std::exchange(other.capacity_, 0)), samples_(std::exchange(other.samples_, {})) {}
  /// Releases the storage of this buffer, and takes that of the other.
  OutputBuffer& operator=(OutputBuffer&& other) noexcept {
    block_ = std::move(other.block_);
    hold_ = std::move(other.hold_);
    memory_ = std::move(other.memory_);
    capacity_ = std::exchange(other.capacity_, 0);
    samples_ = std::exchange(other.samples_, {});
    return *this;
  }

  /// The samples, not initialised; valid as long as this buffer.
  std::span<Sample> samples() noexcept { return samples_; }
  /// The first sample.
  Sample* data() noexcept { return samples_.data(); }
  /// Number of samples.
  std::size_t size() const noexcept { return samples_.size(); }
  /// The first sample, for range-based loops.
  Sample* begin() noexcept { return data(); }
  /// The end of the samples.
  Sample* end() noexcept { return data() + size(); }
  /// Sample `i`, from 0. The index is not checked.
  Sample& operator[](std::size_t i) noexcept { return samples_[i]; }
  /// Keeps the first `n` samples only. No effect if there are fewer.
  void truncate(std::size_t n) noexcept {
    if (n < size()) samples_ = samples_.first(n);
  }
  /// Whether the storage is shared memory, which receivers read in place; otherwise it is copied for them.
  bool is_in_block() const noexcept { return static_cast<bool>(block_); }

 private:
  friend class Output<Sample>;

  ::orbweaver::detail::BlockRef block_;
  ::orbweaver::detail::BlockAccount::Hold hold_;  // of block_, until it is pushed
  std::unique_ptr<Sample[]> memory_;              // if there is no block
  std::size_t capacity_ = 0;                      // of memory_, in samples
  std::span<Sample> samples_;
};

}  // namespace orbweaver::sca
