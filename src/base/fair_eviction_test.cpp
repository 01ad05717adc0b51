#include "base/fair_eviction.h"

#include <gtest/gtest.h>

#include <deque>

namespace orbweaver {
namespace {

class FairEvictionTest : public ::testing::Test {
 protected:
  FairEviction::Holder& holds(const Peer& peer, std::size_t bytes, std::int64_t since_ns = 1) {
    FairEviction::Holder& holder = holders.emplace_back();
    eviction.add(holder);
    eviction.count_for(holder, peer);
    holder.held = bytes;
    holder.held_since_ns = since_ns;
    return holder;
  }
  void TearDown() override {
    for (FairEviction::Holder& each : holders) eviction.remove(each);
  }

  const Peer here{"pid 1", 1, 1000}, other_user{"pid 2", 2, 33}, host{"192.0.2.1:4711"},
      same_host{"192.0.2.1:4712"}, other_host{"[2001:db8::7]:99"};
  FairEviction eviction;
  std::deque<FairEviction::Holder> holders;
};

TEST_F(FairEvictionTest, CountsAPeerAsAUserOrAHost) {
  EXPECT_EQ(counted_as(here), "user 1000");
  EXPECT_EQ(counted_as(host), counted_as(same_host));
  EXPECT_EQ(counted_as(other_host), "[2001:db8::7]");
  EXPECT_EQ(counted_as({"127.0.0.1:4711", 0, 1000}), "127.0.0.1") << "over a network, from this host";
}

TEST_F(FairEvictionTest, ChoosesNoHolderBelowTheLimit) {
  auto &one = holds(host, 50), &two = holds(here, 50);
  EXPECT_TRUE(eviction.choose(two, 100));
  EXPECT_FALSE(one.chosen || two.chosen);
}

TEST_F(FairEvictionTest, ChoosesThePeerThatHoldsMostNotTheOldest) {
  auto &old = holds(other_host, 20, 1), &first = holds(host, 40, 2), &second = holds(same_host, 40, 3);
  auto& wanting = holds(other_user, 20, 4);
  EXPECT_TRUE(eviction.choose(wanting, 100));
  EXPECT_TRUE(first.chosen) << "waited longer than the second";
  EXPECT_FALSE(old.chosen || second.chosen || wanting.chosen);
}

TEST_F(FairEvictionTest, ChoosesAnotherConnectionOfTheWantingPeer) {
  auto &other = holds(other_host, 30, 1), &own = holds(host, 40, 2), &wanting = holds(same_host, 40, 3);
  EXPECT_TRUE(eviction.choose(wanting, 100));
  EXPECT_TRUE(own.chosen);
  EXPECT_FALSE(other.chosen);
}

TEST_F(FairEvictionTest, FailsWhenTheWantingConnectionHoldsTooMuch) {
  auto &other = holds(other_host, 30, 1), &wanting = holds(host, 80, 2);
  EXPECT_FALSE(eviction.choose(wanting, 100));
  EXPECT_FALSE(other.chosen || wanting.chosen);
}

TEST_F(FairEvictionTest, SparesLocalUsersWhileRemoteHostsHoldMoreThanThreeQuarters) {
  auto &first = holds(host, 30, 2), &second = holds(other_host, 28, 3),
       &third = holds({"192.0.2.9:1"}, 26, 4);
  auto &old = holds(here, 20, 1), &wanting = holds(here, 20, 5);
  EXPECT_TRUE(eviction.choose(wanting, 100)) << "124 of 100; the local user holds most";
  EXPECT_TRUE(first.chosen);
  EXPECT_FALSE(second.chosen || third.chosen || old.chosen);
}

TEST_F(FairEvictionTest, ChoosesALocalUserBeyondItsShare) {
  auto &remote = holds(host, 30, 1), &old = holds(here, 50, 2), &wanting = holds(here, 30, 3);
  EXPECT_TRUE(eviction.choose(wanting, 100));
  EXPECT_TRUE(old.chosen);
  EXPECT_FALSE(remote.chosen);
}

TEST_F(FairEvictionTest, SparesSmallHoldersOfAPeer) {
  auto &small = holds(host, 1, 1), &large = holds(host, 60, 2), &larger = holds(host, 61, 3);
  auto& wanting = holds(here, 10, 4);
  EXPECT_TRUE(eviction.choose(wanting, 100));
  EXPECT_TRUE(large.chosen);
  EXPECT_FALSE(small.chosen || larger.chosen);
}

TEST_F(FairEvictionTest, ChoosesNoHolderWithoutBytes) {
  auto &none = holds(host, 0, 1), &some = holds(host, 90, 2), &wanting = holds(here, 20, 3);
  EXPECT_TRUE(eviction.choose(wanting, 100));
  EXPECT_TRUE(some.chosen);
  EXPECT_FALSE(none.chosen);
}

}  // namespace
}  // namespace orbweaver
