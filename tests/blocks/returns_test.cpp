// Receivers that lie about what they return, givers that lie about the memory they hand over, and what a reader may do
// to what it is given. One end is this library's, the other one is written here.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <orbweaver/loan.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <optional>
#include <thread>

#include "platform/memory.h"
#include "platform/process_identity.h"
#include "platform/socket.h"
#include "transport/blocks/links.h"
#include "transport/blocks/pool.h"

namespace blocktest {
namespace {

namespace blocks = orbweaver::transport::blocks;
namespace platform = orbweaver::platform;
using orbweaver::BlockDescription;

/// An honest giver, and a receiver of which there is only the page, the lease and the memory.
class FalseReceiver {
 public:
  bool is_given(const void* data, std::size_t bytes) {
    BlockDescription d;
    const bool given = outbox_.give(data, bytes, d);
    outbox_.sent();
    if (!page_) {
      std::array<std::uint8_t, 64> message;
      platform::recv_fds(sockets_.there, message, fds_, platform::Block::no);
      page_ = std::move(platform::map_shared(fds_[1], {{0, platform::page_bytes(), 1}}).mapping);
    }
    return given;
  }
  blocks::LinkWords& words() { return *reinterpret_cast<blocks::LinkWords*>(page_.data()); }
  const platform::Fd& lease() const { return fds_[2]; }

 private:
  platform::SocketPair sockets_ = platform::make_socket_pair();
  blocks::Outbox outbox_{sockets_.here};
  std::array<platform::Fd, 8> fds_;
  platform::Mapping page_;
};

/// Both ends honest, in one process.
struct Ends {
  platform::SocketPair sockets = platform::make_socket_pair();
  blocks::Outbox outbox{sockets.here};
  blocks::Inbox inbox{sockets.there};
};

/// A block of ones that is out to both; this process has let go of it.
struct OutToBoth {
  OutToBoth() {
    auto block = orbweaver::loan<double>(1024);
    std::fill(block.begin(), block.end(), 1.0);
    BlockDescription d;
    EXPECT_TRUE(false_one.is_given(block.data(), 8192));
    EXPECT_TRUE(honest.outbox.give(block.data(), 8192, d));
    honest.outbox.sent();
    seen = static_cast<const double*>(honest.inbox.take(d, 8192, 8));
  }
  /// The honest receiver reads what was written, although all that is free is written over.
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

  FalseReceiver false_one;
  Ends honest;
  const double* seen = nullptr;
};

TEST(FalseReturn, OfTheSameGiftAgainAndAgainCountsOnce) {
  OutToBoth out;
  blocks::LinkWords& words = out.false_one.words();
  words.taken = 1;
  for (int i = 0; i < 100; ++i) {
    words.held[0] = i % 2;
    blocks::pool_used();
    words.taken = i % 3;
    blocks::pool_used();
  }
  out.expect_unchanged();
  out.honest.inbox.release();
  EXPECT_EQ(blocks::pool_used(), 0u);
}

TEST(FalseReturn, OfWhatWasNeverGivenFreesNothing) {
  OutToBoth out;
  blocks::LinkWords& words = out.false_one.words();
  for (const std::uint64_t taken : {std::uint64_t{5}, std::uint64_t{256}, std::uint64_t{257}, ~std::uint64_t{0}}) {
    words.taken = taken;
    blocks::pool_used();
    out.expect_unchanged();
  }
  words.taken = 0;
  out.honest.inbox.release();
  EXPECT_EQ(blocks::pool_used(), 0u) << "the false one has returned its own";
}

TEST(FalseReturn, OfOneGiftLeavesTheOthersOut) {
  FalseReceiver receiver;
  auto first = orbweaver::loan<double>(1024), second = orbweaver::loan<double>(1024);
  EXPECT_TRUE(receiver.is_given(first.data(), 8192));
  EXPECT_TRUE(receiver.is_given(second.data(), 8192));
  { const auto let_go = std::move(first), and_that = std::move(second); }
  receiver.words().held[0] = 1;
  receiver.words().taken = 2;
  EXPECT_EQ(blocks::pool_used(), 8192u) << "the second was returned, the first is held";
  receiver.words().held[0] = 0;
  EXPECT_EQ(blocks::pool_used(), 0u);
}

TEST(FalseReturn, RingsWithoutEndKeepNobodyBusyForEver) {
  OutToBoth out;
  std::atomic<bool> done{false};
  std::thread ringer([&] {
    const std::array<std::uint8_t, 256> rings{};
    while (!done) platform::send(out.false_one.lease(), rings, platform::Block::no);
  });
  Ends others;
  for (int i = 0; i < 200; ++i) {
    auto block = orbweaver::loan<double>(1024);
    BlockDescription d;
    ASSERT_TRUE(others.outbox.give(block.data(), 8192, d));
    others.outbox.sent();
    ASSERT_NE(others.inbox.take(d, 8192, 8), nullptr);
    others.inbox.release();
  }
  done = true;
  ringer.join();
  out.expect_unchanged();
}

/// A giver of which there is only the socket.
struct FalseGiver {
  static constexpr std::uint64_t kBytes = 16384;
  struct Message {
    std::uint32_t magic = 0x4c42574f, leases = 1;
    std::uint64_t bytes = kBytes;
  };
  FalseGiver() { std::memset(memory.mapping.data(), 0, kBytes); }

