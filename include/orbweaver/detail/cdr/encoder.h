#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <orbweaver/detail/blocks.h>
#include <orbweaver/detail/cdr/wchar_encoding.h>

namespace orbweaver::cdr {

class Broker;

/// A segment of a message that the encoder did not copy: `bytes` at `from` belong at offset `at` of the
/// buffer.
struct OutOfLineSegment {
  const void* from = nullptr;
  std::size_t at = 0, bytes = 0;
};

/// Sends a full buffer of an encoder and returns the next one, so that no buffer is needed for the whole
/// message.
class OverflowHandler {
 public:
  /// The next buffer, of which the first `used` bytes are already written; a multiple of 8 bytes, aligned to
  /// 8. `bytes` 0: sending failed, and the rest is discarded.
  struct Buffer {
    std::uint8_t* begin = nullptr;
    std::size_t bytes = 0, used = 0;
  };
  /// Sends the full buffer, with its out-of-line segment.
  virtual Buffer flush_buffer(std::size_t written, const OutOfLineSegment& out_of_line) = 0;

 protected:
  ~OverflowHandler() = default;
};

/// Encoder of CDR (CORBA 3.3 part 2, 9.3) in this machine's byte order, into a buffer of fixed size. Used by
/// one thread at a time.
///
/// Generated code computes an upper bound beforehand, so that the buffer suffices; if it does not (an
/// argument that another thread modifies meanwhile), writing stops, nothing beyond the buffer is changed and
/// `ok()` returns false. An encoder over a vector grows it instead; one with an OverflowHandler sends the
/// full buffer. Alignment counts from `base`, the first byte of the message or of the encapsulation.
class Encoder {
 public:
  using OutOfLineSegment = cdr::OutOfLineSegment;

  Encoder(std::uint8_t* base, std::size_t capacity) noexcept
      : base_(base), pos_(base), end_(base + capacity) {}
  /// Overwrites `storage` from its beginning and grows it as needed; it must outlive the encoder. `finish()`
  /// resizes it to the bytes written.
  explicit Encoder(std::vector<std::uint8_t>& storage)
      : base_(storage.data()), pos_(base_), end_(base_ + storage.size()), storage_(&storage) {}
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
    if (!ensure(gap)) return;
    for (std::size_t i = 0; i < gap; ++i) pos_[i] = 0;
    pos_ += gap;
  }

