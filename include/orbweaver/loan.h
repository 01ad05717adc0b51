#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <orbweaver/cdr/codec.h>
#include <orbweaver/span.h>

/// Large payloads that are written once. What lies in a loan and is passed as a `@view` argument over shared
/// memory is not copied: the receiver reads it where it is, may hold it beyond the upcall, and may pass it
/// on. Over any other road, to a receiver that does not know blocks, and below 4 KiB it is copied as ever.
///
///     auto block = orbweaver::loan<double>(131072);
///     std::fill(block.begin(), block.end(), 1.0);
///     sink->push(block.view());                      // and to as many others as need it
///
/// A block that has been passed on must not be written to any more: its readers read it where it is.
namespace orbweaver {

/// What a loan does while the pool is full.
enum class WhenFull : std::uint8_t {
  as_set,  ///< What -ORBPoolFull says: `wait`, unless it says otherwise.
  wait,    ///< Waits until receivers have returned enough: back-pressure.
  raise,   ///< Raises CORBA::NO_RESOURCES.
};

namespace detail {

/// One reference to a block of shared memory. Any thread; may outlive every ORB.
class BlockRef {
 public:
  BlockRef() noexcept = default;
  BlockRef(const BlockRef& other) noexcept;
  BlockRef(BlockRef&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  BlockRef& operator=(BlockRef other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~BlockRef();
  explicit operator bool() const noexcept { return block_ != nullptr; }

  /// From this process's pool.
  static BlockRef lend(std::size_t bytes, WhenFull when_full, std::int64_t timeout_ms, void*& data);
  /// The block in which the bytes lie; empty where they lie in none.
  static BlockRef around(const void* data, std::size_t bytes) noexcept;

 private:
  void* block_ = nullptr;
};

}  // namespace detail

/// `size` elements that this process may write, until they are passed on. Moves, never copies. One thread at
/// a time; the last to use the block, here or elsewhere, gives it back.
template <class T>
class Loan {
 public:
  static_assert(cdr::Codec<T>::kPlain, "a loan holds elements that lie in memory as they do in CDR");

  T* data() noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  T* begin() noexcept { return data_; }
  T* end() noexcept { return data_ + size_; }
  T& operator[](std::size_t i) noexcept { return data_[i]; }
  span<const T> view() const noexcept { return {data_, size_}; }

  Loan(Loan&&) noexcept = default;
  Loan& operator=(Loan&&) noexcept = default;

 private:
  template <class U>
  friend Loan<U> loan(std::size_t, WhenFull, std::int64_t);
  Loan(detail::BlockRef block, T* data, std::size_t size) noexcept
      : block_(std::move(block)), data_(data), size_(size) {}

  detail::BlockRef block_;
  T* data_;
  std::size_t size_;
};

/// A block for `size` elements, whose values are whatever was there before.
/// Raises NO_RESOURCES where the pool is full (or too small for ever), TIMEOUT where it still is after
/// `timeout_ms` (0: waits as long as it takes, or as -ORBPoolFull says). -ORBPoolBytes is the pool's size.
template <class T>
Loan<T> loan(std::size_t size, WhenFull when_full = WhenFull::as_set, std::int64_t timeout_ms = 0) {
  static_assert(std::is_trivially_destructible_v<T>);
  if (size > static_cast<std::size_t>(-1) / 2 / sizeof(T)) size = static_cast<std::size_t>(-1) / 2 / sizeof(T);
  void* data = nullptr;
  auto block = detail::BlockRef::lend(size * sizeof(T), when_full, timeout_ms, data);
  return Loan<T>(std::move(block), static_cast<T*>(data), size);
}

/// Elements kept beyond the upcall that brought them. Copies share them. Any thread.
template <class T>
class Held {
 public:
  Held() noexcept = default;
  span<const T> view() const noexcept { return view_; }
  std::size_t size() const noexcept { return view_.size(); }
  /// Were the elements copied, because they lay in no block?
  bool is_copy() const noexcept { return copy_ != nullptr; }

 private:
  template <class U>
  friend Held<U> hold(span<const U> view);

  detail::BlockRef block_;
  std::shared_ptr<const std::vector<T>> copy_;
  span<const T> view_;
};

/// Holds what a view shows for as long as the result or a copy of it lives: by a count where it lies in a
/// block, by a copy where it does not. Call it while the view is valid.
template <class T>
Held<T> hold(span<const T> view) {
  Held<T> held;
  held.block_ = detail::BlockRef::around(view.data(), view.size_bytes());
  if (held.block_) {
    held.view_ = view;
  } else if (!view.empty()) {
    held.copy_ = std::make_shared<const std::vector<T>>(view.begin(), view.end());
    held.view_ = {held.copy_->data(), held.copy_->size()};
  }
  return held;
}

}  // namespace orbweaver
