#pragma once

#include <orbweaver/blocks.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "platform/fd.h"
#include "transport/blocks/block.h"
#include "transport/blocks/link_words.h"

/// A link carries the blocks of one source from one process to the next: the giver counts what it has
/// given, the receiver tells in a page that only the two share what it has taken and what it still holds.
namespace orbweaver::transport::blocks {

/// Memory files that a connection hands over.
inline constexpr std::size_t kLinks = 16;

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
  std::size_t link_for(Source& source) noexcept;

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

/// Takes back what receivers have returned or left behind. Any thread.
void take_back_returned() noexcept;
/// The same; and whoever returns something after this call wakes a lender that waits. False: some cannot.
bool ask_for_returns() noexcept;

}  // namespace orbweaver::transport::blocks