  void announces(const Message& message, std::initializer_list<int> fds) {
    const std::vector<int> all(fds);
    platform::send_fds(sockets.here, {reinterpret_cast<const std::uint8_t*>(&message), sizeof message}, all, platform::Block::no);
  }
  bool is_believed(std::uint32_t link = 0) { return inbox.take({link, 0, 0, 4096, 0}, 4096, 8) != nullptr; }

  platform::SocketPair sockets = platform::make_socket_pair(), leases = platform::make_socket_pair();
  platform::LentMemory memory = platform::make_lent_memory("test", kBytes);
  platform::Fd page = std::move(platform::make_memory_file("test", platform::page_bytes()).fd);
  int file = memory.file.get(), words = page.get(), lease = leases.there.get();
  blocks::Inbox inbox{sockets.there};
};

TEST(FalseLink, AGoodOneIsBelieved) {
  FalseGiver giver;
  giver.announces({}, {giver.file, giver.words, giver.lease});
  EXPECT_TRUE(giver.is_believed());
}

TEST(FalseLink, OneWithoutAMessageOrADescriptorIsNot) {
  EXPECT_FALSE(FalseGiver().is_believed());
  FalseGiver giver;
  giver.announces({}, {giver.file, giver.words});
  EXPECT_FALSE(giver.is_believed());
  giver.announces({}, {});
  EXPECT_FALSE(giver.is_believed());
}

TEST(FalseLink, OneOfAnotherKindOrWithTooManyLeasesIsNot) {
  FalseGiver giver;
  FalseGiver::Message message;
  message.magic = 1;
  giver.announces(message, {giver.file, giver.words, giver.lease});
  EXPECT_FALSE(giver.is_believed());
  for (const std::uint32_t leases : {0u, 2u, 7u, 0x7fffffffu, 0xffffffffu}) {
    message = {};
    message.leases = leases;
    giver.announces(message, {giver.file, giver.words, giver.lease});
    EXPECT_FALSE(giver.is_believed()) << leases;
  }
}

TEST(FalseLink, MemoryOfAnotherSizeIsNotMapped) {
  FalseGiver giver;
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1}, FalseGiver::kBytes - 4096, FalseGiver::kBytes + 4096,
                                    FalseGiver::kBytes + 1, std::uint64_t{1} << 40, ~std::uint64_t{4095}, ~std::uint64_t{0}}) {
    FalseGiver::Message message;
    message.bytes = bytes;
    giver.announces(message, {giver.file, giver.words, giver.lease});
    EXPECT_FALSE(giver.is_believed()) << bytes;
  }
}

TEST(FalseLink, MemoryThatOthersCanWriteToOrPunchHolesIntoIsNotMapped) {
  FalseGiver giver;
  const auto open = platform::make_memory_file("test", FalseGiver::kBytes);
  giver.announces({}, {open.fd.get(), giver.words, giver.lease});
  EXPECT_FALSE(giver.is_believed());
}

