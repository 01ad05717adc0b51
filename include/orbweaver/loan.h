#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <orbweaver/detail/block_ref.h>
#include <orbweaver/detail/cdr/codec.h>
#include <orbweaver/span.h>

/// @file
/// Large payloads that are written once, in shared memory. A loan that is passed as a `@view` argument over
/// shared memory is not copied: the receiver reads it in place, may keep it beyond the upcall, and may pass
/// it on. Over any other transport, to a receiver without support for blocks, and below 4 KiB it is copied.
///
///     auto block = orbweaver::loan<double>(131072);
///     std::fill(block.begin(), block.end(), 1.0);
///     sink->push(block.view());                      // and to further receivers
///
/// Do not write to a block that has been passed on: its readers read it in place.
namespace orbweaver {

/// A block of `size` elements that this process may write until they are passed on. Movable, not copyable.
/// One thread at a time; the block returns to the pool when its last user, here or in another process,
/// releases it.
template <class T>
class Loan {
 public:
  static_assert(cdr::Codec<T>::kPlain, "a loan holds elements that lie in memory as they do in CDR");

  /// The first element; valid as long as the loan.
  T* data() noexcept { return data_; }
  /// Number of elements.
  std::size_t size() const noexcept { return size_; }
  /// The first element, for range-based loops.
  T* begin() noexcept { return data_; }
  /// The end of the elements.
  T* end() noexcept { return data_ + size_; }
  /// Element `i`, from 0. The index is not checked.
  T& operator[](std::size_t i) noexcept { return data_[i]; }
  /// The elements, to be passed as a `@view` argument; valid as long as the loan.
  span<const T> view() const noexcept { return {data_, size_}; }

  /// Takes the block of the other loan, which must not be used any more.
  Loan(Loan&&) noexcept = default;
  /// Releases the block of this loan, and takes that of the other.
  Loan& operator=(Loan&&) noexcept = default;

 private:
  template <class U>
  friend Loan<U> loan(std::size_t, PoolFull, std::int64_t);
  Loan(detail::BlockRef block, T* data, std::size_t size) noexcept
      : block_(std::move(block)), data_(data), size_(size) {}

  detail::BlockRef block_;
  T* data_;
  std::size_t size_;
};

/// Allocates a block of `size` elements, not initialised. `timeout_ms` in milliseconds; 0: no limit, or as
/// -ORBTune pool-full says. -ORBTune pool-bytes is the size of the pool. Any thread.
/// Raises NO_RESOURCES (0x4f57007d) if the pool is full, or smaller than the block, and TIMEOUT (0x4f57007d)
/// if it is still full after `timeout_ms`; both COMPLETED_NO.
template <class T>
Loan<T> loan(std::size_t size, PoolFull when_full = PoolFull::as_configured, std::int64_t timeout_ms = 0) {
  static_assert(std::is_trivially_destructible_v<T>);
  if (size > static_cast<std::size_t>(-1) / 2 / sizeof(T))
    size = static_cast<std::size_t>(-1) / 2 / sizeof(T);
  void* data = nullptr;
  auto block = detail::BlockRef::allocate(size * sizeof(T), when_full, timeout_ms, data);
  return Loan<T>(std::move(block), static_cast<T*>(data), size);
}

/// Elements of a view, kept valid beyond the upcall that received them. Copies share the elements. Any
/// thread.
template <class T>
class HeldView {
 public:
  /// Holds no elements.
  HeldView() noexcept = default;
  /// The elements; valid as long as this object or a copy of it.
  span<const T> view() const noexcept { return view_; }
  /// Number of elements.
  std::size_t size() const noexcept { return view_.size(); }
  /// Whether the elements were copied, because they were not in a block.
  bool is_copy() const noexcept { return copy_ != nullptr; }

 private:
  template <class U>
  friend HeldView<U> hold(span<const U> view);

  detail::BlockRef block_;
  std::shared_ptr<const std::vector<T>> copy_;
  span<const T> view_;
};

/// Keeps the elements of a view valid as long as the result or a copy of it: by a reference count if they are
/// in a block, otherwise by a copy. Call it while the view is valid, as in the upcall. Any thread.
template <class T>
HeldView<T> hold(span<const T> view) {
  HeldView<T> held;
  held.block_ = detail::BlockRef::find(view.data(), view.size_bytes());
  if (held.block_) {
    held.view_ = view;
  } else if (!view.empty()) {
    held.copy_ = std::make_shared<const std::vector<T>>(view.begin(), view.end());
    held.view_ = {held.copy_->data(), held.copy_->size()};
  }
  return held;
}

}  // namespace orbweaver
