#pragma once

#include <orbweaver/detail/blocks.h>

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "platform/fd.h"
#include "platform/memory.h"
#include "transport/blocks/block.h"
#include "transport/blocks/link_descriptors.h"
#include "transport/blocks/region_words.h"

namespace orbweaver::transport::blocks {

/// Importing side of a region: another process's memory, mapped read-only, and the blocks in it held by this
/// process. `import_block` is called by the connection's reading thread; the other functions are thread-safe.
class ImportedRegion final : public BlockOwner {
 public:
  ImportedRegion(platform::Fd file, platform::Mapping memory, platform::Mapping page,
                 std::vector<platform::Fd> liveness_fds, RegionDescriptorShare share)
      : share_(std::move(share)), file_(std::move(file)), memory_(std::move(memory)), page_(std::move(page)),
        liveness_fds_(std::move(liveness_fds)) {}
  ~ImportedRegion() override;

  /// Returns the described block with a reference and sets `data` to the view; null if the description is
  /// invalid.
  Block* import_block(const BlockDescription& description, std::size_t bytes, std::size_t alignment,
                      const std::uint8_t*& data) noexcept;

  Block* acquire(const void* data, std::size_t bytes) noexcept override;
  void deallocate(Block& block) noexcept override;
  const platform::Fd& file() const noexcept override { return file_; }
  const std::uint8_t* base() const noexcept override { return memory_.data(); }
  std::size_t bytes() const noexcept override { return memory_.size(); }
  bool is_imported() const noexcept override { return true; }
  std::vector<int> liveness_fds() const override;

 private:
  /// Slot of a grant, at index grant % kMaxGrants.
  struct Slot : Block {
    /// True from the import until the return.
    std::atomic<bool> in_use{false};
    std::shared_ptr<BlockOwner> owner;  // the region, while in use
  };
  RegionWords& words() const noexcept { return *reinterpret_cast<RegionWords*>(page_.data()); }
  void notify_if_requested() noexcept;

  const RegionDescriptorShare share_;  // first: counts the descriptors until they are closed
  const platform::Fd file_;
  const platform::Mapping memory_, page_;
  const std::vector<platform::Fd> liveness_fds_;  // this region's own descriptor first
  std::array<Slot, kMaxGrants> slots_;
  // every grant before this one was imported or never will be; written by the reading thread
  std::atomic<std::uint64_t> next_{0};
};

}  // namespace orbweaver::transport::blocks
