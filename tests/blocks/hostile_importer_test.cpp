// Hostile importers, which return false grants, notifications of returns, and writes to an imported block.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <orbweaver/loan.h>
#include <unistd.h>

#include <optional>
#include <thread>
#include <vector>

#include "raw_ends.h"
#include "transport/blocks/pool.h"

namespace blocktest {
namespace {

/// A block of ones that is granted to a hostile and to a correct importer. Its loan has ended.
struct GrantedToBoth {
  GrantedToBoth() {
    auto block = orbweaver::loan<double>(1024);
    std::fill(block.begin(), block.end(), 1.0);
    BlockDescription d;
    EXPECT_TRUE(hostile.is_given(block.data(), 8192));
    EXPECT_TRUE(correct.exporter.export_block(block.data(), 8192, d));
    correct.exporter.sent();
    seen = static_cast<const double*>(correct.importer.import_block(d, 8192, 8));
  }
  /// Overwrites all free blocks. Expects that the correct importer still reads the original contents.
  void expect_unchanged() {
    {
      std::vector<orbweaver::Loan<double>> loans;
      for (int i = 0; i < 16; ++i) {
        loans.push_back(orbweaver::loan<double>(1024));
        std::fill(loans.back().begin(), loans.back().end(), -1.0);
      }
    }
    EXPECT_EQ(blocks::pool_used(), 8192u);
    for (int i = 0; i < 1024; ++i) ASSERT_EQ(seen[i], 1.0);
  }

  FalseImporter hostile;
  Ends correct;
  const double* seen = nullptr;
};

TEST(HostileImporter, CountsARepeatedReturnOnce) {
  GrantedToBoth out;
  blocks::RegionWords& words = out.hostile.words();
  words.imported = 1;
  for (int i = 0; i < 100; ++i) {
    words.held[0] = i % 2;
    blocks::pool_used();
    words.imported = i % 3;
    blocks::pool_used();
  }
  out.expect_unchanged();
  out.correct.importer.release();
  EXPECT_EQ(blocks::pool_used(), 0u);
}

TEST(HostileImporter, FreesNothingThatWasNotGranted) {
  GrantedToBoth out;
  blocks::RegionWords& words = out.hostile.words();
  for (const std::uint64_t imported :
       {std::uint64_t{5}, std::uint64_t{256}, std::uint64_t{257}, ~std::uint64_t{0}}) {
    words.imported = imported;
    blocks::pool_used();
    out.expect_unchanged();
  }
  words.imported = 0;
  out.correct.importer.release();
  EXPECT_EQ(blocks::pool_used(), 0u) << "the hostile importer has returned its grant";
}

TEST(HostileImporter, FreesOnlyTheReturnedGrant) {
  FalseImporter receiver;
  auto first = orbweaver::loan<double>(1024), second = orbweaver::loan<double>(1024);
  EXPECT_TRUE(receiver.is_given(first.data(), 8192));
  EXPECT_TRUE(receiver.is_given(second.data(), 8192));
  { const auto ended_first = std::move(first), ended_second = std::move(second); }
  receiver.words().held[0] = 1;
  receiver.words().imported = 2;
  EXPECT_EQ(blocks::pool_used(), 8192u) << "the second was returned, the first is held";
  receiver.words().held[0] = 0;
  EXPECT_EQ(blocks::pool_used(), 0u);
}

TEST(HostileImporter, ReturnsNoBlockOfAnEarlierImporter) {
  GrantedToBoth out;  // to `out.correct`, which forwards the block
  FalseImporter last;
  ASSERT_TRUE(last.is_given(out.seen, 8192));
  std::size_t inherited = 0;
  for (const platform::Fd& fd : last.liveness_fds().subspan(1)) {
    inherited += static_cast<bool>(fd);
    platform::shutdown_both(fd);
    std::array<std::uint8_t, 16> bytes{};
    platform::recv(fd, bytes, platform::Blocking::no);
    EXPECT_EQ(write(fd.get(), bytes.data(), bytes.size()) > 0, static_cast<bool>(fd));
  }
  EXPECT_EQ(inherited, 1u);
  out.hostile.words().imported = 1;  // and returned
  wait_for_earlier_hang_ups();
  out.expect_unchanged();
}

TEST(HostileImporter, SurvivesEndlessNotifications) {
  GrantedToBoth out;
  std::atomic<bool> done{false};
  std::thread notifier([&] {
    while (!done) out.hostile.notify();
  });
  Ends others;
  for (int i = 0; i < 200; ++i) {
    auto block = orbweaver::loan<double>(1024);
    BlockDescription d;
    ASSERT_TRUE(others.exporter.export_block(block.data(), 8192, d));
    others.exporter.sent();
    ASSERT_NE(others.importer.import_block(d, 8192, 8), nullptr);
    others.importer.release();
  }
  done = true;
  notifier.join();
  out.expect_unchanged();
}

TEST(LivenessDescriptor, IsAPipeWithTheSmallestBuffer) {
  const auto block = orbweaver::loan<double>(1024);
  FalseImporter importer;
  ASSERT_TRUE(importer.is_given(block.view().data(), 8192));
  EXPECT_EQ(fcntl(importer.liveness_fds()[0].get(), F_GETPIPE_SZ), static_cast<int>(platform::page_bytes()));
}

TEST(ImportedBlockDeathTest, FaultsOnWrite) {
  blocks::set_pool_bytes(std::size_t{8}
                         << 20);  // death tests run first, and the other tests rely on this size
  Ends ends;
  const auto block = orbweaver::loan<double>(1024);
  BlockDescription d;
  ASSERT_TRUE(ends.exporter.export_block(block.view().data(), 8192, d));
  auto* const seen = static_cast<double*>(const_cast<void*>(ends.importer.import_block(d, 8192, 8)));
  ASSERT_NE(seen, nullptr);
  EXPECT_DEATH(*static_cast<volatile double*>(seen) = 1.0, "");
}

}  // namespace
}  // namespace blocktest
