#pragma once

#include <orbweaver/detail/blocks.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "platform/fd.h"
#include "transport/blocks/block.h"
#include "transport/blocks/region_words.h"

/// A region is the memory of one block owner, shared over one connection. The exporter counts its grants; the
/// importer records in a page shared by these two processes which grants it has imported and which it still
/// holds.
namespace orbweaver::transport::blocks {

/// Maximum number of regions exported over one connection that have not ended.
inline constexpr std::size_t kMaxRegions = 16;
/// Maximum number of processes that a block passes through, counted from its owner to the last exporter: the
/// number of liveness descriptors in a region's message.
inline constexpr std::size_t kMaxForwards = 15;

class ExportedRegion;
class ImportedRegion;

/// Exporting end of a connection. Used under the connection's send lock.
class BlockExporter final : public BlockSender {
 public:
  /// `socket` is the connection's, carries the region messages, and outlives this object.
  explicit BlockExporter(const platform::Fd& socket) : socket_(socket) {}
  ~BlockExporter() override;

  bool export_block(const void* data, std::size_t bytes, BlockDescription& description) noexcept override;
  /// Forgets the grants of the frame whose commit has ended, with or without success.
  void sent() noexcept {
    if (!unsent_grants_.empty()) unsent_grants_.clear();
  }
  void revoke_unsent() noexcept;

 private:
  /// An exported region, and the number of those exported before it over the connection.
  struct ExportEntry {
    std::uint32_t index;
    std::shared_ptr<ExportedRegion> region;
  };
  struct UnsentGrant {
    std::shared_ptr<ExportedRegion> region;
    std::uint64_t grant;
    std::size_t view_bytes;
  };
  const ExportEntry* region_for(BlockOwner& owner) noexcept;
  std::shared_ptr<ExportedRegion> export_region(BlockOwner& owner);

  const platform::Fd& socket_;
  std::vector<ExportEntry> regions_;
  std::uint32_t next_index_ = 0;
  std::vector<UnsentGrant> unsent_grants_;
  bool failed_ = false;  // a part of a message was sent: this connection exports no further region
};

/// Importing end of a connection. Used by its reading thread. References to blocks may outlive it.
class BlockImporter final : public BlockReceiver {
 public:
  explicit BlockImporter(const platform::Fd& socket) : socket_(socket) {}
  ~BlockImporter() override;

  const void* import_block(const BlockDescription& description, std::size_t bytes,
                           std::size_t alignment) noexcept override;
  /// Ends the use of a frame: drops its references, so that blocks without further references are returned.
  void release() noexcept {
    if (!taken_.empty()) drop_taken();
  }

 private:
  void drop_taken() noexcept;
  bool read_announcement();
  void import_region(std::uint32_t index, std::size_t bytes, std::span<platform::Fd> fds);

  const platform::Fd& socket_;
  struct ImportEntry {
    std::uint32_t index;
    std::shared_ptr<ImportedRegion> region;
  };
  std::vector<ImportEntry> regions_;
  std::uint32_t next_index_ = 0;
  std::vector<Block*> taken_;  // imported by the frame in use
};

/// Bytes of the views that the calling thread has exported and not revoked. Modulo 2^64.
std::uint64_t bytes_granted_by_this_thread() noexcept;

/// Reclaims the grants that importers have returned, or held when they ended. Thread-safe.
void reclaim_returned_grants() noexcept;
/// Reclaims the grants of `owner`'s blocks that importers have returned, and asks those that hold others for
/// `demand`. False if some region cannot notify. Thread-safe.
bool request_returns(const BlockOwner& owner, Demand demand) noexcept;

}  // namespace orbweaver::transport::blocks
