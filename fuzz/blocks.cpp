// Exported and imported regions with a malicious peer. The input is a list of steps: block descriptions of
// the peer to import, returns of imported blocks, grants of this end, and writes of the peer to the pages
// that both share.
#include <cstdlib>
#include <memory>
#include <vector>

#include "fuzz/input.h"
#include "platform/pipe.h"
#include "transport/blocks/exported_region.h"
#include "transport/blocks/imported_region.h"

using namespace orbweaver;
using namespace orbweaver::transport;
using namespace orbweaver::transport::blocks;

namespace {

constexpr std::size_t kPages = 4;

platform::Mapping map_page(const platform::Fd& file) {
  auto mapped = platform::map_shared(file, {{0, platform::page_bytes(), 1}});
  if (!mapped) std::abort();
  return std::move(mapped.mapping);
}

/// A page shared by two processes, and the peer's mapping of it.
struct SharedPage {
  SharedPage()
      : file(std::move(platform::make_memory_file("fuzz-page", platform::page_bytes()).fd)),
        peers(map_page(file)) {}
  RegionWords& words() { return *reinterpret_cast<RegionWords*>(peers.data()); }
  void write(fuzz::Input& input) {
    words().imported =
        input.take<std::uint8_t>() % 2 ? input.take<std::uint64_t>() : input.take<std::uint8_t>();
    words().held[input.take<std::uint8_t>()] = input.take<std::uint32_t>();
    words().notify_on_return = input.take<std::uint8_t>();
    words().returns_wanted = input.take<std::uint8_t>();
    words().ended = input.take<std::uint8_t>();
  }
  platform::Fd file;
  platform::Mapping peers;
};

/// The memory of this process, of four blocks. Checks that each block is returned once after it was granted.
class TestBlockOwner final : public BlockOwner {
 public:
  explicit TestBlockOwner(const platform::Fd& file) : file_(file) {}
  Block* allocate(std::size_t index) {
    index %= kPages;
    if (allocated_[index]) return nullptr;
    allocated_[index] = true;
    blocks_[index].assign(*this, memory_ + index * 16, 16);
    return &blocks_[index];
  }
  bool has_all() const {
    return std::none_of(allocated_, allocated_ + kPages, [](bool allocated) { return allocated; });
  }

  Block* acquire(const void*, std::size_t) noexcept override { return nullptr; }
  void deallocate(Block& block) noexcept override {
    bool& allocated = allocated_[&block - blocks_];
    if (!allocated) std::abort();  // returned twice
    allocated = false;
  }
  Demand demand() const noexcept override { return Demand::none; }
  const platform::Fd& file() const noexcept override { return file_; }
  const std::uint8_t* base() const noexcept override { return memory_; }
  std::size_t bytes() const noexcept override { return sizeof memory_; }

 private:
  const platform::Fd& file_;
  std::uint8_t memory_[kPages * 16] = {};
  Block blocks_[kPages];
  bool allocated_[kPages] = {};
};

volatile std::size_t sink;

BlockDescription description_from(fuzz::Input& input) {
  BlockDescription description;
  description.grant = input.take<std::uint16_t>();
  if (input.take<std::uint8_t>() % 8 == 0) description.grant = input.take<std::uint64_t>();
  description.block_offset = input.take<std::uint16_t>();
  description.block_bytes = input.take<std::uint16_t>();
  description.view_offset = input.take<std::uint16_t>();
  if (input.take<std::uint8_t>() % 8 == 0) description.block_offset = input.take<std::uint64_t>();
  if (input.take<std::uint8_t>() % 8 == 0) description.block_bytes = input.take<std::uint64_t>();
  if (input.take<std::uint8_t>() % 8 == 0) description.view_offset = input.take<std::uint64_t>();
  return description;
}

/// A region of the peer, and the blocks imported from it.
class Importer {
 public:
  Importer(const platform::Fd& peers_memory, const SharedPage& page) {
    auto memory = platform::map_read_only(peers_memory, kPages * platform::page_bytes());
    region_ = std::make_shared<ImportedRegion>(platform::Fd(), std::move(memory.mapping), map_page(page.file),
                                               RegionEvents(), std::vector<platform::Fd>(1),
                                               RegionDescriptorShare());
  }
  ~Importer() {
    while (!blocks_.empty()) release();
  }
  Importer(const Importer&) = delete;
  Importer& operator=(const Importer&) = delete;

  /// Imports a block by a description with valid or invalid values.
  void import(fuzz::Input& input) {
    const BlockDescription description = description_from(input);
    const std::size_t bytes = input.take<std::uint16_t>();
    const std::size_t alignment = std::size_t{1} << input.take<std::uint8_t>() % 5;
    const std::uint8_t* view = nullptr;
    Block* const block = region_->import_block(description, bytes, alignment, view);
    if (block == nullptr) return;
    const std::uint8_t* const base = region_->base();
    if (view < base || view + bytes > base + region_->bytes()) std::abort();
    for (std::size_t i = 0; i < bytes; i += 512) sink = sink + view[i];
    blocks_.push_back(block);
  }
  void release() {
    if (blocks_.empty()) return;
    blocks_.back()->release_ref();
    blocks_.pop_back();
  }

 private:
  std::shared_ptr<ImportedRegion> region_;
  std::vector<Block*> blocks_;
};

/// A region of this process, and the grants that are in use.
class Exporter {
 public:
  Exporter(const platform::Fd& memory, const SharedPage& page)
      : owner_(std::make_shared<TestBlockOwner>(memory)),
        region_(std::make_shared<ExportedRegion>(owner_, RegionEvents(), std::move(liveness_.read),
                                                 map_page(page.file))) {}

  void grant(fuzz::Input& input) {
    Block* const block = owner_->allocate(input.take<std::uint8_t>());
    if (block == nullptr) return;
    const std::uint64_t grant = region_->add_grant(*block);
    if (grant == ExportedRegion::kNone)
      block->release_ref();
    else
      grants_.push_back(grant);
  }
  /// The last grant is not sent.
  void revoke() {
    if (grants_.empty()) return;
    region_->revoke_grant(grants_.back());
    grants_.pop_back();
  }
  void reclaim(fuzz::Input& input) {
    region_->reclaim_returned_grants(static_cast<Demand>(input.take<std::uint8_t>() % 3));
  }
  /// After the peer's end all grants are returned, whatever it wrote.
  void end() {
    liveness_.write.reset();
    region_->end();
    region_->reclaim_returned_grants(Demand::none);
    if (!region_->is_done() || !owner_->has_all()) std::abort();
  }

 private:
  platform::Pipe liveness_ = platform::make_pipe();
  std::shared_ptr<TestBlockOwner> owner_;
  std::shared_ptr<ExportedRegion> region_;
  std::vector<std::uint64_t> grants_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static platform::ExportedMemory peers_memory =
      platform::make_exported_memory("fuzz-blocks", kPages * platform::page_bytes());
  static SharedPage exported_page, imported_page;
  fuzz::Input input(data, size);
  new (imported_page.peers.data()) RegionWords;
  Exporter exporter(peers_memory.file, exported_page);
  {
    Importer importer(peers_memory.file, imported_page);
    while (!input.empty()) {
      switch (input.take<std::uint8_t>() % 8) {
        case 0:
        case 1: importer.import(input); break;
        case 2: importer.release(); break;
        case 3: imported_page.write(input); break;
        case 4: exported_page.write(input); break;
        case 5: exporter.grant(input); break;
        case 6: exporter.revoke(); break;
        default: exporter.reclaim(input);
      }
    }
  }
  exporter.end();
  return 0;
}
