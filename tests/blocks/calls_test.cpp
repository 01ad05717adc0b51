// Blocks between processes: written in place, held, forwarded, shared, and reclaimed when a process is
// killed.
#include "testing.h"

namespace blocktest {
namespace {

constexpr double kSum = 131072.0;

std::size_t descriptors() {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

TEST_F(BlockCalls, ReadsALoanInPlaceAndReclaimsIt) {
  StageProcess process;
  const StageRef stage = at(process);
  for (int i = 1; i <= 40; ++i) {  // more than the pool holds
    auto block = filled(i);
    stage->push(block.view());
    ASSERT_EQ(stage->pushed_sum(), i * kSum);
    ASSERT_TRUE(stage->pushed_in_block());
  }
  EXPECT_TRUE(pool_becomes_empty());
}

TEST_F(BlockCalls, SendsPartOfALoan) {
  StageProcess process;
  const StageRef stage = at(process);
  const auto block = filled(2);
  stage->push(block.view().subspan(1000, 2000));
  EXPECT_EQ(stage->pushed_sum(), 4000);
  EXPECT_TRUE(stage->pushed_in_block());
}

TEST_F(BlockCalls, SendsOctetsAndPlainStructs) {
  StageProcess process;
  const StageRef stage = at(process);
  auto octets = orbweaver::loan<std::uint8_t>(10'000);
  std::fill(octets.begin(), octets.end(), std::uint8_t{3});
  stage->push_octets(octets.view());
  EXPECT_EQ(stage->pushed_sum(), 30'000);
  EXPECT_TRUE(stage->pushed_in_block());
  auto points = orbweaver::loan<Blocks::Point>(5'000);
  std::fill(points.begin(), points.end(), Blocks::Point(1, 2));
  stage->push_points(points.view());
  EXPECT_EQ(stage->pushed_sum(), 15'000);
  EXPECT_TRUE(stage->pushed_in_block());
}

TEST_F(BlockCalls, CopiesSmallViewsAndOrdinaryMemory) {
  StageProcess process;
  const StageRef stage = at(process);
  const auto small = filled(1, 8);
  stage->push(small.view());
  EXPECT_EQ(stage->pushed_sum(), 8);
  EXPECT_FALSE(stage->pushed_in_block());
  const std::vector<double> ordinary(kSamples, 1.0);
  stage->push(ordinary);
  EXPECT_EQ(stage->pushed_sum(), kSum);
  EXPECT_FALSE(stage->pushed_in_block());
}

TEST_F(BlockCalls, CopiesALoanOverTcp) {
  start("tcp");
  StageProcess process({"-ORBListen", "tcp"});
  const StageRef stage = at(process);
  const auto block = filled(1);
  stage->keep(block.view());
  EXPECT_EQ(stage->kept_sum(), kSum);
  EXPECT_TRUE(stage->kept_is_copy());
}

TEST_F(BlockCalls, KeepsAHeldBlockUnchanged) {
  StageProcess process;
  const StageRef stage = at(process);
  stage->keep(filled(3).view());
  EXPECT_FALSE(stage->kept_is_copy());
  overwrite_free_blocks();
  EXPECT_EQ(stage->kept_sum(), 3 * kSum);
  EXPECT_EQ(orbweaver::transport::blocks::pool_used(), std::size_t{1} << 20);
  stage->drop_kept();
  EXPECT_TRUE(pool_becomes_empty());
}

TEST_F(BlockCalls, ForwardsABlockWithoutACopy) {
  StageProcess second, third;
  const StageRef b = at(second), c = at(third);
  b->set_next(c);
  b->keep(filled(5).view());
  EXPECT_FALSE(c->kept_is_copy());
  b->drop_kept();
  overwrite_free_blocks();
  EXPECT_EQ(c->kept_sum(), 5 * kSum);
  c->drop_kept();
  EXPECT_TRUE(pool_becomes_empty());  // although the second process makes no further call
}

TEST_F(BlockCalls, SharesABlockAmongSeveralProcesses) {
  StageProcess processes[3];
  auto block = filled(7);
  for (StageProcess& process : processes) at(process)->keep(block.view());
  { const auto ended_loan = std::move(block); }
  overwrite_free_blocks();
  for (StageProcess& process : processes) {
    EXPECT_FALSE(at(process)->kept_is_copy());
    EXPECT_EQ(at(process)->kept_sum(), 7 * kSum);
    at(process)->drop_kept();
  }
  EXPECT_TRUE(pool_becomes_empty());
}

TEST_F(BlockCalls, ReclaimsBlocksOfAKilledHolder) {
  for (int round = 0; round < 4; ++round) {
    StageProcess process;
    at(process)->keep(filled(1).view());
    EXPECT_NE(orbweaver::transport::blocks::pool_used(), 0u);
    process.kill();
    EXPECT_TRUE(pool_becomes_empty());
  }
}

TEST_F(BlockCalls, ReclaimsBlocksOfAHolderKilledAtAnyTime) {
  for (int round = 0; round < 12; ++round) {
    StageProcess process;
    std::thread killer([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(300 * round));
      process.kill();
    });
    try {
      const StageRef stage = at(process);
      for (;;) stage->keep(filled(1, 16384).view());
    } catch (const CORBA::SystemException&) {
    }
    killer.join();
    EXPECT_TRUE(pool_becomes_empty()) << "round " << round;
  }
}

TEST_F(BlockCalls, KeepsABlockWhenTheForwarderIsKilled) {
  StageProcess second, third;
  const StageRef b = at(second), c = at(third);
  b->set_next(c);
  b->keep(filled(5).view());
  const std::size_t before = descriptors();
  second.kill();
  EXPECT_TRUE(becomes_true([&] { return descriptors() < before; })) << "the disconnect is detected";
  overwrite_free_blocks();
  EXPECT_EQ(c->kept_sum(), 5 * kSum);
  third.kill();
  EXPECT_TRUE(pool_becomes_empty());
}

TEST_F(BlockCalls, KeepsAHeldBlockAfterItsOwner) {
  StageProcess owner, holder, further;
  const StageRef a = at(owner), b = at(holder), c = at(further);
  a->lend_to(b, kSamples, 9.0);
  EXPECT_FALSE(b->kept_is_copy());
  owner.kill();
  EXPECT_EQ(b->kept_sum(), 9 * kSum);
}

TEST_F(BlockCalls, RaisesOrWaitsWhenThePoolIsFull) {
  StageProcess process;
  const StageRef stage = at(process);
  stage->keep(filled(1).view());
  std::vector<orbweaver::Loan<double>> all;
  for (int i = 0; i < 7; ++i) all.push_back(filled(2));
  try {
    orbweaver::loan<double>(kSamples, orbweaver::PoolFull::raise);
    ADD_FAILURE() << "a loan from a full pool";
  } catch (const CORBA::NO_RESOURCES& e) {
    EXPECT_NE(e.detail().find("8388608 of 8388608 bytes are in use"), std::string::npos) << e.detail();
  }
  EXPECT_THROW(orbweaver::loan<double>(kSamples, orbweaver::PoolFull::wait, 20), CORBA::TIMEOUT);
  EXPECT_THROW(orbweaver::loan<double>(2 * kPool), CORBA::NO_RESOURCES);
  CallWhenThisThreadWaits later([&] { stage->drop_kept(); });
  EXPECT_EQ(filled(3)[0], 3);
  later.join();
}

TEST_F(BlockCalls, HonoursThePoolFullOption) {
  const auto options = [](const char* when_full) {
    return std::vector<std::string>{"-ORBTune", "pool-bytes=1048576", "-ORBTune",
                                    std::string("pool-full=") + when_full};
  };
  StageProcess raising(options("raise")), waiting_30_ms(options("wait:30")), waiting(options("wait")), holder;
  const StageRef b = at(holder);
  const auto fill_pool_of = [&](const StageProcess& owner) { at(owner)->lend_to(b, kSamples, 1.0); };
  fill_pool_of(raising);
  EXPECT_THROW(at(raising)->lend_to(b, kSamples, 2.0), CORBA::NO_RESOURCES);
  fill_pool_of(waiting_30_ms);
  EXPECT_THROW(at(waiting_30_ms)->lend_to(b, kSamples, 2.0), CORBA::TIMEOUT);
  fill_pool_of(waiting);
  CallWhenThisThreadWaits later([&] {
    EXPECT_TRUE(becomes_true([&] { return other_threads_sleep(waiting.pid()); }))
        << "the lending process waits as well";
    b->drop_kept();
  });
  EXPECT_NO_THROW(at(waiting)->lend_to(b, kSamples, 3.0));
  later.join();
  EXPECT_EQ(b->kept_sum(), 3 * kSum);
}

TEST_F(BlockCalls, HonoursThePoolFullPolicyOfALoan) {
  namespace blocks = orbweaver::transport::blocks;
  std::vector<orbweaver::Loan<double>> all;
  for (int i = 0; i < 8; ++i) all.push_back(filled(2));
  blocks::set_pool_full_policy({false, 0});
  EXPECT_THROW(orbweaver::loan<double>(kSamples), CORBA::NO_RESOURCES);
  EXPECT_THROW(orbweaver::loan<double>(kSamples, orbweaver::PoolFull::wait, 20), CORBA::TIMEOUT);
  blocks::set_pool_full_policy({true, 20});
  EXPECT_THROW(orbweaver::loan<double>(kSamples), CORBA::TIMEOUT);
  EXPECT_THROW(orbweaver::loan<double>(kSamples, orbweaver::PoolFull::raise), CORBA::NO_RESOURCES);
  blocks::set_pool_full_policy({});
}

TEST_F(BlockCalls, KeepsHoldsAfterTheOrb) {
  StageProcess process;
  orbweaver::HeldView<double> held;
  {
    const auto block = filled(4);
    at(process)->keep(block.view());
    held = orbweaver::hold(block.view());
  }
  EXPECT_FALSE(held.is_copy());
  orb->destroy();
  process.kill();
  overwrite_free_blocks();
  const orbweaver::HeldView<double> again = orbweaver::hold(held.view());
  held = {};
  EXPECT_EQ(std::accumulate(again.view().begin(), again.view().end(), 0.0), 4 * kSum);
}

}  // namespace
}  // namespace blocktest
