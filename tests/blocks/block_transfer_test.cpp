// BlockExporter and BlockImporter in one process: transfers, returns, limits, and malformed input.
#include <gtest/gtest.h>
#include <orbweaver/loan.h>
#include <sys/resource.h>

#include <array>
#include <cstring>
#include <deque>
#include <random>

#include "platform/memory.h"
#include "platform/process_identity.h"
#include "platform/socket.h"
#include "platform/testing/becomes_true.h"
#include "transport/blocks/block_transfer.h"
#include "transport/blocks/link_descriptors.h"
#include "transport/blocks/pool.h"

namespace blocktest {
namespace {

namespace blocks = orbweaver::transport::blocks;
namespace cdr = orbweaver::cdr;
namespace platform = orbweaver::platform;
using orbweaver::BlockDescription;
using platform::testing::becomes_true;

struct Ends {
  platform::SocketPair sockets = platform::make_socket_pair();
  blocks::BlockExporter exporter{sockets.first};
  blocks::BlockImporter importer{sockets.second};
};

TEST(BlockTransfer, SharesAndReturnsABlock) {
  Ends ends;
  {
    auto block = orbweaver::loan<double>(1024);
    block[5] = 55;
    BlockDescription d;
    ASSERT_TRUE(ends.exporter.export_block(block.data(), 8192, d));
    ends.exporter.sent();
    const auto* seen = static_cast<const double*>(ends.importer.import_block(d, 8192, 8));
    ASSERT_NE(seen, nullptr);
    EXPECT_NE(seen, block.data());  // another mapping
    EXPECT_EQ(seen[5], 55);
  }
  EXPECT_EQ(blocks::pool_used(), 8192u);
  ends.importer.release();
  EXPECT_EQ(blocks::pool_used(), 0u);
}

TEST(BlockTransfer, RevokesUnsentGrants) {
  Ends ends;
  BlockDescription d;
  {
    auto block = orbweaver::loan<double>(1024);
    ASSERT_TRUE(ends.exporter.export_block(block.data(), 8192, d));
  }
  ends.exporter.revoke_unsent();
  EXPECT_EQ(blocks::pool_used(), 0u);
}

TEST(BlockTransfer, ReclaimsAGrantThatWasSkipped) {
  Ends ends;
  BlockDescription ignored, d;
  {
    auto first = orbweaver::loan<double>(1024), second = orbweaver::loan<double>(1024);
    ASSERT_TRUE(ends.exporter.export_block(first.data(), 8192, ignored));
    ASSERT_TRUE(ends.exporter.export_block(second.data(), 8192, d));
    ends.exporter.sent();
    ASSERT_NE(ends.importer.import_block(d, 8192, 8), nullptr);
  }
  ends.importer.release();
  EXPECT_EQ(blocks::pool_used(), 0u);
}

TEST(BlockTransfer, LimitsOutstandingGrants) {
  Ends ends;
  auto block = orbweaver::loan<double>(1024);
  BlockDescription d;
  for (std::size_t i = 0; i < blocks::kMaxGrants; ++i)
    ASSERT_TRUE(ends.exporter.export_block(block.data(), 8192, d));
  EXPECT_FALSE(ends.exporter.export_block(block.data(), 8192, d));
}

TEST(BlockTransfer, RejectsFalseDescriptions) {
  Ends ends;
  auto block = orbweaver::loan<double>(1024);
  BlockDescription good;
  ASSERT_TRUE(ends.exporter.export_block(block.data(), 8192, good));
  const auto rejected = [&](auto change) {
    BlockDescription d = good;
    change(d);
    return ends.importer.import_block(d, 8192, 8) == nullptr;
  };
  EXPECT_TRUE(rejected([](auto& d) { d.region = 1; }));
  EXPECT_TRUE(rejected([](auto& d) { d.region = ~0u; }));
  EXPECT_TRUE(rejected([](auto& d) { d.grant = ~std::uint64_t{0}; }));
  EXPECT_TRUE(rejected([](auto& d) { d.grant += blocks::kMaxGrants; }));
  EXPECT_TRUE(rejected([](auto& d) { d.block_offset = ~std::uint64_t{0}; }));
  EXPECT_TRUE(rejected([](auto& d) { d.block_offset = std::uint64_t{64} << 20; }));
  EXPECT_TRUE(rejected([](auto& d) { d.block_bytes = ~std::uint64_t{0}; }));
  EXPECT_TRUE(rejected([](auto& d) { d.block_bytes = 8191; }));
  EXPECT_TRUE(rejected([](auto& d) { d.view_offset = 1; }));
  EXPECT_TRUE(rejected([](auto& d) { d.view_offset = ~std::uint64_t{0}; }));
  EXPECT_TRUE(rejected([](auto& d) { d.block_bytes = 16384, d.view_offset = 4; }));  // misaligned
  EXPECT_NE(ends.importer.import_block(good, 8192, 8), nullptr);
  EXPECT_EQ(ends.importer.import_block(good, 8192, 8), nullptr) << "the same grant twice";
}

TEST(BlockTransfer, HoldsAnyPartOfALoanWithoutACopy) {
  std::mt19937 random(17);
  std::vector<orbweaver::Loan<double>> loans;
  for (int i = 0; i < 40; ++i) loans.push_back(orbweaver::loan<double>(512u << random() % 5));
  for (int i = 0; i < 2000; ++i) {
    const auto view = loans[random() % loans.size()].view();
    const std::size_t begin = random() % view.size(), count = 1 + random() % (view.size() - begin);
    const auto held = orbweaver::hold(view.subspan(begin, count));
    ASSERT_FALSE(held.is_copy()) << begin << " " << count << " of " << view.size();
    ASSERT_EQ(held.view().data(), view.data() + begin);
  }
  // A range that begins in a loan and ends beyond it.
  for (const auto& loan : loans) {
    const auto view = loan.view();
    ASSERT_TRUE(orbweaver::hold(orbweaver::span<const double>(view.data() + view.size() - 1, 2)).is_copy());
  }
  loans.clear();
  EXPECT_EQ(blocks::pool_used(), 0u);
}

TEST(BlockTransfer, KeepsABlockHeldByACopyOfTheHold) {
  orbweaver::HeldView<double> copy;
  {
    const auto block = orbweaver::loan<double>(1024);
    const auto held = orbweaver::hold(block.view());
    copy = held;
  }
  EXPECT_EQ(blocks::pool_used(), 8192u);
  copy = {};
  EXPECT_EQ(blocks::pool_used(), 0u);
}

TEST(BlockTransfer, RejectsAGrantWhoseSlotIsHeld) {
  Ends ends;
  const auto block = orbweaver::loan<double>(1024);
  BlockDescription d;
  ASSERT_TRUE(ends.exporter.export_block(block.view().data(), 8192, d));
  const auto* seen = static_cast<const double*>(ends.importer.import_block(d, 8192, 8));
  auto held = orbweaver::hold(orbweaver::span<const double>(seen, 1024));
  ends.importer.release();
  d.grant += blocks::kMaxGrants;
  EXPECT_EQ(ends.importer.import_block(d, 8192, 8), nullptr);
  held = {};
  EXPECT_NE(ends.importer.import_block(d, 8192, 8), nullptr) << "the slot is free after the return";
}

TEST(BlockTransfer, RejectsAFileThatIsNoPool) {
  Ends ends;
  auto small = platform::make_memory_file("small", platform::page_bytes());
  const struct {
    std::uint32_t magic = 0x4c42574f, liveness_fds = 1;
    std::uint64_t bytes = std::uint64_t{1} << 40;  // more than the file has
  } message;
  const int fds[] = {small.fd.get(), small.fd.get(), small.fd.get(), small.fd.get(), small.fd.get()};
  platform::send_fds(ends.sockets.first, {reinterpret_cast<const std::uint8_t*>(&message), sizeof message},
                     fds, platform::Blocking::no);
  EXPECT_EQ(ends.importer.import_block({0, 0, 0, 4096, 0}, 4096, 8), nullptr);
  EXPECT_EQ(ends.importer.import_block({1, 0, 0, 4096, 0}, 4096, 8), nullptr) << "nothing was sent";
}

TEST(BlockTransfer, SurvivesAnImporterThatOverwritesThePage) {
  auto sockets = platform::make_socket_pair();
  std::mt19937_64 random(7);
  auto kept = orbweaver::loan<double>(1024);
  std::fill(kept.begin(), kept.end(), 1.0);
  {
    blocks::BlockExporter exporter(sockets.first);
    BlockDescription d;
    ASSERT_TRUE(exporter.export_block(kept.data(), 8192, d));
    std::array<std::uint8_t, 64> bytes;
    std::array<platform::Fd, 8> fds;
    ASSERT_EQ(platform::recv_fds(sockets.second, bytes, fds, platform::Blocking::no).error, 0);
    auto page = platform::map_shared(fds[1], {{0, platform::page_bytes(), 1}});
    ASSERT_TRUE(page);
    EXPECT_FALSE(platform::map_shared(fds[0], {{0, platform::page_bytes(), 1}})) << "the pool is writable";
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t word = random();
      std::memcpy(page.mapping.data() + random() % (platform::page_bytes() - 8), &word, 8);
      if (i % 3 == 0) std::memset(page.mapping.data(), i % 2 ? 0xff : 0, 64);
      auto block = orbweaver::loan<double>(1024);
      block[0] = 2;
      (void)exporter.export_block(block.data(), 8192, d);
      exporter.sent();
    }
    for (const double value : kept.view()) ASSERT_EQ(value, 1.0);
  }
  sockets = {};  // the grants that the importer held are reclaimed when its socket closes
  EXPECT_EQ(blocks::pool_used(), 8192u);
}

TEST(BlockTransfer, CopiesOnlyTheBlocksThatHavePassedThroughTooManyProcesses) {
  std::deque<Ends> chain(blocks::kMaxForwards + 1);
  const auto block = orbweaver::loan<double>(1024);
  const void* seen = block.view().data();
  BlockDescription d;
  for (std::size_t i = 0; i < blocks::kMaxForwards; ++i) {
    ASSERT_TRUE(chain[i].exporter.export_block(seen, 8192, d)) << i;
    chain[i].exporter.sent();
    ASSERT_NE(seen = chain[i].importer.import_block(d, 8192, 8), nullptr) << i;
  }
  Ends& last = chain.back();
  EXPECT_FALSE(last.exporter.export_block(seen, 8192, d));
  EXPECT_TRUE(last.exporter.export_block(block.view().data(), 8192, d));
  last.exporter.sent();
  EXPECT_NE(last.importer.import_block(d, 8192, 8), nullptr);
}

TEST(BlockTransfer, ForwardsBlocksOfMoreRegionsThanAreOpenAtOnce) {
  Ends last;
  for (std::size_t i = 0; i < 3 * blocks::kMaxRegions; ++i) {
    Ends first;
    BlockDescription d;
    {
      const auto block = orbweaver::loan<double>(1024);
      ASSERT_TRUE(first.exporter.export_block(block.view().data(), 8192, d));
    }
    first.exporter.sent();
    const void* const seen = first.importer.import_block(d, 8192, 8);
    ASSERT_NE(seen, nullptr);
    ASSERT_TRUE(last.exporter.export_block(seen, 8192, d)) << i;
    last.exporter.sent();
    EXPECT_EQ(d.region, i);
    ASSERT_NE(last.importer.import_block(d, 8192, 8), nullptr) << i;
    last.importer.release();
    first.importer.release();
    EXPECT_TRUE(becomes_true([] { return blocks::pool_used() == 0; }));
  }
}

TEST(BlockTransfer, DecodesABlockIntoAVector) {
  Ends ends;
  auto block = orbweaver::loan<double>(1024);
  std::fill(block.begin(), block.end(), 6.0);
  alignas(8) std::uint8_t buffer[256];
  cdr::Encoder out(buffer, sizeof buffer);
  out.blocks(&ends.exporter);
  cdr::encode(out, block.view());
  ASSERT_TRUE(out.ok());
  cdr::Decoder in(buffer, out.size(), false);
  in.blocks(&ends.importer);
  std::vector<double> values;
  cdr::decode(in, values);
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(values, std::vector<double>(1024, 6.0));
  EXPECT_EQ(in.remaining(), 0u);
  cdr::Decoder without(buffer, out.size(), false);
  cdr::decode(without, values);
  EXPECT_EQ(without.fault(), cdr::Fault::bad_length);
}

TEST(BlockTransfer, RejectsRegionsBeyondTheDescriptorsOfAUser) {
  constexpr std::size_t kDescriptors = 400, kPerRegion = 4;  // file, two events and liveness
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = kDescriptors;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  {
    const auto block = orbweaver::loan<double>(1024);
    std::deque<Ends> all;
    const auto transfers = [&] {
      BlockDescription d;
      Ends& ends = all.emplace_back();
      EXPECT_TRUE(ends.exporter.export_block(block.view().data(), 8192, d));
      ends.exporter.sent();
      const bool imported = ends.importer.import_block(d, 8192, 8) != nullptr;
      ends.importer.release();
      return imported;
    };
    for (std::size_t i = 0; i < kDescriptors / 8 / kPerRegion; ++i) EXPECT_TRUE(transfers()) << i;
    EXPECT_FALSE(blocks::may_export_regions(platform::user_id()))
        << "a further connection would exceed the limit";
    EXPECT_FALSE(transfers());
    blocks::BlockExporter& rejected = all.back().exporter;
    EXPECT_TRUE(becomes_true([&] {  // once the exporter has seen the close of its liveness descriptor
      BlockDescription d;
      const bool exported = rejected.export_block(block.view().data(), 8192, d);
      rejected.revoke_unsent();
      return !exported;
    }));
    all.pop_front();
    EXPECT_TRUE(transfers());
  }
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(blocks::pool_used(), 0u);
  EXPECT_TRUE(blocks::may_export_regions(platform::user_id()));
}

/// Random loans, grants, holds and returns: held blocks keep their contents, and all blocks return to the
/// pool.
TEST(BlockTransfer, KeepsContentsThroughRandomUse) {
  std::mt19937 random(11);
  {
    Ends ends;
    std::deque<std::pair<orbweaver::HeldView<double>, double>> held;
    for (int i = 0; i < 20'000; ++i) {
      const std::size_t count = 512 + random() % 4096;
      auto block = orbweaver::loan<double>(count);
      std::fill(block.begin(), block.end(), i);
      BlockDescription d;
      const std::size_t begin = random() % 256;
      if (!ends.exporter.export_block(block.data() + begin, (count - begin) * 8, d)) continue;
      ends.exporter.sent();
      if (random() % 8 == 0) continue;  // never imported
      const auto* at = static_cast<const double*>(ends.importer.import_block(d, (count - begin) * 8, 8));
      ASSERT_NE(at, nullptr) << i;
      if (random() % 2)
        held.emplace_back(orbweaver::hold(orbweaver::span<const double>(at, count - begin)), i);
      ends.importer.release();
      while (held.size() > 60 || (!held.empty() && random() % 3 == 0)) {
        const std::size_t which = random() % held.size();
        ASSERT_FALSE(held[which].first.is_copy());
        for (const double value : held[which].first.view()) ASSERT_EQ(value, held[which].second);
        held.erase(held.begin() + static_cast<std::ptrdiff_t>(which));
      }
    }
  }
  EXPECT_EQ(blocks::pool_used(), 0u);
}

}  // namespace
}  // namespace blocktest
