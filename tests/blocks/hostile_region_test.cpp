// Hostile importers, which return false grants, hostile exporters, which announce invalid regions, and writes
// to an imported block. One end is the library's, the other end is implemented here.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <orbweaver/loan.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <optional>
#include <thread>

#include "platform/hangup_watch.h"
#include "platform/memory.h"
#include "platform/pipe.h"
#include "platform/process_identity.h"
#include "platform/socket.h"
#include "platform/testing/becomes_true.h"
#include "transport/blocks/block_transfer.h"
#include "transport/blocks/pool.h"

namespace blocktest {
namespace {

namespace blocks = orbweaver::transport::blocks;
namespace platform = orbweaver::platform;
using orbweaver::BlockDescription;
using orbweaver::platform::testing::becomes_true;

/// The library's exporter with a raw importer, which has only the control page, the liveness descriptor and
/// the memory.
class FalseImporter {
 public:
  bool is_given(const void* data, std::size_t bytes) {
    BlockDescription d;
    const bool exported = block_exporter_.export_block(data, bytes, d);
    block_exporter_.sent();
    if (!page_) {
      std::array<std::uint8_t, 64> message;
      platform::recv_fds(sockets_.second, message, fds_, platform::Blocking::no);
      page_ = std::move(platform::map_shared(fds_[1], {{0, platform::page_bytes(), 1}}).mapping);
    }
    return exported;
  }
  blocks::RegionWords& words() { return *reinterpret_cast<blocks::RegionWords*>(page_.data()); }
  const platform::Fd& notification_fd() const { return fds_[2]; }
  void close_notification_fd() { fds_[2] = {}; }
  /// Those of this region, and of the exporters before.
  std::span<const platform::Fd> liveness_fds() const { return std::span(fds_).subspan(3); }

