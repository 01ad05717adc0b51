// Blocks of shared memory with a hostile process at the other end of their links. The input is a list of steps: what a
// peer says that it gives, what this end takes and returns of it, what this end gives, and what the peer writes into
// the pages that both share.
#include <cstdlib>
#include <memory>
#include <vector>

#include "fuzz/input.h"
#include "platform/socket.h"
#include "transport/blocks/giving_link.h"
#include "transport/blocks/taken_link.h"

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

/// A page that two processes share, as the peer sees it.
struct SharedPage {
  SharedPage() : file(std::move(platform::make_memory_file("fuzz-page", platform::page_bytes()).fd)), peers(map_page(file)) {}
  LinkWords& words() { return *reinterpret_cast<LinkWords*>(peers.data()); }
  void write(fuzz::Input& input) {
    words().taken = input.take<std::uint8_t>() % 2 ? input.take<std::uint64_t>() : input.take<std::uint8_t>();
    words().held[input.take<std::uint8_t>()] = input.take<std::uint32_t>();
    words().wanted = input.take<std::uint8_t>();
  }
  platform::Fd file;
  platform::Mapping peers;
};

/// This process's own memory, of four blocks, each of which comes back once after it was given.
class OwnSource final : public Source {
 public:
  explicit OwnSource(const platform::Fd& file) : file_(file) {}
  Block* lend(std::size_t index) {
    index %= kPages;
    if (lent_[index]) return nullptr;
    lent_[index] = true;
    blocks_[index].fill(*this, memory_ + index * 16, 16);
    return &blocks_[index];
  }
  bool has_all() const { return std::none_of(lent_, lent_ + kPages, [](bool lent) { return lent; }); }

  Block* hold(const void*, std::size_t) noexcept override { return nullptr; }
  void give_back(Block& block) noexcept override {
    bool& lent = lent_[&block - blocks_];
    if (!lent) std::abort();  // twice
    lent = false;
  }
  const platform::Fd& file() const noexcept override { return file_; }
  const std::uint8_t* base() const noexcept override { return memory_; }
  std::size_t bytes() const noexcept override { return sizeof memory_; }

 private:
  const platform::Fd& file_;
  std::uint8_t memory_[kPages * 16] = {};
  Block blocks_[kPages];
  bool lent_[kPages] = {};
};

volatile std::size_t sink;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static platform::LentMemory peers_memory = platform::make_lent_memory("fuzz-blocks", kPages * platform::page_bytes());
  static SharedPage given_page, taken_page;
  fuzz::Input input(data, size);

  auto memory = platform::map_read_only(peers_memory.file, kPages * platform::page_bytes());
  new (taken_page.peers.data()) LinkWords;
  auto lease = platform::make_socket_pair();
  std::vector<platform::Fd> leases;
  leases.push_back(std::move(lease.here));
  const auto taken_link = std::make_shared<TakenLink>(platform::Fd(), std::move(memory.mapping), map_page(taken_page.file),
                                                      std::move(leases), LinkShare());
  std::vector<Block*> taken;

  auto pair = platform::make_socket_pair();
  const auto own = std::make_shared<OwnSource>(peers_memory.file);
  const auto given_link = std::make_shared<GivingLink>(own, std::move(pair.here), map_page(given_page.file));
  std::vector<std::uint64_t> gifts;

  while (!input.empty()) {
    switch (input.take<std::uint8_t>() % 8) {
      case 0:
      case 1: {  // a description, near what can be or not
        BlockDescription description;
        description.gift = input.take<std::uint16_t>();
        if (input.take<std::uint8_t>() % 8 == 0) description.gift = input.take<std::uint64_t>();
        description.offset = input.take<std::uint16_t>();
        description.bytes = input.take<std::uint16_t>();
        description.begin = input.take<std::uint16_t>();
        if (input.take<std::uint8_t>() % 8 == 0) description.offset = input.take<std::uint64_t>();
        if (input.take<std::uint8_t>() % 8 == 0) description.bytes = input.take<std::uint64_t>();
        if (input.take<std::uint8_t>() % 8 == 0) description.begin = input.take<std::uint64_t>();
        const std::size_t bytes = input.take<std::uint16_t>();
        const std::size_t alignment = std::size_t{1} << input.take<std::uint8_t>() % 5;
        const std::uint8_t* view = nullptr;
        if (Block* const block = taken_link->take(description, bytes, alignment, view)) {
          if (view < taken_link->base() || view + bytes > taken_link->base() + taken_link->bytes()) std::abort();
          for (std::size_t i = 0; i < bytes; i += 512) sink = sink + view[i];
          taken.push_back(block);
        }
        break;
      }
      case 2:
        if (!taken.empty()) {
          taken.back()->drop();
          taken.pop_back();
        }
        break;
      case 3: taken_page.write(input); break;
      case 4: given_page.write(input); break;
      case 5:
        if (Block* const block = own->lend(input.take<std::uint8_t>())) {
          const std::uint64_t gift = given_link->give(*block);
          if (gift == GivingLink::kNone) block->drop();
          else gifts.push_back(gift);
        }
        break;
      case 6:
        if (!gifts.empty()) {  // it was not sent after all
          given_link->take_back(gifts.back());
          gifts.pop_back();
        }
        break;
      default: given_link->take_back_returned((input.take<std::uint8_t>() & 1) != 0);
    }
  }
  for (Block* const block : taken) block->drop();
  // The peer has gone: whatever it wrote, everything comes back.
  pair.there.reset();
  given_link->end();
  given_link->take_back_returned(false);
  if (!given_link->is_done() || !own->has_all()) std::abort();
  return 0;
}
