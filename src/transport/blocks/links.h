#pragma once

#include <orbweaver/blocks.h>

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "platform/memory.h"
#include "transport/blocks/block.h"

/// A link carries the blocks of one source from one process to the next: the giver counts what it has
/// given, the receiver tells in a page that only the two share what it has taken and what it still holds.
namespace orbweaver::transport::blocks {

/// Gifts of one link that are out at once; beyond that a payload is copied.
inline constexpr std::size_t kGifts = 256;
/// Memory files that a connection hands over.
inline constexpr std::size_t kLinks = 16;

/// The page that giver and receiver of a link share. The receiver writes, the giver reads. A receiver
/// that writes nonsense keeps or loses what was given to itself, and nothing else.
struct LinkWords {
  /// Every gift before this one has been taken, or was never wanted.
  alignas(64) std::atomic<std::uint64_t> taken{0};
  /// Is gift n, at n % kGifts, still held?
  alignas(64) std::array<std::atomic<std::uint32_t>, kGifts> held{};
};

class GivingLink;
class TakenLink;

/// The giving end of a connection.
class Outbox final : public BlockSender {
 public:
  /// `socket` (the connection's, which outlives this) carries the memory files.
  explicit Outbox(const platform::Fd& socket) : socket_(socket) {}
  ~Outbox() override;

  bool give(const void* data, std::size_t bytes, BlockDescription& description) noexcept override;
  /// The frame has left, or will not.
  void sent() noexcept {
    if (!unsent_.empty()) unsent_.clear();
  }
  void unsend() noexcept;

 private:
  struct Unsent {
    GivingLink* link;
    std::uint64_t gift;
  };
  GivingLink* link_for(const std::shared_ptr<Source>& source);

  const platform::Fd& socket_;
  std::vector<std::shared_ptr<GivingLink>> links_;
  std::vector<Unsent> unsent_;
  bool refused_ = false;  // a link could not be made: this connection copies from now on
};

/// The receiving end of a connection. Holds outlive it.
class Inbox final : public BlockReceiver {
 public:
  explicit Inbox(const platform::Fd& socket) : socket_(socket) {}
  ~Inbox() override { release(); }

  const void* take(const BlockDescription& description, std::size_t bytes, std::size_t alignment) noexcept override;
  /// The frame is done with: what nobody else holds goes back.
  void release() noexcept {
    if (!taken_.empty()) drop_taken();
  }

 private:
  void drop_taken() noexcept;
  bool receive_link();

  const platform::Fd& socket_;
  std::vector<std::shared_ptr<TakenLink>> links_;
  std::vector<Block*> taken_;  // by the frame in use
};

/// Takes back what receivers have returned or left behind. Under mutex().
void take_back_returned() noexcept;

}  // namespace orbweaver::transport::blocks
