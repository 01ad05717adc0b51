#pragma once

#include <orbweaver/detail/blocks.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "platform/fd.h"
#include "platform/hangup_watch.h"
#include "platform/memory.h"
#include "transport/blocks/block.h"
#include "transport/blocks/link_descriptors.h"
#include "transport/blocks/region_words.h"

namespace orbweaver::transport::blocks {

/// Importing side of a region: another process's memory, mapped read-only, and the blocks in it held by this
/// process. `import_block` is called by the connection's reading thread; the other functions are thread-safe.
class ImportedRegion final : public BlockOwner {
 public:
  /// `events`: shared with the exporter. The first of `liveness_fds` is that of this region, the others are
  /// those of the exporters before. `share` counts all descriptors.
  ImportedRegion(platform::Fd file, platform::Mapping memory, platform::Mapping page, RegionEvents events,
                 std::vector<platform::Fd> liveness_fds, RegionDescriptorShare share)
      : share_(std::move(share)), file_(std::move(file)), memory_(std::move(memory)), page_(std::move(page)),
        events_(std::move(events)), liveness_fds_(std::move(liveness_fds)) {}
  ~ImportedRegion() override;

  /// Starts to watch for the exporter's demand for returns, and for the end of the region, which it
  /// announces. Call once, after a shared_ptr owns this.
  void watch();
  /// Ends importing: the connection is closed, or the exporter has announced the end. Asks for the return of
  /// all blocks that this process has forwarded. As soon as no block is in use here, closes the inherited
  /// liveness descriptors, so that the exporters before the present one can reclaim what it left, and
  /// announces the end to those who import the memory from this process.
  void end() noexcept;
  /// Ends the region if the exporter has announced its end. Returns whether it has ended.
  bool check_end() noexcept;

  /// Returns the described block with a reference and sets `data` to the view; null if the description is
  /// invalid.
  Block* import_block(const BlockDescription& description, std::size_t bytes, std::size_t alignment,
                      const std::uint8_t*& data) noexcept;

  Block* acquire(const void* data, std::size_t bytes) noexcept override;
  void deallocate(Block& block) noexcept override;
  const platform::Fd& file() const noexcept override { return file_; }
  const std::uint8_t* base() const noexcept override { return memory_.data(); }
  std::size_t bytes() const noexcept override { return memory_.size(); }
  Demand demand() const noexcept override;
  bool is_imported() const noexcept override { return true; }
  bool can_be_forwarded() const noexcept override { return watch_->works(); }
  std::vector<int> liveness_fds() const override;
  void add_export(ExportedRegion& region) override;
  void remove_export(ExportedRegion& region) noexcept override;

 private:
  static constexpr std::uint32_t kEnded = 1, kBlock = 2;  // in state_

  /// Slot of a grant, at index grant % kMaxGrants.
  struct Slot : Block {
    /// True from the import until the return.
    std::atomic<bool> in_use{false};
    std::shared_ptr<BlockOwner> owner;  // the region, while in use
  };
  RegionWords& words() const noexcept { return *reinterpret_cast<RegionWords*>(page_.data()); }
  void on_change() noexcept;
  void notify_if_requested() noexcept;
  bool enter() noexcept;
  void leave() noexcept;
  void on_end_and_unused() noexcept;

  RegionDescriptorShare share_;  // first: counts the descriptors until they are closed
  const platform::Fd file_;
  const platform::Mapping memory_, page_;
  const RegionEvents events_;
  std::vector<platform::Fd> liveness_fds_;  // not accessed without a block in use, except by the last user
  std::atomic<std::uint32_t> state_{0};     // kBlock for each slot in use, and kEnded
  std::mutex exports_mutex_;                // guards exports_; no other lock is taken under it
  std::vector<ExportedRegion*> exports_;
  std::array<Slot, kMaxGrants> slots_;
  // every grant before this one was imported or never will be; written by the reading thread
  std::atomic<std::uint64_t> next_{0};
  std::unique_ptr<platform::HangupWatch> watch_;  // last: its callbacks use the members above
};

}  // namespace orbweaver::transport::blocks
