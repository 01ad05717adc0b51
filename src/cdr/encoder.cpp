#include <orbweaver/cdr/encoder.h>

#include <algorithm>

namespace orbweaver::cdr {

/// With an Overflow: a primitive is aligned, and so is the end of the room, which therefore has no rest that is
/// too small for one.
bool Encoder::grow(std::size_t n) {
  if (overflow_ != nullptr && ok_ && pos_ == end_) {
    const Overflow::Room next = overflow_->pass(size(), apart_);
    base_ = next.begin;
    pos_ = base_ + next.used;
    end_ = base_ + next.bytes;
    apart_ = {};
    least_apart_ = least_of_room_;
    if (next.bytes != 0 && n <= left()) return true;
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

void Encoder::put_beyond(const void* bytes, std::size_t n) {
  const auto* from = static_cast<const std::uint8_t*>(bytes);
  if (overflow_ == nullptr) {
    if (!grow(n)) return;
  }
  while (n != 0 && ok_) {
    const std::size_t now = std::min(n, left());
    if (now != 0) std::memcpy(pos_, from, now);
    pos_ += now;
    from += now;
    n -= now;
    if (n != 0 && !grow(1)) return;
  }
}

void Encoder::leave_apart(const void* elements, std::size_t bytes) {
  if (overflow_ == nullptr && !room(bytes)) return;
  const auto* from = static_cast<const std::uint8_t*>(elements);
  for (;;) {
    const std::size_t now = std::min(bytes, left());
    // A rest that is too small, or a room that has a gap already, is filled.
    if (now < least_apart_) {
      if (now != 0) std::memcpy(pos_, from, now);
    } else {
      least_apart_ = ~std::size_t{0};
      apart_ = {from, size(), now};
    }
    pos_ += now;
    from += now;
    bytes -= now;
    if (bytes == 0 || !grow(1)) return;
  }
}

}  // namespace orbweaver::cdr
