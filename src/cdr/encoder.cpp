#include <orbweaver/detail/cdr/encoder.h>

#include <algorithm>

namespace orbweaver::cdr {

/// Makes space for `n` bytes: flushes the buffer to the OverflowHandler, or grows the vector. A buffer of an
/// OverflowHandler is a multiple of 8 bytes and primitives are aligned, so that the space left in it is
/// either 0 or enough for a primitive.
bool Encoder::grow(std::size_t n) {
  if (overflow_handler_ != nullptr && ok_ && pos_ == end_) {
    const OverflowHandler::Buffer next = overflow_handler_->flush_buffer(size(), out_of_line_);
    base_ = next.begin;
    pos_ = base_ + next.used;
    end_ = base_ + next.bytes;
    out_of_line_ = {};
    min_out_of_line_ = min_out_of_line_per_buffer_;
    if (next.bytes != 0 && n <= remaining()) return true;
  }
  if (storage_ == nullptr || !ok_) {
    ok_ = false;
    end_ = pos_;
    return false;
  }
  const std::size_t used = size();
  storage_->resize(std::max({used + n, 2 * storage_->size(), std::size_t{256}}));
  base_ = storage_->data();
  pos_ = base_ + used;
  end_ = base_ + storage_->size();
  return true;
}

void Encoder::put_across_buffers(const void* bytes, std::size_t n) {
  const auto* from = static_cast<const std::uint8_t*>(bytes);
  if (overflow_handler_ == nullptr) {
    if (!grow(n)) return;
  }
  while (n != 0 && ok_) {
    const std::size_t now = std::min(n, remaining());
    if (now != 0) std::memcpy(pos_, from, now);
    pos_ += now;
    from += now;
    n -= now;
    if (n != 0 && !grow(1)) return;
  }
}

void Encoder::put_out_of_line(const void* elements, std::size_t bytes) {
  if (overflow_handler_ == nullptr && !ensure(bytes)) return;
  const auto* from = static_cast<const std::uint8_t*>(elements);
  for (;;) {
    const std::size_t now = std::min(bytes, remaining());
    // Copies if too little space is left in the buffer, or if the buffer has an out-of-line segment already.
    if (now < min_out_of_line_) {
      if (now != 0) std::memcpy(pos_, from, now);
    } else {
      min_out_of_line_ = ~std::size_t{0};
      out_of_line_ = {from, size(), now};
    }
    pos_ += now;
    from += now;
    bytes -= now;
    if (bytes == 0 || !grow(1)) return;
  }
}

}  // namespace orbweaver::cdr