TEST(FalseLink, MemoryThatIsNotMadeOfPagesIsNotMapped) {
  FalseGiver giver;
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{5000}}) {
    const platform::Fd file(memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    ASSERT_EQ(ftruncate(file.get(), static_cast<off_t>(bytes)), 0);
    if (bytes != 0) {
      ASSERT_EQ(fallocate(file.get(), 0, 0, static_cast<off_t>(bytes)), 0);
    }
    ASSERT_EQ(fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE), 0);
    FalseGiver::Message message;
    message.bytes = bytes;
    giver.announces(message, {file.get(), giver.words, giver.lease});
    EXPECT_FALSE(giver.is_believed()) << bytes;
  }
}

TEST(FalseLink, APageThatIsNoneIsNotMapped) {
  FalseGiver giver;
  const auto large = platform::make_memory_file("test", 2 * platform::page_bytes());
  for (const int page : {large.fd.get(), giver.lease, giver.file}) {
    giver.announces({}, {giver.file, page, giver.lease});
    EXPECT_FALSE(giver.is_believed());
  }
}

TEST(FalseLink, OfMoreThanSixteenTheRestIsNotTaken) {
  FalseGiver giver;
  for (std::uint32_t link = 0; link < blocks::kLinks; ++link) {
    giver.announces({}, {giver.file, giver.words, giver.lease});
    ASSERT_TRUE(giver.is_believed(link));
    giver.page = std::move(platform::make_memory_file("test", platform::page_bytes()).fd);
    giver.words = giver.page.get();
  }
  giver.announces({}, {giver.file, giver.words, giver.lease});
  EXPECT_FALSE(giver.is_believed(blocks::kLinks));
}

TEST(AReturn, RingsOnceWhereItIsAskedForAndNotAtAllElsewhere) {
  FalseGiver giver;
  giver.announces({}, {giver.file, giver.words, giver.lease});
  const auto page = platform::map_shared(giver.page, {{0, platform::page_bytes(), 1}});
  ASSERT_TRUE(page);
  auto& words = *reinterpret_cast<blocks::LinkWords*>(page.mapping.data());
  std::uint8_t rings[64];
  const auto rung_by_gift = [&](std::uint64_t gift) {
    EXPECT_NE(giver.inbox.take({0, gift, 0, 4096, 0}, 4096, 8), nullptr);
    EXPECT_EQ(words.held[gift], 1u);
    giver.inbox.release();
    EXPECT_EQ(words.held[gift], 0u);
    return platform::recv(giver.leases.here, rings, platform::Block::no).bytes;
  };
  EXPECT_EQ(rung_by_gift(0), 0u);
  words.wanted = 1;
  EXPECT_EQ(rung_by_gift(1), 1u);
  EXPECT_EQ(words.wanted, 0u);
  EXPECT_EQ(rung_by_gift(2), 0u);
}

TEST(FalseLink, AHeldBlockOutlivesTheConnectionAndNothingElseDoes) {
  std::optional<FalseGiver> giver(std::in_place);
  giver->announces({}, {giver->file, giver->words, giver->lease});
  const auto* at = static_cast<const double*>(giver->inbox.take({0, 0, 0, 8192, 0}, 8192, 8));
  ASSERT_NE(at, nullptr);
  orbweaver::Held<double> held = orbweaver::hold(orbweaver::span<const double>(at, 1024));
  const platform::Fd our_end = std::move(giver->leases.here);
  giver.reset();
  EXPECT_FALSE(held.is_copy());
  EXPECT_EQ(held.view()[1023], 0.0);
  EXPECT_EQ(platform::poll(our_end, platform::kReadable, platform::Deadline::in_ns(0)) & platform::kHungUp, 0u);
  held = {};
  EXPECT_NE(platform::poll(our_end, platform::kReadable, platform::Deadline::in_ns(0)) & platform::kHungUp, 0u)
      << "the lease is kept although nothing is held";
}

TEST(TakenBlockDeathTest, WritingToWhatAnotherProcessLentFaults) {
  blocks::set_pool_bytes(std::size_t{8} << 20);  // death tests come first, and others count on that size
  Ends ends;
  const auto block = orbweaver::loan<double>(1024);
  BlockDescription d;
  ASSERT_TRUE(ends.outbox.give(block.view().data(), 8192, d));
  auto* const seen = static_cast<double*>(const_cast<void*>(ends.inbox.take(d, 8192, 8)));
  ASSERT_NE(seen, nullptr);
  EXPECT_DEATH(*static_cast<volatile double*>(seen) = 1.0, "");
}

}  // namespace
}  // namespace blocktest
