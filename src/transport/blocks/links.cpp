#include "transport/blocks/links.h"

#include <algorithm>
#include <new>
#include <system_error>
#include <thread>

#include "platform/process_identity.h"
#include "platform/socket.h"
#include "platform/thread.h"
#include "transport/blocks/sources.h"

namespace orbweaver::transport::blocks {
namespace {

constexpr std::uint32_t kLinkMagic = 0x4c42574f;  // "OWBL"
/// The memory file, the shared page, and as many leases as a message still carries.
constexpr std::size_t kMostFds = 8;

/// Sent over the connection's socket before the first description that needs it.
struct LinkMessage {
  std::uint32_t magic;
  std::uint32_t leases;
  std::uint64_t bytes;  // of the memory file
};

std::vector<std::shared_ptr<GivingLink>>& all_links() {
  static auto* const links = new std::vector<std::shared_ptr<GivingLink>>;
  return *links;
}

}  // namespace

class GivingLink {
 public:
  std::shared_ptr<Source> source;
  platform::Fd lease;  ///< Its other end is with the receiver, and with whom that handed the memory on to.
  platform::Mapping page;
  std::uint64_t oldest = 0, next = 0;
  std::array<Block*, kGifts> out{};
  bool connected = true;

  LinkWords& words() const noexcept { return *reinterpret_cast<LinkWords*>(page.data()); }
  void drop_gift(std::uint64_t gift) noexcept {
    if (Block* block = std::exchange(out[gift % kGifts], nullptr)) drop(block);
  }
  /// Takes back what was returned.
  void reclaim() noexcept {
    // L2: pairs with L1: for every gift before `taken` the receiver's first word in `held` is seen.
    const std::uint64_t taken = std::min(words().taken.load(std::memory_order_acquire), next);
    for (std::uint64_t gift = oldest; gift < taken; ++gift) {
      // L4: pairs with L3: the receiver's reads of the block came before.
      if (words().held[gift % kGifts].load(std::memory_order_acquire) == 0) drop_gift(gift);
    }
    while (oldest < next && out[oldest % kGifts] == nullptr) ++oldest;
  }
  /// Is nobody left who could hold anything?
  bool abandoned() const noexcept {
    return (platform::poll(lease, platform::kReadable, platform::Deadline::in_ns(0)) & platform::kHungUp) != 0;
  }
  void drop_all() noexcept {
    for (; oldest < next; ++oldest) drop_gift(oldest);
  }
};

class TakenLink final : public Source, public std::enable_shared_from_this<TakenLink> {
 public:
  ~TakenLink() override { forget_source(base()); }

  platform::Fd memory;
  platform::Mapping mapping, page;
  std::vector<platform::Fd> lease_fds;
  std::size_t size = 0;
  std::uint64_t next = 0;
  std::array<bool, kGifts> held{};

