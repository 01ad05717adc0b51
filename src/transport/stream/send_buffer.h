#pragma once

#include <memory>

#include "base/receive_budget.h"
#include "transport/stream/reusable_buffer.h"

namespace orbweaver::transport {

/// Buffer of the frames that a connection sends. Memory kept between frames counts against the receive
/// budget, and is freed if that is exhausted. Used by the sending thread.
class SendBuffer {
 public:
  /// `budget`: null for no counting.
  SendBuffer(std::size_t usual_bytes, std::shared_ptr<ReceiveBudget> budget)
      : storage_(usual_bytes), kept_(std::move(budget), {}) {}

  std::uint8_t* data() noexcept { return storage_.data(); }
  std::size_t size() const noexcept { return storage_.size(); }
  bool grow(std::size_t bytes, std::size_t kept) noexcept { return storage_.grow(bytes, kept); }
  /// As ReusableBuffer::note_use: everything in it was sent.
  void note_use(std::size_t bytes) noexcept {
    storage_.note_use(bytes);
    if (storage_.grown() != 0 || kept_.counts()) [[unlikely]]
      count();
  }

 private:
  void count() noexcept {
    if (kept_.done(storage_.grown())) return;
    storage_.release_memory();
    kept_.done(0);
  }

  ReusableBuffer storage_;
  ReceiveBudget::Share kept_;
};

}  // namespace orbweaver::transport
