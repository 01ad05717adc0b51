// Exported and imported regions with a malicious peer. The input is a list of steps: block descriptions of
// the peer to import, returns of imported blocks, grants of this end, and writes of the peer to the pages
// that both share.
#include <cstdlib>
#include <memory>
#include <vector>

#include "fuzz/input.h"
#include "platform/socket.h"
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static platform::ExportedMemory peers_memory =
      platform::make_exported_memory("fuzz-blocks", kPages * platform::page_bytes());
  static SharedPage exported_page, imported_page;
  fuzz::Input input(data, size);

  auto memory = platform::map_read_only(peers_memory.file, kPages * platform::page_bytes());
  new (imported_page.peers.data()) RegionWords;
  auto liveness_fd = platform::make_socket_pair();
  std::vector<platform::Fd> liveness_fds;
  liveness_fds.push_back(std::move(liveness_fd.here));
  const auto imported_region =
      std::make_shared<ImportedRegion>(platform::Fd(), std::move(memory.mapping),
                                       map_page(imported_page.file), std::move(liveness_fds), LinkShare());
  std::vector<Block*> imported;

  auto pair = platform::make_socket_pair();
  const auto own = std::make_shared<TestBlockOwner>(peers_memory.file);
  const auto exported_region =
      std::make_shared<ExportedRegion>(own, std::move(pair.here), map_page(exported_page.file));
  std::vector<std::uint64_t> grants;

  while (!input.empty()) {
    switch (input.take<std::uint8_t>() % 8) {
      case 0:
      case 1: {  // a description, with valid or invalid values
        BlockDescription description;
        description.grant = input.take<std::uint16_t>();
        if (input.take<std::uint8_t>() % 8 == 0) description.grant = input.take<std::uint64_t>();
        description.offset = input.take<std::uint16_t>();
        description.bytes = input.take<std::uint16_t>();
        description.begin = input.take<std::uint16_t>();
        if (input.take<std::uint8_t>() % 8 == 0) description.offset = input.take<std::uint64_t>();
        if (input.take<std::uint8_t>() % 8 == 0) description.bytes = input.take<std::uint64_t>();
        if (input.take<std::uint8_t>() % 8 == 0) description.begin = input.take<std::uint64_t>();
        const std::size_t bytes = input.take<std::uint16_t>();
        const std::size_t alignment = std::size_t{1} << input.take<std::uint8_t>() % 5;
        const std::uint8_t* view = nullptr;
        if (Block* const block = imported_region->import_block(description, bytes, alignment, view)) {
          const std::uint8_t* const base = imported_region->base();
          if (view < base || view + bytes > base + imported_region->bytes()) std::abort();
          for (std::size_t i = 0; i < bytes; i += 512) sink = sink + view[i];
          imported.push_back(block);
        }
        break;
      }
      case 2:
        if (!imported.empty()) {
          imported.back()->release_ref();
          imported.pop_back();
        }
        break;
      case 3: imported_page.write(input); break;
      case 4: exported_page.write(input); break;
      case 5:
        if (Block* const block = own->allocate(input.take<std::uint8_t>())) {
          const std::uint64_t grant = exported_region->add_grant(*block);
          if (grant == ExportedRegion::kNone)
            block->release_ref();
          else
            grants.push_back(grant);
        }
        break;
      case 6:
        if (!grants.empty()) {  // the grant is not sent
          exported_region->revoke_grant(grants.back());
          grants.pop_back();
        }
        break;
      default: exported_region->reclaim_returned_grants((input.take<std::uint8_t>() & 1) != 0);
    }
  }
  for (Block* const block : imported) block->release_ref();
  // After the peer's end all grants are returned, whatever it wrote.
  pair.there.reset();
  exported_region->end();
  exported_region->reclaim_returned_grants(false);
  if (!exported_region->is_done() || !own->has_all()) std::abort();
  return 0;
}
