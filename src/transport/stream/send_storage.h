#pragma once

#include <memory>

#include "base/receive_budget.h"
#include "transport/stream/storage.h"

namespace orbweaver::transport {

/// Storage of the frames that a connection sends. What is kept of it between frames is counted with what
/// connections keep for the messages that they receive, and given back where that is too much. The sending
/// thread's.
class SendStorage {
 public:
  /// `budget`: null where nothing is counted.
  SendStorage(std::size_t usual_bytes, std::shared_ptr<ReceiveBudget> budget)
      : storage_(usual_bytes), kept_(std::move(budget), {}) {}

  std::uint8_t* data() noexcept { return storage_.data(); }
  std::size_t size() const noexcept { return storage_.size(); }
  bool grow(std::size_t bytes, std::size_t kept) noexcept { return storage_.grow(bytes, kept); }
  /// As of Storage: everything in it has left.
  void used(std::size_t bytes) noexcept {
    storage_.used(bytes);
    if (storage_.grown() != 0 || kept_.counts()) [[unlikely]]
      count();
  }

 private:
  void count() noexcept {
    if (kept_.done(storage_.grown())) return;
    storage_.give_back();
    kept_.done(0);
  }

  Storage storage_;
  ReceiveBudget::Share kept_;
};

}  // namespace orbweaver::transport
