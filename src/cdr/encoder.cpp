#include <orbweaver/cdr/encoder.h>

#include <algorithm>

namespace orbweaver::cdr {

bool Encoder::grow(std::size_t n) {
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

}  // namespace orbweaver::cdr
