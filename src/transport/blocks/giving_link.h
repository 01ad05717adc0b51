#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>

#include "platform/fd.h"
#include "platform/hangup_watch.h"
#include "platform/memory.h"
#include "transport/blocks/block.h"
#include "transport/blocks/link_words.h"

namespace orbweaver::transport::blocks {

/// The giver's side of a link: which blocks are out over it. Its lock is its own: nobody else takes it while a
/// connection gives, but to take back. Any thread.
class GivingLink : public std::enable_shared_from_this<GivingLink> {
 public:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  GivingLink(std::shared_ptr<Source> source, platform::Fd lease, platform::Mapping page);

  /// Has death and the bell watched for. Once, as soon as it is shared.
  void watch();
  Source& source() const noexcept { return *source_; }
  /// Would the return of a block be noticed if this process made no call any more?
  bool is_told() const noexcept { return watch_ != nullptr && watch_->works(); }

  /// Keeps a reference to `block`, taking over the caller's, until the gift comes back. Its number; kNone: too many
  /// are out, or the receiver has refused the link or is gone, and the reference stays the caller's.
  std::uint64_t give(Block& block) noexcept;
  /// Of a gift that was not sent.
  void take_back(std::uint64_t gift) noexcept;
  /// What was returned, and everything once nobody is left who could hold anything. `ask`: the next return is to ring.
  void take_back_returned(bool ask) noexcept;

  /// The connection has ended: nothing is given any more.
  void end() noexcept;
  /// Ended, and everything has come back.
  bool is_done() noexcept;

 private:
  LinkWords& words() const noexcept { return *reinterpret_cast<LinkWords*>(page_.data()); }
  void heard() noexcept;
  void reclaim() noexcept;
  void ask_for_return() noexcept;
  void drop_gift(std::uint64_t gift) noexcept;
  void drop_all() noexcept;
  bool is_abandoned() const noexcept;

  const std::shared_ptr<Source> source_;
  const platform::Fd lease_;  // its other end is with the receiver, and with whom that handed the memory on to
  const platform::Mapping page_;
  std::mutex mutex_;  // guards the rest but watch_
  std::uint64_t oldest_ = 0, next_ = 0;
  std::array<Block*, kGifts> out_{};
  bool connected_ = true;
  std::atomic<bool> abandoned_{false};  // as far as was heard; not guarded
  std::unique_ptr<platform::HangupWatch> watch_;  // last: its callbacks use what is above
};

/// All links of this process that give, or have something out still.
bool enter_link(std::shared_ptr<GivingLink> link) noexcept;
/// Forgets those that are done.
void forget_done_links() noexcept;

}  // namespace orbweaver::transport::blocks
