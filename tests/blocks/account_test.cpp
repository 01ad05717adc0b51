// Shares of the pool: a sender waits for the receivers of its own blocks only, whatever other receivers do.
#include <memory>
#include <optional>

#include "testing.h"
#include "transport/blocks/region_words.h"

namespace blocktest {
namespace {

using orbweaver::detail::BlockAccount;
using orbweaver::detail::BlockRef;
using Outcome = BlockAccount::Outcome;

/// One sender: an account, and the blocks that it sends.
class Sender {
 public:
  /// Allocates a block of 1 MiB, and sends it to a stage that keeps it with all others.
  Outcome send_to(const StageRef& stage, std::int64_t timeout_ms = 0) {
    BlockRef block;
    void* data = nullptr;
    const Outcome outcome = account_.allocate(kBytes, timeout_ms, block, data);
    if (outcome == Outcome::allocated) {
      std::fill_n(static_cast<double*>(data), kBytes / sizeof(double), 1.0);
      const orbweaver::span<const double> view(static_cast<double*>(data), kBytes / sizeof(double));
      copied_ = copied_ || stage->keep_another(view);
    }
    return outcome;
  }
  bool has_copied() const { return copied_; }

 private:
  static constexpr std::size_t kBytes = std::size_t{1} << 20;
  BlockAccount account_;
  bool copied_ = false;
};

/// Two senders share the pool of 8 MiB. The receiver of the first keeps all that it gets.
class BlockAccounts : public BlockCalls {
 protected:
  void SetUp() override {
    BlockCalls::SetUp();
    ASSERT_TRUE(pool_becomes_empty()) << "blocks of an earlier test";
    holder.emplace();
    stage = at(*holder);
    first.emplace();
    second.emplace();
  }
  void use_share_of_first() {
    for (int i = 0; i < 4; ++i) EXPECT_EQ(first->send_to(stage), Outcome::allocated);
    EXPECT_EQ(first->send_to(stage), Outcome::share_in_use);
    EXPECT_FALSE(first->has_copied());
  }

  std::optional<StageProcess> holder;
  StageRef stage;
  std::optional<Sender> first, second;
};

TEST_F(BlockAccounts, LimitTheFirstSenderToItsShare) {
  use_share_of_first();
  EXPECT_EQ(orbweaver::transport::blocks::pool_used(), kPool / 2);
  stage->drop_kept();
  EXPECT_EQ(first->send_to(stage, 120'000), Outcome::allocated);
}

TEST_F(BlockAccounts, LetOthersContinueWhileAReceiverNeverReleases) {
  use_share_of_first();
  StageProcess process;
  const StageRef other = at(process);
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(second->send_to(other, 120'000), Outcome::allocated) << i;
    if (i % 4 == 3) other->drop_kept();
  }
  EXPECT_FALSE(second->has_copied());
  EXPECT_EQ(first->send_to(stage), Outcome::share_in_use);
}

TEST_F(BlockAccounts, ReturnTheBlocksOfAReceiverKilledWhileTheSenderWaits) {
  use_share_of_first();
  StageProcess process;
  const StageRef other = at(process);
  CallWhenThisThreadWaits later([&] { holder->kill(); });
  EXPECT_EQ(first->send_to(other, 120'000), Outcome::allocated);
  later.join();
  other->drop_kept();
  EXPECT_TRUE(pool_becomes_empty());
}

TEST_F(BlockAccounts, AllowOneBlockLargerThanTheShare) {
  BlockRef block, another;
  void* data = nullptr;
  BlockAccount account;
  EXPECT_EQ(account.allocate(kPool, 0, block, data), Outcome::allocated);
  EXPECT_EQ(account.allocate(4096, 0, another, data), Outcome::share_in_use);
  EXPECT_EQ(first->send_to(stage), Outcome::unavailable) << "within its share, but the pool is full";
  block = {};
  EXPECT_EQ(account.allocate(2 * kPool, 0, block, data), Outcome::unavailable);
}

TEST_F(BlockAccounts, LimitTheNumberOfBlocks) {
  namespace blocks = orbweaver::transport::blocks;
  BlockAccount account;
  std::vector<BlockRef> all(blocks::kMaxGrants);
  void* data = nullptr;
  for (BlockRef& block : all) ASSERT_EQ(account.allocate(4096, 0, block, data), Outcome::allocated);
  BlockRef more;
  EXPECT_EQ(account.allocate(4096, 0, more, data), Outcome::share_in_use);
  all.pop_back();
  EXPECT_EQ(account.allocate(4096, 0, more, data), Outcome::allocated);
}

TEST(BlockAccount, CountsABlockUntilItCanBeLentAgain) {
  namespace blocks = orbweaver::transport::blocks;
  blocks::set_pool_bytes(std::size_t{8} << 20);  // as the other tests of this program
  const auto now = orbweaver::platform::Deadline::in_ns(0);
  bool found = false;
  // The block has the last reference to its account, which is released when it is no longer counted.
  std::shared_ptr<blocks::Account> account(new blocks::Account, [&](blocks::Account* released) {
    EXPECT_EQ(released->bytes + released->blocks, 0u);
    if (const auto again = blocks::lend(blocks::pool_bytes(), now)) {
      found = true;
      (*again)->release_ref();
    }
    delete released;
  });
  const auto block = blocks::lend_to(account, blocks::pool_bytes(), now);
  ASSERT_TRUE(block);
  account.reset();
  (*block)->release_ref();
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace blocktest
