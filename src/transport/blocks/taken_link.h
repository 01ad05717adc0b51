#pragma once

#include <orbweaver/blocks.h>

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "platform/fd.h"
#include "platform/memory.h"
#include "transport/blocks/block.h"
#include "transport/blocks/link_descriptors.h"
#include "transport/blocks/link_words.h"

namespace orbweaver::transport::blocks {

/// The receiver's side of a link: another process's memory, mapped for reading, and the blocks in it that are held
/// here. `take` is the connection's reader's, the rest anybody's.
class TakenLink final : public Source {
 public:
  TakenLink(platform::Fd file, platform::Mapping memory, platform::Mapping page, std::vector<platform::Fd> leases,
            LinkShare share)
      : share_(std::move(share)), file_(std::move(file)), memory_(std::move(memory)), page_(std::move(page)), leases_(std::move(leases)) {}
  ~TakenLink() override;

  /// The block that is described, with a reference; null where the description cannot be true. `data`: the view.
  Block* take(const BlockDescription& description, std::size_t bytes, std::size_t alignment,
              const std::uint8_t*& data) noexcept;

  Block* hold(const void* data, std::size_t bytes) noexcept override;
  void give_back(Block& block) noexcept override;
  const platform::Fd& file() const noexcept override { return file_; }
  const std::uint8_t* base() const noexcept override { return memory_.data(); }
  std::size_t bytes() const noexcept override { return memory_.size(); }
  bool is_borrowed() const noexcept override { return true; }
  std::vector<int> leases() const override;

 private:
  /// For each gift that may be held at once, at gift % kGifts.
  struct Place : Block {
    /// From the taking until the return.
    std::atomic<bool> taken{false};
    std::shared_ptr<Source> keep;  // the link, while it is taken
  };
  LinkWords& words() const noexcept { return *reinterpret_cast<LinkWords*>(page_.data()); }
  void ring_if_wanted() noexcept;

  const LinkShare share_;  // first: it counts the descriptors until they are closed
  const platform::Fd file_;
  const platform::Mapping memory_, page_;
  const std::vector<platform::Fd> leases_;  // this link's own first
  std::array<Place, kGifts> places_;
  std::atomic<std::uint64_t> next_{0};  // every gift before it was taken, or will not be; the reader's
};

}  // namespace orbweaver::transport::blocks