  LinkWords& words() const noexcept { return *reinterpret_cast<LinkWords*>(page.data()); }
  void give_back(Block& block) noexcept override {
    held[block.tag % kGifts] = false;
    // L3: what was read of the block was read before; pairs with L4.
    words().held[block.tag % kGifts].store(0, std::memory_order_release);
  }
  const platform::Fd& file() const noexcept override { return memory; }
  const std::uint8_t* base() const noexcept override { return mapping.data(); }
  std::size_t bytes() const noexcept override { return size; }
  bool is_borrowed() const noexcept override { return true; }
  std::vector<int> leases() const override {
    std::vector<int> fds;
    for (const platform::Fd& fd : lease_fds) fds.push_back(fd.get());
    return fds;
  }
};

void take_back_returned() noexcept {
  auto& links = all_links();
  // By index: dropping a block that another link brought changes nothing here.
  for (std::size_t i = 0; i < links.size();) {
    const std::shared_ptr<GivingLink> link = links[i];
    link->reclaim();
    if (link->oldest != link->next && link->abandoned()) link->drop_all();
    if (!link->connected && link->oldest == link->next) {
      links.erase(links.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

namespace {

/// While blocks of others have been handed on, somebody has to notice their return, or their owner waits
/// for ever: a thread that looks each millisecond and ends when there are none.
bool forwarding = false;  // under mutex()

bool any_forwarded() noexcept {
  return std::any_of(all_links().begin(), all_links().end(), [](const auto& link) {
    return link->oldest != link->next && link->source->is_borrowed();
  });
}

bool watch_forwarded() noexcept {
  if (forwarding) return true;
  try {
    std::thread([] {
      platform::name_this_thread("ow-blocks");
      for (;;) {
        platform::sleep_ms(1);
        const std::lock_guard lock(mutex());
        take_back_returned();
        if (any_forwarded()) continue;
        forwarding = false;
        return;
      }
    }).detach();
  } catch (const std::system_error&) {
    return false;
  }
  return forwarding = true;
}

}  // namespace

Outbox::~Outbox() {
  const std::lock_guard lock(mutex());
  for (const auto& link : links_) link->connected = false;
  links_.clear();
  take_back_returned();
}

GivingLink* Outbox::link_for(const std::shared_ptr<Source>& source) {
  for (const auto& link : links_) {
    if (link->source == source) return link.get();
  }
  if (refused_ || links_.size() == kLinks) return nullptr;
  refused_ = true;  // until it has worked
  std::vector<int> fds = {source->file().get(), -1, -1};
  for (const int lease : source->leases()) fds.push_back(lease);
  if (fds.size() > kMostFds) return nullptr;
  auto page = platform::make_memory_file("orbweaver-link", platform::page_bytes());
  auto pair = platform::make_socket_pair();
  if (!page || pair.error != 0) return nullptr;
  auto mapped = platform::map_shared(page.fd, {{0, platform::page_bytes(), 1}});
  if (!mapped) return nullptr;
  fds[1] = page.fd.get();
  fds[2] = pair.there.get();
  const LinkMessage message{kLinkMagic, static_cast<std::uint32_t>(fds.size() - 2), source->bytes()};
  const auto sent = platform::send_fds(socket_, {reinterpret_cast<const std::uint8_t*>(&message), sizeof message}, fds,
                                       platform::Block::no);
  if (sent.error != 0 || sent.bytes != sizeof message) return nullptr;
  auto link = std::make_shared<GivingLink>();
  link->source = source;
  link->lease = std::move(pair.here);
  link->page = std::move(mapped.mapping);
  new (link->page.data()) LinkWords;
  links_.push_back(link);
  all_links().push_back(link);
  refused_ = false;
  return link.get();
}

bool Outbox::give(const void* data, std::size_t bytes, BlockDescription& description) noexcept try {
  if (source_of(data, bytes) == nullptr) return false;
  const std::lock_guard lock(mutex());
  Block* block = find(data, bytes);
  if (block == nullptr) return false;
  GivingLink* link = link_for(block->source);
  if (link == nullptr) return false;
  link->reclaim();
  if (link->out[link->next % kGifts] != nullptr) return false;
  if (block->source->is_borrowed() && !watch_forwarded()) return false;
  unsent_.push_back({link, link->next});
  const auto index = std::find_if(links_.begin(), links_.end(), [&](const auto& l) { return l.get() == link; });
  description.link = static_cast<std::uint32_t>(index - links_.begin());
  description.gift = link->next;
  description.offset = static_cast<std::uint64_t>(block->begin - block->source->base());
  description.bytes = block->bytes;
  description.begin = static_cast<std::uint64_t>(static_cast<const std::uint8_t*>(data) - block->begin);
  ++block->refs;
  link->out[link->next++ % kGifts] = block;
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

void Outbox::unsend() noexcept {
  if (unsent_.empty()) return;
  const std::lock_guard lock(mutex());
  for (const Unsent& gift : unsent_) gift.link->drop_gift(gift.gift);
  unsent_.clear();
}

bool Inbox::receive_link() {
  if (links_.size() == kLinks) return false;
  LinkMessage message{};
  std::array<platform::Fd, kMostFds> fds;
  const auto got = platform::recv_fds(socket_, {reinterpret_cast<std::uint8_t*>(&message), sizeof message}, fds,
                                      platform::Block::no);
  if (got.error != 0 || got.bytes != sizeof message || message.magic != kLinkMagic) return false;
  if (message.leases < 1 || message.leases > kMostFds - 2 || !fds[1 + message.leases]) return false;
  if (message.bytes == 0 || message.bytes % platform::page_bytes() != 0) return false;
  if (platform::check_memory_file(fds[0], message.bytes) != 0) return false;
  if (platform::check_memory_file(fds[1], platform::page_bytes()) != 0) return false;
  auto memory = platform::map_read_only(fds[0], message.bytes);
  auto page = platform::map_shared(fds[1], {{0, platform::page_bytes(), 1}});
  if (!memory || !page) return false;
  auto link = std::make_shared<TakenLink>();
  link->memory = std::move(fds[0]);
  link->mapping = std::move(memory.mapping);
  link->page = std::move(page.mapping);
  link->size = message.bytes;
  for (std::size_t i = 0; i < message.leases; ++i) link->lease_fds.push_back(std::move(fds[2 + i]));
  if (!know_source(*link, link->base(), link->size)) return false;
  links_.push_back(std::move(link));
  return true;
}

const void* Inbox::take(const BlockDescription& d, std::size_t bytes, std::size_t alignment) noexcept try {
  if (d.link == links_.size() && !receive_link()) return nullptr;
  if (d.link >= links_.size()) return nullptr;
  const std::lock_guard lock(mutex());
  TakenLink& link = *links_[d.link];
  if (d.gift < link.next || d.gift - link.next >= kGifts || link.held[d.gift % kGifts]) return nullptr;
  if (d.offset > link.size || d.bytes > link.size - d.offset) return nullptr;
  if (d.begin > d.bytes || bytes > d.bytes - d.begin) return nullptr;
  const std::uint8_t* block_begin = link.base() + d.offset;
  const std::uint8_t* begin = block_begin + d.begin;
  if (reinterpret_cast<std::uintptr_t>(begin) % alignment != 0) return nullptr;
  taken_.reserve(taken_.size() + 1);
  Block* known = find(block_begin, d.bytes);
  if (known != nullptr && known->begin == block_begin && known->bytes == d.bytes) {
    ++known->refs;  // held already by an earlier gift: this one goes back at once
  } else {
    known = enter(block_begin, d.bytes, d.gift, link.shared_from_this());
    if (known == nullptr) return nullptr;
    link.held[d.gift % kGifts] = true;
    link.words().held[d.gift % kGifts].store(1, std::memory_order_relaxed);
  }
  taken_.push_back(known);
  link.next = d.gift + 1;
  // L1: publishes the hold above; pairs with L2.
  link.words().taken.store(link.next, std::memory_order_release);
  return begin;
} catch (const std::bad_alloc&) {
  return nullptr;
}

void Inbox::drop_taken() noexcept {
  const std::lock_guard lock(mutex());
  for (Block* block : taken_) drop(block);
  taken_.clear();
}

}  // namespace orbweaver::transport::blocks
