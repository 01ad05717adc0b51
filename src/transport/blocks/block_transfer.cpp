#include "transport/blocks/block_transfer.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <span>

#include "platform/peer_event.h"
#include "platform/pipe.h"
#include "platform/process_identity.h"
#include "platform/socket.h"
#include "transport/blocks/block_owners.h"
#include "transport/blocks/exported_region.h"
#include "transport/blocks/imported_region.h"
#include "transport/blocks/link_descriptors.h"

namespace orbweaver::transport::blocks {
namespace {

constexpr std::uint32_t kRegionMagic = 0x4c42574f;  // "OWBL"
/// Descriptors in a message: the memory file, the shared page, the two events, and then the liveness
/// descriptors.
constexpr std::size_t kFirstLivenessFd = 4;
constexpr std::size_t kMaxFds = kFirstLivenessFd + kMaxForwards;
static_assert(kMaxFds <= platform::kMaxPassedFds);

thread_local std::uint64_t granted_bytes = 0;

/// Announces a region on the connection's socket before the first description that refers to it.
struct RegionMessage {
  std::uint32_t magic;
  std::uint32_t liveness_fds;
  std::uint64_t bytes;  // of the memory file
};

}  // namespace

std::uint64_t bytes_granted_by_this_thread() noexcept { return granted_bytes; }

BlockExporter::~BlockExporter() {
  for (const ExportEntry& exported : regions_) exported.region->end();
  regions_.clear();
  reclaim_returned_grants();
}

/// Creates an exported region for the memory of `owner` and sends its descriptors to the peer. Null on
/// failure.
std::shared_ptr<ExportedRegion> BlockExporter::export_region(BlockOwner& owner) {
  std::vector<int> fds = {owner.file().get(), -1, -1, -1, -1};
  for (const int liveness_fd : owner.liveness_fds()) fds.push_back(liveness_fd);
  if (fds.size() > kMaxFds || !owner.can_be_forwarded()) return nullptr;
  auto page = platform::make_memory_file("orbweaver-link", platform::page_bytes());
  RegionEvents events{platform::make_peer_event(), platform::make_peer_event()};
  auto liveness = platform::make_pipe_without_data();
  if (!page || !events.returned || !events.changed || liveness.error != 0) return nullptr;
  auto mapped = platform::map_shared(page.fd, {{0, platform::page_bytes(), 1}});
  if (!mapped) return nullptr;
  fds[1] = page.fd.get();
  fds[2] = events.returned.get();
  fds[3] = events.changed.get();
  fds[4] = liveness.write.get();
  auto region = std::make_shared<ExportedRegion>(owner.shared_from_this(), std::move(events),
                                                 std::move(liveness.read), std::move(mapped.mapping));
  region->watch();
  // A block of another process must be returned on demand even if this process makes no further call.
  if (owner.is_imported() && !region->can_notify_returns()) return nullptr;
  if (!register_region(region)) return nullptr;
  const RegionMessage message{kRegionMagic, static_cast<std::uint32_t>(fds.size() - kFirstLivenessFd),
                              owner.bytes()};
  const auto sent =
      platform::send_fds(socket_, {reinterpret_cast<const std::uint8_t*>(&message), sizeof message}, fds,
                         platform::Blocking::no);
  if (sent.error == 0 && sent.bytes == sizeof message) return region;
  failed_ = sent.error == 0;
  region->end();
  return nullptr;
}

/// Returns the region for this owner, exported on first use; null if it cannot be exported. Valid until the
/// next call.
const BlockExporter::ExportEntry* BlockExporter::region_for(BlockOwner& owner) noexcept try {
  const auto found = std::find_if(regions_.begin(), regions_.end(),
                                  [&](const ExportEntry& e) { return &e.region->owner() == &owner; });
  if (found != regions_.end()) return &*found;
  const auto forgotten = std::erase_if(regions_, [](const ExportEntry& e) {
    if (!e.region->has_announced_end()) return false;
    e.region->end();
    return true;
  });
  if (forgotten != 0) remove_finished_regions();
  if (failed_ || regions_.size() == kMaxRegions) return nullptr;
  regions_.reserve(kMaxRegions);  // a region that was announced must have its index
  auto region = export_region(owner);
  if (region == nullptr) return nullptr;
  regions_.push_back({next_index_++, std::move(region)});
  return &regions_.back();
} catch (const std::bad_alloc&) {
  return nullptr;
}

bool BlockExporter::export_block(const void* data, std::size_t bytes, BlockDescription& description) noexcept
    try {
  unsent_grants_.reserve(unsent_grants_.size() + 1);
  Block* const block = acquire(data, bytes);
  if (block == nullptr) return false;
  BlockOwner& owner = block->owner();
  const ExportEntry* const exported = region_for(owner);
  const std::uint64_t grant =
      exported != nullptr ? exported->region->add_grant(*block) : ExportedRegion::kNone;
  if (grant == ExportedRegion::kNone) {
    block->release_ref();
    return false;
  }
  unsent_grants_.push_back({exported->region, grant, bytes});
  granted_bytes += bytes;
  description.region = exported->index;
  description.grant = grant;
  description.block_offset = static_cast<std::uint64_t>(block->begin() - owner.base());
  description.block_bytes = block->bytes();
  description.view_offset =
      static_cast<std::uint64_t>(static_cast<const std::uint8_t*>(data) - block->begin());
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

void BlockExporter::revoke_unsent() noexcept {
  for (const UnsentGrant& grant : unsent_grants_) {
    grant.region->revoke_grant(grant.grant);
    granted_bytes -= grant.view_bytes;
  }
  unsent_grants_.clear();
}

namespace {

/// Whether a message from the exporter, and the descriptors with it, are those of a region.
bool is_valid(const RegionMessage& message, std::span<const platform::Fd> fds) {
  return message.magic == kRegionMagic && message.liveness_fds >= 1 && message.liveness_fds <= kMaxForwards &&
         message.bytes != 0 && message.bytes <= SIZE_MAX && message.bytes % platform::page_bytes() == 0 &&
         platform::check_imported_memory(fds[0], static_cast<std::size_t>(message.bytes)) == 0 &&
         platform::check_memory_file(fds[1], platform::page_bytes()) == 0 &&
         platform::is_peer_event(fds[2]) && platform::is_peer_event(fds[3]) &&
         // Nothing that another holder does to a pipe has an effect here.
         std::all_of(fds.begin() + kFirstLivenessFd, fds.begin() + kFirstLivenessFd + message.liveness_fds,
                     platform::is_pipe_write_end);
}

}  // namespace

/// Reads the announcement of one more region; false if there is none. Its index is used also if the region
/// cannot be imported, because the exporter has counted it; its liveness descriptor is then closed, and the
/// exporter copies from then on.
bool BlockImporter::read_announcement() {
  regions_.reserve(kMaxRegions);
  RegionMessage message{};
  std::array<platform::Fd, kMaxFds> fds;
  const auto got = platform::recv_fds(socket_, {reinterpret_cast<std::uint8_t*>(&message), sizeof message},
                                      fds, platform::Blocking::no);
  // EPROTO: without its descriptors, for which this process has none left
  if (got.bytes == 0 && got.error != EPROTO) return false;
  const std::uint32_t index = next_index_++;
  if (got.bytes == sizeof message && is_valid(message, fds))
    import_region(index, static_cast<std::size_t>(message.bytes),
                  std::span(fds).first(kFirstLivenessFd + message.liveness_fds));
  return true;
}

/// `fds`: those of the announcement.
void BlockImporter::import_region(std::uint32_t index, std::size_t bytes, std::span<platform::Fd> fds) {
  std::erase_if(regions_, [](const ImportEntry& i) { return i.region->check_end(); });
  if (regions_.size() == kMaxRegions) return;
  auto memory = platform::map_read_only(fds[0], bytes);
  auto page = platform::map_shared(fds[1], {{0, platform::page_bytes(), 1}});
  if (!memory || !page || platform::forbid_hole_punching(fds[1], platform::page_bytes()) != 0) return;
  RegionDescriptorShare share = RegionDescriptorShare::take(socket_, fds.size() - 1);
  if (!share) return;
  std::vector<platform::Fd> liveness_fds;
  for (platform::Fd& fd : fds.subspan(kFirstLivenessFd)) liveness_fds.push_back(std::move(fd));
  auto region = std::make_shared<ImportedRegion>(
      std::move(fds[0]), std::move(memory.mapping), std::move(page.mapping),
      RegionEvents{std::move(fds[2]), std::move(fds[3])}, std::move(liveness_fds), std::move(share));
  if (!register_block_owner(*region, region->base(), region->bytes())) return;
  region->watch();
  regions_.push_back({index, std::move(region)});
}

BlockImporter::~BlockImporter() {
  release();
  for (const ImportEntry& imported : regions_) imported.region->end();
}

const void* BlockImporter::import_block(const BlockDescription& d, std::size_t bytes,
                                        std::size_t alignment) noexcept try {
  // Regions may have been announced of which no description has arrived.
  while (static_cast<std::int32_t>(d.region - next_index_) >= 0 && read_announcement()) {
  }
  const auto imported = std::find_if(regions_.begin(), regions_.end(),
                                     [&](const ImportEntry& i) { return i.index == d.region; });
  if (imported == regions_.end()) return nullptr;
  taken_.reserve(taken_.size() + 1);
  const std::uint8_t* data = nullptr;
  Block* const block = imported->region->import_block(d, bytes, alignment, data);
  if (block == nullptr) return nullptr;
  taken_.push_back(block);
  return data;
} catch (const std::bad_alloc&) {
  return nullptr;
}

void BlockImporter::drop_taken() noexcept {
  for (Block* const block : taken_) block->release_ref();
  taken_.clear();
}

}  // namespace orbweaver::transport::blocks
