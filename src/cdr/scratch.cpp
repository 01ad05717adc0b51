#include <orbweaver/detail/cdr/scratch.h>

#include <algorithm>
#include <new>

namespace orbweaver::cdr {

void* Scratch::take(std::size_t bytes, std::size_t alignment) noexcept {
  if (!blocks_.empty()) {
    const std::size_t at = (used_ + alignment - 1) & ~(alignment - 1);
    if (at <= blocks_.back().size && blocks_.back().size - at >= bytes) {
      used_ = at + bytes;
      return blocks_.back().bytes.get() + at;
    }
  }
  const std::size_t last = blocks_.empty() ? 0 : blocks_.back().size;
  const std::size_t size = std::max({bytes, 2 * last, kFirstBytes});
  try {
    blocks_.push_back({std::unique_ptr<std::uint8_t[]>(new std::uint8_t[size]), size});
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  used_ = bytes;
  return blocks_.back().bytes.get();
}

void Scratch::recycle() noexcept {
  // Keeps the newest block, which is the largest: a next call of the same size allocates nothing.
  Block kept = std::move(blocks_.back());
  blocks_.clear();
  if (kept.size <= kKeptBytes) blocks_.push_back(std::move(kept));
  used_ = 0;
}

}  // namespace orbweaver::cdr
