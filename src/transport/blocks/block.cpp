#include "transport/blocks/block.h"

#include <new>

namespace orbweaver::transport::blocks {
namespace {

using Map = std::map<const std::uint8_t*, Block>;

/// Blocks by their address. Nodes are used again: lending and returning allocate nothing in the long run.
struct Registry {
  std::mutex mutex;
  Map blocks;
  std::vector<Map::node_type> spare;
};
/// Never destroyed: a user's last hold may be a static object.
Registry& registry() noexcept {
  static Registry* const one = new Registry;
  return *one;
}
constexpr std::size_t kKeptNodes = 256;

}  // namespace

std::mutex& mutex() noexcept { return registry().mutex; }

Block* find(const void* data, std::size_t bytes) noexcept {
  Map& blocks = registry().blocks;
  const auto* at = static_cast<const std::uint8_t*>(data);
  auto next = blocks.upper_bound(at);
  if (next == blocks.begin()) return nullptr;
  Block& block = std::prev(next)->second;
  const auto offset = static_cast<std::size_t>(at - block.begin);
  return offset <= block.bytes && bytes <= block.bytes - offset ? &block : nullptr;
}

Block* enter(const std::uint8_t* begin, std::size_t bytes, std::uint64_t tag, std::shared_ptr<Source> source) noexcept {
  Registry& r = registry();
  Block block{begin, bytes, 1, tag, std::move(source)};
  try {
    if (r.spare.capacity() == 0) r.spare.reserve(kKeptNodes);
    if (r.spare.empty()) {
      const auto [at, fresh] = r.blocks.try_emplace(begin, std::move(block));
      return fresh ? &at->second : nullptr;
    }
    Map::node_type node = std::move(r.spare.back());
    r.spare.pop_back();
    node.key() = begin;
    node.mapped() = std::move(block);
    const auto entered = r.blocks.insert(std::move(node));
    return entered.inserted ? &entered.position->second : nullptr;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void drop(Block* block) noexcept {
  if (--block->refs != 0) return;
  Registry& r = registry();
  auto node = r.blocks.extract(block->begin);
  const std::shared_ptr<Source> source = std::move(node.mapped().source);
  source->give_back(node.mapped());
  if (r.spare.size() < kKeptNodes) r.spare.push_back(std::move(node));
}

std::size_t in_use() noexcept {
  const std::lock_guard lock(mutex());
  return registry().blocks.size();
}

}  // namespace orbweaver::transport::blocks
