#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <orbweaver/blocks.h>
#include <orbweaver/cdr/wide.h>

namespace orbweaver::cdr {

class Broker;

/// A block of elements that an encoder did not copy: `bytes` at `from` belong where the room has a gap, at `at`.
struct Apart {
  const void* from = nullptr;
  std::size_t at = 0, bytes = 0;
};

/// Sends what an encoder has written while it goes on, so that a message needs no room for all of it.
class Overflow {
 public:
  /// Room for what comes next, of which the first `used` bytes are written already. `bytes` 0: sending failed, and what
  /// is encoded from now on is thrown away. A multiple of 8, aligned to 8.
  struct Room {
    std::uint8_t* begin = nullptr;
    std::size_t bytes = 0, used = 0;
  };
  /// The room is full: sends it, with what was left apart.
  virtual Room pass(std::size_t written, const Apart& apart) = 0;

 protected:
  ~Overflow() = default;
};

/// Writes CDR (CORBA 3.3 part 2, 9.3) in this machine's byte order into room that was made beforehand.
///
/// Generated code knows a bound on what it will write, so room never runs out; should it all the same
/// (an argument that another thread changes meanwhile), writing stops, nothing beyond the room is
/// touched and `ok()` turns false. An encoder over a vector grows it instead, one with an Overflow sends what is full.
/// Alignment counts from `base`, the first byte of the message or of the encapsulation.
class Encoder {
 public:
  using Apart = cdr::Apart;

  Encoder(std::uint8_t* base, std::size_t capacity) noexcept
      : base_(base), pos_(base), end_(base + capacity) {}
  /// Writes over `storage` from its beginning and grows it as needed; it must outlive the encoder.
  /// `finish()` cuts it to what was written.
  explicit Encoder(std::vector<std::uint8_t>& storage) : base_(storage.data()), pos_(base_),
      end_(base_ + storage.size()), storage_(&storage) {}
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  bool ok() const noexcept { return ok_; }
  std::size_t size() const noexcept { return static_cast<std::size_t>(pos_ - base_); }
  const std::uint8_t* data() const noexcept { return base_; }
  void finish() {
    if (storage_) storage_->resize(size());
  }

  /// Pads with zeros to a multiple of `alignment` (1, 2, 4 or 8).
  void align(std::size_t alignment) {
    const std::size_t gap = (0 - size()) & (alignment - 1);
    if (!room(gap)) return;
    for (std::size_t i = 0; i < gap; ++i) pos_[i] = 0;
    pos_ += gap;
  }

  /// One aligned primitive: an integer, a float, a double, a char.
  template <class T>
  void put(T value) {
    static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8, "wider and constructed types have a Codec");
    if constexpr (sizeof(T) > 1) align(sizeof(T));
    if (!room(sizeof(T))) return;
    std::memcpy(pos_, &value, sizeof(T));
    pos_ += sizeof(T);
  }

  void put_bytes(const void* bytes, std::size_t n) {
    if (n == 0) return;
    if (__builtin_expect(n > left(), 0)) return put_beyond(bytes, n);
    std::memcpy(pos_, bytes, n);
    pos_ += n;
  }

  /// The next `n` bytes, for the caller to fill at once; null where there is no room for them. Headers of
  /// known size are written so, with one check. Not aligned.
  std::uint8_t* take(std::size_t n) {
    if (!room(n)) return nullptr;
    std::uint8_t* const at = pos_;
    pos_ += n;
    return at;
  }

  /// `n` elements that lie in memory as they do in CDR, aligned to `alignment`.
  void put_block(const void* elements, std::size_t bytes, std::size_t alignment) {
    if (bytes == 0) return;
    align(alignment);
    if (bytes >= least_apart_) return leave_apart(elements, bytes);
    put_bytes(elements, bytes);
  }

  /// From here on the first block of at least `least` bytes stays where it is; with an Overflow the first of each room.
  /// For whoever sends what was written while its owner keeps it. Set by the orb room.
  void may_leave_apart(std::size_t least) noexcept { least_apart_ = least_of_room_ = least; }
  /// The one that did; `bytes` 0: none.
  const Apart& apart() const noexcept { return apart_; }
  /// Who takes the room when it is full, a multiple of 8 bytes; it outlives the encoder. Set by the orb room.
  void overflow_to(Overflow& overflow) noexcept { overflow_ = &overflow; }

  /// A CDR string: length with the terminating NUL, the characters, NUL.
  void put_string(std::string_view s) {
    put(static_cast<std::uint32_t>(s.size() + 1));
    if (__builtin_expect(s.size() + 1 > left(), 0)) {
      put_beyond(s.data(), s.size());
      return put(std::uint8_t{0});
    }
    if (!s.empty()) std::memcpy(pos_, s.data(), s.size());
    pos_[s.size()] = 0;
    pos_ += s.size() + 1;
  }

  /// Where views that lie in shared blocks may go as descriptions; null: nowhere. Set by the orb room.
  void blocks(BlockSender* sender) noexcept { blocks_ = sender; }
  /// Writes a description in place of a view's length and elements, if they lie in a block that can be given.
  bool put_block_description(const void* elements, std::size_t n, std::size_t bytes) {
    if (blocks_ == nullptr || bytes < kSmallestBlockView) return false;
    BlockDescription d;
    if (!blocks_->give(elements, bytes, d)) return false;
    put(kBlockMark);
    put(d.link);
    put(static_cast<std::uint32_t>(n));
    put(d.gift);
    put(d.offset);
    put(d.bytes);
    put(d.begin);
    return true;
  }

  /// Who made the last object reference that was written, so that an any can keep it; null: none was.
  Broker* broker() const noexcept { return broker_; }
  void broker(Broker* broker) noexcept { broker_ = broker; }

  /// The form in which wide characters are written. Set by whoever knows the version of the message.
  WideForm wide_form() const noexcept { return wide_form_; }
  void wide_form(WideForm form) noexcept { wide_form_ = form; }

  /// Room for four bytes that are known only later; give the result to `patch`.
  std::size_t reserve_ulong() {
    put(std::uint32_t{0});
    return size() - 4;
  }
  void patch_ulong(std::size_t at, std::uint32_t value) noexcept {
    if (ok_) std::memcpy(base_ + at, &value, 4);
  }

 private:
  std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - pos_); }
  bool room(std::size_t n) { return left() >= n || grow(n); }
  bool grow(std::size_t n);
  /// Bytes for which there is no room at once.
  void put_beyond(const void* bytes, std::size_t n);
  void leave_apart(const void* elements, std::size_t bytes);

  std::uint8_t* base_;
  std::uint8_t* pos_;
  std::uint8_t* end_;
  std::vector<std::uint8_t>* storage_ = nullptr;
  BlockSender* blocks_ = nullptr;
  Broker* broker_ = nullptr;
  Overflow* overflow_ = nullptr;
  std::size_t least_apart_ = ~std::size_t{0};
  std::size_t least_of_room_ = ~std::size_t{0};
  Apart apart_;
  bool ok_ = true;
  WideForm wide_form_ = WideForm::giop_1_2;
};

}  // namespace orbweaver::cdr