  /// Writes one aligned primitive: an integer, a float, a double, a char.
  template <class T>
  void put(T value) {
    static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8, "wider and constructed types have a Codec");
    if constexpr (sizeof(T) > 1) align(sizeof(T));
    if (!ensure(sizeof(T))) return;
    std::memcpy(pos_, &value, sizeof(T));
    pos_ += sizeof(T);
  }

  void put_bytes(const void* bytes, std::size_t n) {
    if (n == 0) return;
    if (__builtin_expect(n > remaining(), 0)) return put_across_buffers(bytes, n);
    std::memcpy(pos_, bytes, n);
    pos_ += n;
  }

  /// Returns the next `n` bytes, not aligned, to be filled in immediately; null if there is no space. Used
  /// for headers of known size, with one check.
  std::uint8_t* take(std::size_t n) {
    if (!ensure(n)) return nullptr;
    std::uint8_t* const at = pos_;
    pos_ += n;
    return at;
  }

  /// Writes `bytes` of elements whose layout is that of CDR, aligned to `alignment`.
  void put_elements(const void* elements, std::size_t bytes, std::size_t alignment) {
    if (bytes == 0) return;
    align(alignment);
    if (bytes >= min_out_of_line_) return put_out_of_line(elements, bytes);
    put_bytes(elements, bytes);
  }

  /// From now on, leaves the first block of elements of at least `least` bytes out of line; with an
  /// OverflowHandler, the first of each buffer. For callers that send the message while the elements stay
  /// valid. Set by the orb layer.
  void allow_out_of_line(std::size_t least) noexcept {
    min_out_of_line_ = min_out_of_line_per_buffer_ = least;
  }
  /// The out-of-line segment; `bytes` 0: none.
  const OutOfLineSegment& out_of_line() const noexcept { return out_of_line_; }
  /// Sets the handler of a full buffer, which is a multiple of 8 bytes. Must outlive the encoder. Set by the
  /// orb layer.
  void set_overflow_handler(OverflowHandler& overflow) noexcept { overflow_handler_ = &overflow; }

  /// Writes a CDR string: length with the terminating NUL, the characters, NUL.
  void put_string(std::string_view s) {
    put(static_cast<std::uint32_t>(s.size() + 1));
    if (__builtin_expect(s.size() + 1 > remaining(), 0)) {
      put_across_buffers(s.data(), s.size());
      return put(std::uint8_t{0});
    }
    if (!s.empty()) std::memcpy(pos_, s.data(), s.size());
    pos_[s.size()] = 0;
    pos_ += s.size() + 1;
  }

  /// Writes `n` CDR strings.
  void put_strings(const std::string* strings, std::size_t n);

  /// Exports views in blocks, which are then sent as descriptions; null: all are copied. Not owned. Set by
  /// the orb layer.
  void blocks(BlockSender* sender) noexcept { blocks_ = sender; }
  /// Writes a block description in place of a view's length and elements, if they are in a block that can be
  /// granted; otherwise writes nothing and returns false.
  bool put_block_description(const void* elements, std::size_t n, std::size_t bytes) {
    if (blocks_ == nullptr || bytes < kMinBlockViewBytes) return false;
    BlockDescription d;
    if (!blocks_->export_block(elements, bytes, d)) return false;
    put(kBlockMarker);
    put(d.region);
    put(static_cast<std::uint32_t>(n));
    put(d.grant);
    put(d.block_offset);
    put(d.block_bytes);
    put(d.view_offset);
    return true;
  }

  /// Creator of the last object reference that was written, for an any to keep it; null: none.
  Broker* broker() const noexcept { return broker_; }
  void broker(Broker* broker) noexcept { broker_ = broker; }

  /// Encoding of wide characters. Set by the code that chooses the version of the message.
  WcharEncoding wchar_encoding() const noexcept { return wchar_encoding_; }
  void wchar_encoding(WcharEncoding form) noexcept { wchar_encoding_ = form; }

  /// Reserves four bytes and returns their offset for `patch_ulong`.
  std::size_t reserve_ulong() {
    put(std::uint32_t{0});
    return size() - 4;
  }
  void patch_ulong(std::size_t at, std::uint32_t value) noexcept {
    if (ok_) std::memcpy(base_ + at, &value, 4);
  }
  /// Removes what was written from offset `size` on. Not with an OverflowHandler.
  void rewind(std::size_t size) noexcept {
    if (ok_) pos_ = base_ + size;
  }

 private:
  std::size_t remaining() const noexcept { return static_cast<std::size_t>(end_ - pos_); }
  bool ensure(std::size_t n) { return remaining() >= n || grow(n); }
  bool grow(std::size_t n);
  /// Writes bytes that exceed the present buffer.
  void put_across_buffers(const void* bytes, std::size_t n);
  void put_out_of_line(const void* elements, std::size_t bytes);

  std::uint8_t* base_;
  std::uint8_t* pos_;
  std::uint8_t* end_;
  std::vector<std::uint8_t>* storage_ = nullptr;
  BlockSender* blocks_ = nullptr;
  Broker* broker_ = nullptr;
  OverflowHandler* overflow_handler_ = nullptr;
  std::size_t min_out_of_line_ = ~std::size_t{0};
  std::size_t min_out_of_line_per_buffer_ = ~std::size_t{0};
  OutOfLineSegment out_of_line_;
  bool ok_ = true;
  WcharEncoding wchar_encoding_ = WcharEncoding::giop_1_2;
};

}  // namespace orbweaver::cdr
