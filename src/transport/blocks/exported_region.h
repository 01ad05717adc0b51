#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>

#include "platform/fd.h"
#include "platform/hangup_watch.h"
#include "platform/memory.h"
#include "transport/blocks/block.h"
#include "transport/blocks/region_words.h"

namespace orbweaver::transport::blocks {

/// Exporting side of a region: the grants that the importer holds. Its lock is taken only while a connection
/// exports a block and while returns are reclaimed. Thread-safe.
class ExportedRegion : public std::enable_shared_from_this<ExportedRegion> {
 public:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  /// `events`: shared with the importer. `liveness_fd`: the read end of a pipe whose write end the importer
  /// has, and every process to which it exports the memory.
  ExportedRegion(std::shared_ptr<BlockOwner> owner, RegionEvents events, platform::Fd liveness_fd,
                 platform::Mapping page);
  ~ExportedRegion() { owner_->remove_export(*this); }
  ExportedRegion(const ExportedRegion&) = delete;
  ExportedRegion& operator=(const ExportedRegion&) = delete;

  /// Starts to watch for return notifications and the importer's end. Call once, after a shared_ptr owns
  /// this.
  void watch();
  BlockOwner& owner() const noexcept { return *owner_; }
  /// True if a return is noticed without a further call of this process.
  bool can_notify_returns() const noexcept {
    return return_watch_ != nullptr && return_watch_->works() && liveness_watch_->works();
  }

  /// Grants `block`, taking over the caller's reference until the grant is returned. Returns its number, or
  /// kNone if too many grants are held, or the importer rejected the region or has ended; the reference then
  /// stays the caller's.
  std::uint64_t add_grant(Block& block) noexcept;
  /// Withdraws a grant that was not sent.
  void revoke_grant(std::uint64_t grant) noexcept;
  /// Drops the grants that were returned, and all of them once no process is left that could hold one.
  /// `demand` is asked of the importer if it holds others.
  void reclaim_returned_grants(Demand demand) noexcept;

  /// Tells the importer that no further block of the region will be granted, and that it may close the
  /// liveness descriptors of earlier exporters once it holds none. Takes no lock.
  void announce_end() noexcept;
  /// True once the end was announced: no grant is in use, and none will be made.
  bool has_announced_end() const noexcept { return end_announced_.load(std::memory_order_acquire); }
  /// Ends exporting: the connection is closed.
  void end() noexcept;
  /// True if exporting has ended and all grants have been returned.
  bool is_done() noexcept;

 private:
  RegionWords& words() const noexcept { return *reinterpret_cast<RegionWords*>(page_.data()); }
  void on_return() noexcept;
  void on_hangup() noexcept;
  void reclaim() noexcept;
  void ask(Demand demand) noexcept;
  void drop_grant(std::uint64_t grant) noexcept;
  void drop_all() noexcept;
  bool is_abandoned() const noexcept;

  const std::shared_ptr<BlockOwner> owner_;
  const RegionEvents events_;
  const platform::Fd liveness_fd_;
  const platform::Mapping page_;
  std::mutex mutex_;  // guards all members except the watches
  std::uint64_t oldest_ = 0, next_ = 0;
  std::array<Block*, kMaxGrants> granted_{};
  bool connected_ = true;
  bool returns_wanted_ = false;  // as the word in the page, which the importer can write, too
  std::size_t grants_without_demand_ = 0;
  // not guarded: set by the watch, and by announce_end
  std::atomic<bool> abandoned_{false}, end_announced_{false};
  // last: their callbacks use the members above
  std::unique_ptr<platform::HangupWatch> liveness_watch_, return_watch_;
};

/// Adds to the list of regions that export or have grants in use. False: no memory.
bool register_region(std::shared_ptr<ExportedRegion> region) noexcept;
/// Removes finished regions from the list.
void remove_finished_regions() noexcept;

}  // namespace orbweaver::transport::blocks
