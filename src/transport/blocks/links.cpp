#include "transport/blocks/links.h"

#include <algorithm>
#include <array>
#include <new>

#include "platform/process_identity.h"
#include "platform/socket.h"
#include "transport/blocks/giving_link.h"
#include "transport/blocks/link_descriptors.h"
#include "transport/blocks/sources.h"
#include "transport/blocks/taken_link.h"

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

/// What the peer needs to take from `source`, sent to it; null where that is not to be had.
std::shared_ptr<GivingLink> send_link(Source& source, const platform::Fd& socket) {
  std::vector<int> fds = {source.file().get(), -1, -1};
  for (const int lease : source.leases()) fds.push_back(lease);
  if (fds.size() > kMostFds) return nullptr;
  auto page = platform::make_memory_file("orbweaver-link", platform::page_bytes());
  auto pair = platform::make_socket_pair();
  if (!page || pair.error != 0) return nullptr;
  auto mapped = platform::map_shared(page.fd, {{0, platform::page_bytes(), 1}});
  if (!mapped) return nullptr;
  auto link = std::make_shared<GivingLink>(source.shared_from_this(), std::move(pair.here), std::move(mapped.mapping));
  link->watch();
  fds[1] = page.fd.get();
  fds[2] = pair.there.get();
  const LinkMessage message{kLinkMagic, static_cast<std::uint32_t>(fds.size() - 2), source.bytes()};
  const auto sent = platform::send_fds(socket, {reinterpret_cast<const std::uint8_t*>(&message), sizeof message}, fds,
                                       platform::Block::no);
  if (sent.error != 0 || sent.bytes != sizeof message || !enter_link(link)) return nullptr;
  return link;
}

}  // namespace

Outbox::~Outbox() {
  for (const auto& link : links_) link->end();
  links_.clear();
  take_back_returned();
}

/// The index of the link for this source; links_.size() where there can be no more.
std::size_t Outbox::link_for(Source& source) noexcept try {
  const auto known = std::find_if(links_.begin(), links_.end(), [&](const auto& link) { return &link->source() == &source; });
  const auto index = static_cast<std::size_t>(known - links_.begin());
  if (known != links_.end() || refused_ || links_.size() == kLinks) return index;
  refused_ = true;  // until it has worked
  if (auto link = send_link(source, socket_)) {
    links_.push_back(std::move(link));
    refused_ = false;
  }
  return index;
} catch (const std::bad_alloc&) {
  return links_.size();
}

bool Outbox::give(const void* data, std::size_t bytes, BlockDescription& description) noexcept try {
  unsent_.reserve(unsent_.size() + 1);
  Block* const block = hold(data, bytes);
  if (block == nullptr) return false;
  Source& source = block->source();
  const std::size_t index = link_for(source);
  GivingLink* const link = index < links_.size() ? links_[index].get() : nullptr;
  // What this process does not own has to come back even if it makes no call any more.
  const bool may_give = link != nullptr && (!source.is_borrowed() || link->is_told());
  const std::uint64_t gift = may_give ? link->give(*block) : GivingLink::kNone;
  if (gift == GivingLink::kNone) {
    block->drop();
    return false;
  }
  unsent_.push_back({link, gift});
  description.link = static_cast<std::uint32_t>(index);
  description.gift = gift;
  description.offset = static_cast<std::uint64_t>(block->begin() - source.base());
  description.bytes = block->bytes();
  description.begin = static_cast<std::uint64_t>(static_cast<const std::uint8_t*>(data) - block->begin());
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

void Outbox::unsend() noexcept {
  for (const Unsent& gift : unsent_) gift.link->take_back(gift.gift);
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
  if (platform::check_lent_memory(fds[0], message.bytes) != 0) return false;
  if (platform::check_memory_file(fds[1], platform::page_bytes()) != 0) return false;
  auto memory = platform::map_read_only(fds[0], message.bytes);
  auto page = platform::map_shared(fds[1], {{0, platform::page_bytes(), 1}});
  if (!memory || !page || platform::seal_holes(fds[1], platform::page_bytes()) != 0) return false;
  LinkShare share = LinkShare::take(socket_, 1 + message.leases);
  if (!share) {
    // Its place is taken, as the giver has it. The lease ends, and the giver copies from then on.
    links_.push_back(nullptr);
    return false;
  }
  std::vector<platform::Fd> leases;
  for (std::size_t i = 0; i < message.leases; ++i) leases.push_back(std::move(fds[2 + i]));
  auto link = std::make_shared<TakenLink>(std::move(fds[0]), std::move(memory.mapping), std::move(page.mapping),
                                          std::move(leases), std::move(share));
  if (!know_source(*link, link->base(), link->bytes())) return false;
  links_.push_back(std::move(link));
  return true;
}

const void* Inbox::take(const BlockDescription& d, std::size_t bytes, std::size_t alignment) noexcept try {
  if (d.link == links_.size() && !receive_link()) return nullptr;
  if (d.link >= links_.size() || links_[d.link] == nullptr) return nullptr;
  taken_.reserve(taken_.size() + 1);
  const std::uint8_t* data = nullptr;
  Block* const block = links_[d.link]->take(d, bytes, alignment, data);
  if (block == nullptr) return nullptr;
  taken_.push_back(block);
  return data;
} catch (const std::bad_alloc&) {
  return nullptr;
}

void Inbox::drop_taken() noexcept {
  for (Block* const block : taken_) block->drop();
  taken_.clear();
}

}  // namespace orbweaver::transport::blocks
