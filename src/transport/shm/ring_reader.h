#pragma once

#include "base/result.h"
#include "transport/shm/repeated_head.h"
#include "transport/shm/ring.h"
#include "transport/spin_budget.h"
#include "transport/transport.h"

namespace orbweaver::transport::shmem {

/// The receiving end. One thread at a time.
class RingReader {
 public:
  RingReader(const RingMemory& memory, Wait wait, const RingLife& life) noexcept;

  struct Piece {
    Kind kind = Kind::frame;
    Bytes bytes;            ///< Whole frames are never Kind::rest here.
    Channel::Known known;  ///< What it begins with.
  };
  /// The next piece, in place, until `release`.
  Result<Piece> receive(Deadline deadline);
  void release() noexcept;
  /// Gets a reader that waits out of its sleep, from any thread, after `life` has changed.
  void wake() noexcept;
  /// As Channel::arm. Not for a reader that never sleeps: its writer does not look.
  bool arm() noexcept;
  /// `receive` has failed because either end has ended the connection, not for what the peer wrote.
  bool has_ended() const noexcept { return ended_; }

 private:
  Result<std::uint64_t> wait_for_word(Deadline deadline);
  Result<std::uint64_t> sleep_for_word(Deadline deadline);
  void tell_progress() noexcept;
  Error gone();
  Error bad_word(std::uint64_t word) const;
  Error bad_restart() const;
  bool has_read_all_of_gone() noexcept;
  Result<Piece> with_head(std::uint64_t word, Bytes piece);
  std::atomic<std::uint64_t>* word() const noexcept {
    return reinterpret_cast<std::atomic<std::uint64_t>*>(memory_.data + (head_ & (memory_.bytes - 1)));
  }

  RingMemory memory_;
  Wait wait_;
  const RingLife* life_;
  std::size_t tell_every_;   // bytes of progress
  SpinBudget budget_;
  Sleeper sleeper_;
  std::uint64_t head_ = 0;   // the frame that is read or awaited
  std::uint64_t told_ = 0;   // the progress that the writer has been told
  std::uint64_t next_ = 0;   // the frame after the one that is read
  std::uint64_t last_ = 0;   // … and before it: the next one may well be as long
  std::uint64_t gone_at_ = 0;  // the peer, which has gone, cannot have written beyond that; 0: it has not gone
  std::uint32_t vain_wakes_ = 0;
  bool ended_ = false;
  RepeatedHead repeated_;
};

// ---- inline: what every frame passes through, so that a channel's virtual function is all in one piece ----

inline Result<RingReader::Piece> RingReader::receive(Deadline deadline) {
  // R1: pairs with W1, so that the frame's bytes are seen with its word.
  std::uint64_t word = this->word()->load(std::memory_order_acquire);
  if (word == 0) {
    auto awaited = wait_for_word(deadline);
    if (!awaited) return awaited.take_error();
    word = *awaited;
  }
  if (life_->closed.load(std::memory_order_relaxed)) [[unlikely]] return gone();
  if (life_->peer_gone.load(std::memory_order_relaxed) && has_read_all_of_gone()) [[unlikely]] return gone();
  const std::uint64_t bytes = word & 0xffffffffu;
  const std::uint64_t kind = word >> 32 & ~std::uint64_t{kThenRestart};
  if (bytes < kWordBytes || bytes > memory_.bytes / 2 || kind < 1) [[unlikely]] return bad_word(word);
  const std::size_t piece = round_up(bytes, kLine);
  next_ = head_ + piece;
  if ((word >> 32 & kThenRestart) != 0) [[unlikely]] {
    next_ = ((next_ - 1) | (memory_.bytes - 1)) + 1;
    // RingWriter::restarts_after, with what the writer can know at most. Else these words could be read for ever.
    if (next_ + kShortLapBytes / 2 - told_ > memory_.bytes) return bad_restart();
  }
  // What follows the first line is on its way while that is looked at.
  const std::uint8_t* frame = memory_.data + (head_ & (memory_.bytes - 1));
  for (std::size_t line = kLine; line < piece && line < 72 * kLine; line += kLine) __builtin_prefetch(frame + line);
  const Bytes content(frame + kWordBytes, bytes - kWordBytes);
  if (kind > 3) return with_head(word, content);
  return Piece{static_cast<Kind>(kind), content, {}};
}

/// A frame whose head is to be kept, or which comes without the one that was: anything else is no kind at all.
inline Result<RingReader::Piece> RingReader::with_head(std::uint64_t word, Bytes piece) {
  const auto how = static_cast<std::uint32_t>(word >> 32) & ~kThenRestart;
  const std::size_t head_bytes = how >> kHeadShift;
  if (how == static_cast<std::uint32_t>(Kind::rest)) {
    if (const Bytes whole = repeated_.put_back(piece); !whole.empty()) [[likely]] {
      return Piece{Kind::frame, whole, repeated_.known()};
    }
  } else if ((how & ((1u << kHeadShift) - 1)) == static_cast<std::uint32_t>(Kind::frame) &&
             head_bytes == usable_head(head_bytes) && head_bytes <= piece.size()) {
    repeated_.keep(piece.data(), head_bytes);
    return Piece{Kind::frame, piece, repeated_.known()};
  }
  return bad_word(word);
}

inline void RingReader::release() noexcept {
  last_ = head_;
  head_ = next_;
  if (head_ - told_ >= tell_every_) [[unlikely]] tell_progress();
}

}  // namespace orbweaver::transport::shmem