 private:
  platform::SocketPair sockets_ = platform::make_socket_pair();
  blocks::BlockExporter block_exporter_{sockets_.first};
  std::array<platform::Fd, 8> fds_;
  platform::Mapping page_;
};

/// The library's exporter and importer in one process.
struct Ends {
  platform::SocketPair sockets = platform::make_socket_pair();
  blocks::BlockExporter exporter{sockets.first};
  blocks::BlockImporter importer{sockets.second};
};

/// A block of ones that is granted to a hostile and to a correct importer. Its loan has ended.
struct GrantedToBoth {
  GrantedToBoth() {
    auto block = orbweaver::loan<double>(1024);
    std::fill(block.begin(), block.end(), 1.0);
    BlockDescription d;
    EXPECT_TRUE(false_one.is_given(block.data(), 8192));
    EXPECT_TRUE(honest.exporter.export_block(block.data(), 8192, d));
    honest.exporter.sent();
    seen = static_cast<const double*>(honest.importer.import_block(d, 8192, 8));
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

  FalseImporter false_one;
  Ends honest;
  const double* seen = nullptr;
};

TEST(HostileImporter, CountsARepeatedReturnOnce) {
  GrantedToBoth out;
  blocks::RegionWords& words = out.false_one.words();
  words.imported = 1;
  for (int i = 0; i < 100; ++i) {
    words.held[0] = i % 2;
    blocks::pool_used();
    words.imported = i % 3;
    blocks::pool_used();
  }
  out.expect_unchanged();
  out.honest.importer.release();
  EXPECT_EQ(blocks::pool_used(), 0u);
}

TEST(HostileImporter, FreesNothingThatWasNotGranted) {
  GrantedToBoth out;
  blocks::RegionWords& words = out.false_one.words();
  for (const std::uint64_t imported :
       {std::uint64_t{5}, std::uint64_t{256}, std::uint64_t{257}, ~std::uint64_t{0}}) {
    words.imported = imported;
    blocks::pool_used();
    out.expect_unchanged();
  }
  words.imported = 0;
  out.honest.importer.release();
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

/// Returns when the process's watch has handled all hang-ups before the call.
void wait_for_earlier_hang_ups() {
  auto ends = platform::make_socket_pair();
  std::atomic<bool> noticed{false};
  const platform::HangupWatch watch(ends.first, [&] { noticed = true; });
  ends.second = {};
  EXPECT_TRUE(becomes_true([&] { return noticed.load(); }));
}

TEST(HostileImporter, ReturnsNoBlockOfAnEarlierImporter) {
  GrantedToBoth out;  // to `out.honest`, which forwards the block
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
  out.false_one.words().imported = 1;  // and returned
  wait_for_earlier_hang_ups();
  out.expect_unchanged();
}

TEST(HostileImporter, SurvivesEndlessNotifications) {
  GrantedToBoth out;
  std::atomic<bool> done{false};
  std::thread notifier([&] {
    const std::array<std::uint8_t, 256> notifications{};
    while (!done) platform::send(out.false_one.notification_fd(), notifications, platform::Blocking::no);
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

/// A raw exporter: the socket, and the descriptors of one region.
struct FalseExporter {
  static constexpr std::uint64_t kBytes = 16384;
  struct Message {
    std::uint32_t magic = 0x4c42574f, liveness_fds = 1;
    std::uint64_t bytes = kBytes;
  };
  FalseExporter() { std::memset(memory.mapping.data(), 0, kBytes); }

  void announces(const Message& message, std::initializer_list<int> fds) {
    const std::vector<int> all(fds);
    platform::send_fds(sockets.first, {reinterpret_cast<const std::uint8_t*>(&message), sizeof message}, all,
                       platform::Blocking::no);
    ++announced;
  }
  /// Imports a block of the last region announced.
  bool is_believed() { return importer.import_block({announced - 1, 0, 0, 4096, 0}, 4096, 8) != nullptr; }

  platform::SocketPair sockets = platform::make_socket_pair(), notification = platform::make_socket_pair();
  platform::Pipe liveness = platform::make_pipe();
  std::uint32_t announced = 0;
  platform::ExportedMemory memory = platform::make_exported_memory("test", kBytes);
  platform::Fd page = std::move(platform::make_memory_file("test", platform::page_bytes()).fd);
  int file = memory.file.get(), words = page.get(), notification_fd = notification.second.get(),
      liveness_fd = liveness.write.get();
  blocks::BlockImporter importer{sockets.second};
};

TEST(HostileExporterMessage, AcceptsAValidRegion) {
  FalseExporter false_exporter;
  false_exporter.announces({}, {false_exporter.file, false_exporter.words, false_exporter.notification_fd,
                                false_exporter.liveness_fd});
  EXPECT_TRUE(false_exporter.is_believed());
}

TEST(HostileExporterMessage, RejectsAMissingMessageOrDescriptor) {
  FalseExporter false_exporter;
  EXPECT_EQ(false_exporter.importer.import_block({0, 0, 0, 4096, 0}, 4096, 8), nullptr);
  false_exporter.announces({}, {false_exporter.file, false_exporter.words, false_exporter.notification_fd});
  EXPECT_FALSE(false_exporter.is_believed());
  false_exporter.announces({}, {});
  EXPECT_FALSE(false_exporter.is_believed());
}

TEST(HostileExporterMessage, RejectsInvalidMagicAndLivenessCounts) {
  FalseExporter false_exporter;
  FalseExporter::Message message;
  message.magic = 1;
  false_exporter.announces(message, {false_exporter.file, false_exporter.words,
                                     false_exporter.notification_fd, false_exporter.liveness_fd});
  EXPECT_FALSE(false_exporter.is_believed());
  for (const std::uint32_t liveness_fds : {0u, 2u, 17u, 0x7fffffffu, 0xffffffffu}) {
    message = {};
    message.liveness_fds = liveness_fds;
    false_exporter.announces(message, {false_exporter.file, false_exporter.words,
                                       false_exporter.notification_fd, false_exporter.liveness_fd});
    EXPECT_FALSE(false_exporter.is_believed()) << liveness_fds;
  }
}

TEST(HostileExporterMessage, RejectsMemoryOfAnotherSize) {
  FalseExporter false_exporter;
  for (const std::uint64_t bytes :
       {std::uint64_t{0}, std::uint64_t{1}, FalseExporter::kBytes - 4096, FalseExporter::kBytes + 4096,
        FalseExporter::kBytes + 1, std::uint64_t{1} << 40, ~std::uint64_t{4095}, ~std::uint64_t{0}}) {
    FalseExporter::Message message;
    message.bytes = bytes;
    false_exporter.announces(message, {false_exporter.file, false_exporter.words,
                                       false_exporter.notification_fd, false_exporter.liveness_fd});
    EXPECT_FALSE(false_exporter.is_believed()) << bytes;
  }
}

TEST(HostileExporterMessage, RejectsWritableMemory) {
  FalseExporter false_exporter;
  const auto open = platform::make_memory_file("test", FalseExporter::kBytes);
  false_exporter.announces(
      {}, {open.fd.get(), false_exporter.words, false_exporter.notification_fd, false_exporter.liveness_fd});
  EXPECT_FALSE(false_exporter.is_believed());
}

TEST(HostileExporterMessage, RejectsMemoryThatIsNoMultipleOfThePage) {
  FalseExporter false_exporter;
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{5000}}) {
    const platform::Fd file(memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    ASSERT_EQ(ftruncate(file.get(), static_cast<off_t>(bytes)), 0);
    if (bytes != 0) {
      ASSERT_EQ(fallocate(file.get(), 0, 0, static_cast<off_t>(bytes)), 0);
    }
    ASSERT_EQ(fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE), 0);
    FalseExporter::Message message;
    message.bytes = bytes;
    false_exporter.announces(message, {file.get(), false_exporter.words, false_exporter.notification_fd,
                                       false_exporter.liveness_fd});
    EXPECT_FALSE(false_exporter.is_believed()) << bytes;
  }
}

TEST(HostileExporterMessage, RejectsAnInvalidControlPage) {
  FalseExporter false_exporter;
  const auto large = platform::make_memory_file("test", 2 * platform::page_bytes());
  for (const int page : {large.fd.get(), false_exporter.liveness_fd, false_exporter.file}) {
    false_exporter.announces(
        {}, {false_exporter.file, page, false_exporter.notification_fd, false_exporter.liveness_fd});
    EXPECT_FALSE(false_exporter.is_believed());
  }
}

TEST(HostileExporterMessage, RejectsDescriptorsOfAnotherKind) {
  FalseExporter false_exporter;
  const platform::Fd tcp(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const platform::Fd listening(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr any_name{AF_UNIX, {}};
  ASSERT_EQ(bind(listening.get(), &any_name, sizeof any_name.sa_family) + listen(listening.get(), 1), 0);
  const platform::WakeupFd event;
  const auto pipe = platform::make_pipe();
  const int file = false_exporter.file, words = false_exporter.words,
            notification_fd = false_exporter.notification_fd, liveness_fd = false_exporter.liveness_fd;
  for (const int other : {event.fd().get(), tcp.get(), listening.get(), pipe.write.get(), file}) {
    false_exporter.announces({}, {file, words, other, liveness_fd});
    EXPECT_FALSE(false_exporter.is_believed());
  }
  FalseExporter::Message two;
  two.liveness_fds = 2;
  for (const int other : {event.fd().get(), tcp.get(), pipe.read.get(), file, notification_fd}) {
    false_exporter.announces(two, {file, words, notification_fd, liveness_fd, other});
    EXPECT_FALSE(false_exporter.is_believed());
  }
  false_exporter.announces(two, {file, words, notification_fd, liveness_fd, pipe.write.get()});
  EXPECT_TRUE(false_exporter.is_believed());
}

TEST(HostileExporterMessage, CountsARegionThatIsRejected) {
  FalseExporter false_exporter;
  false_exporter.announces({}, {});
  EXPECT_FALSE(false_exporter.is_believed());
  false_exporter.announces({}, {false_exporter.file, false_exporter.words, false_exporter.notification_fd,
                                false_exporter.liveness_fd});
  EXPECT_TRUE(false_exporter.is_believed());
}

TEST(HostileExporterMessage, MayBeFollowedByOthersBeforeItsFirstDescription) {
  FalseExporter false_exporter;
  for (int i = 0; i < 3; ++i) {
    false_exporter.page = std::move(platform::make_memory_file("test", platform::page_bytes()).fd);
    false_exporter.announces({}, {false_exporter.file, false_exporter.page.get(),
                                  false_exporter.notification_fd, false_exporter.liveness_fd});
  }
  EXPECT_TRUE(false_exporter.is_believed()) << "the two before have not been described";
  EXPECT_EQ(false_exporter.importer.import_block({4, 0, 0, 4096, 0}, 4096, 8), nullptr) << "not announced";
}

TEST(HostileExporterMessage, TakesNoPlaceIfItIsRejected) {
  FalseExporter false_exporter;
  for (std::size_t i = 0; i <= blocks::kMaxRegions; ++i) {
    false_exporter.announces({}, {});
    EXPECT_FALSE(false_exporter.is_believed());
  }
  false_exporter.announces({}, {false_exporter.file, false_exporter.words, false_exporter.notification_fd,
                                false_exporter.liveness_fd});
  EXPECT_TRUE(false_exporter.is_believed());
}

TEST(HostileExporterMessage, RejectsMoreThanSixteenRegions) {
  FalseExporter false_exporter;
  for (std::uint32_t region = 0; region < blocks::kMaxRegions; ++region) {
    false_exporter.announces({}, {false_exporter.file, false_exporter.words, false_exporter.notification_fd,
                                  false_exporter.liveness_fd});
    ASSERT_TRUE(false_exporter.is_believed()) << region;
    false_exporter.page = std::move(platform::make_memory_file("test", platform::page_bytes()).fd);
    false_exporter.words = false_exporter.page.get();
  }
  false_exporter.announces({}, {false_exporter.file, false_exporter.words, false_exporter.notification_fd,
                                false_exporter.liveness_fd});
  EXPECT_FALSE(false_exporter.is_believed());
}

TEST(ReturnNotification, IsSentOnceWhenRequested) {
  FalseExporter false_exporter;
  false_exporter.announces({}, {false_exporter.file, false_exporter.words, false_exporter.notification_fd,
                                false_exporter.liveness_fd});
  const auto page = platform::map_shared(false_exporter.page, {{0, platform::page_bytes(), 1}});
  ASSERT_TRUE(page);
  auto& words = *reinterpret_cast<blocks::RegionWords*>(page.mapping.data());
  std::uint8_t notifications[64];
  const auto notifications_after_grant = [&](std::uint64_t grant) {
    EXPECT_NE(false_exporter.importer.import_block({0, grant, 0, 4096, 0}, 4096, 8), nullptr);
    EXPECT_EQ(words.held[grant], 1u);
    false_exporter.importer.release();
    EXPECT_EQ(words.held[grant], 0u);
    return platform::recv(false_exporter.notification.first, notifications, platform::Blocking::no).bytes;
  };
  EXPECT_EQ(notifications_after_grant(0), 0u);
  words.notify_on_return = 1;
  EXPECT_EQ(notifications_after_grant(1), 1u);
  EXPECT_EQ(words.notify_on_return, 0u);
  EXPECT_EQ(notifications_after_grant(2), 0u);
}

TEST(ReturnNotification, IsRequestedForAGrantMadeWhileAThreadWaitsForABlock) {
  blocks::set_pool_bytes(std::size_t{8} << 20);  // as the other tests of this program
  auto whole = orbweaver::loan<std::uint8_t>(blocks::pool_bytes());
  std::thread waiting([] { orbweaver::loan<std::uint8_t>(4096); });
  EXPECT_TRUE(becomes_true([] { return blocks::has_loan_waiters(); }));
  FalseImporter importer;
  EXPECT_TRUE(importer.is_given(whole.data(), 4096));
  EXPECT_EQ(importer.words().notify_on_return, 1u);
  { const auto ended = std::move(whole); }
  importer.words().imported = 1;  // and returned
  const std::uint8_t notification[1] = {1};
  platform::send(importer.notification_fd(), std::span<const std::uint8_t>(notification),
                 platform::Blocking::no);
  waiting.join();
}

TEST(ReturnNotification, IsHandledIfItArrivesWithTheHangUp) {
  blocks::set_pool_bytes(std::size_t{8} << 20);  // as the other tests of this program
  auto whole = orbweaver::loan<std::uint8_t>(blocks::pool_bytes());
  std::optional<FalseImporter> importer(std::in_place);
  ASSERT_TRUE(importer->is_given(whole.data(), 4096));
  { const auto ended = std::move(whole); }
  const platform::Fd later_holder(dup(importer->liveness_fds()[0].get()));
  std::thread waiting([] { orbweaver::loan<std::uint8_t>(4096); });
  EXPECT_TRUE(becomes_true([&] { return importer->words().notify_on_return == 1; }));
  {
    // The watch's thread is in another callback until the importer has ended.
    std::atomic<bool> in_callback{false}, may_return{false};
    auto ends = platform::make_socket_pair();
    const platform::HangupWatch watch(ends.first, [&] {
      in_callback = true;
      may_return.wait(false);
    });
    ends.second = {};
    EXPECT_TRUE(becomes_true([&] { return in_callback.load(); }));
    importer->words().imported = 1;  // and returned
    const std::uint8_t notification[1] = {1};
    platform::send(importer->notification_fd(), std::span<const std::uint8_t>(notification),
                   platform::Blocking::no);
    importer->close_notification_fd();
    may_return = true;
    may_return.notify_all();
  }
  waiting.join();
}

TEST(HostileExporterMessage, KeepsAHeldBlockAfterTheConnection) {
  std::optional<FalseExporter> false_exporter(std::in_place);
  false_exporter->announces({}, {false_exporter->file, false_exporter->words, false_exporter->notification_fd,
                                 false_exporter->liveness_fd});
  const auto* at =
      static_cast<const double*>(false_exporter->importer.import_block({0, 0, 0, 8192, 0}, 8192, 8));
  ASSERT_NE(at, nullptr);
  orbweaver::HeldView<double> held = orbweaver::hold(orbweaver::span<const double>(at, 1024));
  const platform::Fd our_end = std::move(false_exporter->liveness.read);
  false_exporter.reset();
  EXPECT_FALSE(held.is_copy());
  EXPECT_EQ(held.view()[1023], 0.0);
  EXPECT_EQ(platform::poll(our_end, platform::kReadable, platform::Deadline::in_ns(0)) & platform::kHungUp,
            0u);
  held = {};
  EXPECT_NE(platform::poll(our_end, platform::kReadable, platform::Deadline::in_ns(0)) & platform::kHungUp,
            0u)
      << "the liveness descriptor is kept although no block is held";
}

/// Whether all write ends of a pipe are closed.
bool hung_up(const platform::Fd& pipe) {
  return (platform::poll(pipe, platform::kReadable, platform::Deadline::in_ns(0)) & platform::kHungUp) != 0;
}

TEST(RegionEnd, ClosesInheritedDescriptorsWhenNoBlockIsInUse) {
  FalseExporter false_exporter;
  auto inherited = platform::make_pipe();
  FalseExporter::Message message;
  message.liveness_fds = 2;
  false_exporter.announces(message,
                           {false_exporter.file, false_exporter.words, false_exporter.notification_fd,
                            false_exporter.liveness_fd, inherited.write.get()});
  inherited.write = {};
  const auto* at =
      static_cast<const double*>(false_exporter.importer.import_block({0, 0, 0, 8192, 0}, 8192, 8));
  ASSERT_NE(at, nullptr);
  orbweaver::HeldView<double> held = orbweaver::hold(orbweaver::span<const double>(at, 1024));
  false_exporter.importer.release();
  const std::uint8_t announcement[1] = {1};
  platform::send(false_exporter.notification.first, std::span<const std::uint8_t>(announcement),
                 platform::Blocking::no);
  std::uint64_t grant = 1;
  EXPECT_TRUE(becomes_true([&] {
    const bool accepted =
        false_exporter.importer.import_block({0, grant++, 8192, 4096, 0}, 4096, 8) != nullptr;
    false_exporter.importer.release();
    return !accepted;
  })) << "an ended region has no further blocks";
  EXPECT_FALSE(hung_up(inherited.read)) << "a block is still in use";
  held = {};
  EXPECT_TRUE(hung_up(inherited.read));
}

TEST(RegionEnd, IsNotTheHangUpOfTheExporter) {
  FalseExporter false_exporter;
  auto inherited = platform::make_pipe();
  FalseExporter::Message message;
  message.liveness_fds = 2;
  false_exporter.announces(message,
                           {false_exporter.file, false_exporter.words, false_exporter.notification_fd,
                            false_exporter.liveness_fd, inherited.write.get()});
  inherited.write = {};
  EXPECT_TRUE(false_exporter.is_believed());
  false_exporter.importer.release();
  false_exporter.notification.first = {};  // as if the exporter had died, with descriptions still unread
  wait_for_earlier_hang_ups();
  EXPECT_NE(false_exporter.importer.import_block({0, 1, 0, 4096, 0}, 4096, 8), nullptr);
  false_exporter.importer.release();
  EXPECT_FALSE(hung_up(inherited.read));
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
