// Hostile exporters, which announce invalid regions, and the end of imported regions.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <orbweaver/loan.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <optional>

#include "platform/process_identity.h"
#include "raw_ends.h"

namespace blocktest {
namespace {

TEST(HostileExporterMessage, AcceptsAValidRegion) {
  FalseExporter false_exporter;
  false_exporter.announces();
  EXPECT_TRUE(false_exporter.is_believed());
}

TEST(HostileExporterMessage, RejectsAMissingMessageOrDescriptor) {
  FalseExporter false_exporter;
  EXPECT_EQ(false_exporter.importer.import_block({0, 0, 0, 4096, 0}, 4096, 8), nullptr);
  false_exporter.announces(
      {}, {false_exporter.file, false_exporter.words, false_exporter.returned, false_exporter.changed});
  EXPECT_FALSE(false_exporter.is_believed());
  false_exporter.announces({}, {});
  EXPECT_FALSE(false_exporter.is_believed());
}

TEST(HostileExporterMessage, RejectsInvalidMagicAndLivenessCounts) {
  FalseExporter false_exporter;
  FalseExporter::Message message;
  message.magic = 1;
  false_exporter.announces(message, {false_exporter.file, false_exporter.words, false_exporter.returned,
                                     false_exporter.changed, false_exporter.liveness_fd});
  EXPECT_FALSE(false_exporter.is_believed());
  for (const std::uint32_t liveness_fds : {0u, 2u, 17u, 0x7fffffffu, 0xffffffffu}) {
    message = {};
    message.liveness_fds = liveness_fds;
    false_exporter.announces(message, {false_exporter.file, false_exporter.words, false_exporter.returned,
                                       false_exporter.changed, false_exporter.liveness_fd});
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
    false_exporter.announces(message, {false_exporter.file, false_exporter.words, false_exporter.returned,
                                       false_exporter.changed, false_exporter.liveness_fd});
    EXPECT_FALSE(false_exporter.is_believed()) << bytes;
  }
}

TEST(HostileExporterMessage, RejectsWritableMemory) {
  FalseExporter false_exporter;
  const auto open = platform::make_memory_file("test", FalseExporter::kBytes);
  false_exporter.announces({}, {open.fd.get(), false_exporter.words, false_exporter.returned,
                                false_exporter.changed, false_exporter.liveness_fd});
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
    false_exporter.announces(message, {file.get(), false_exporter.words, false_exporter.returned,
                                       false_exporter.changed, false_exporter.liveness_fd});
    EXPECT_FALSE(false_exporter.is_believed()) << bytes;
  }
}

TEST(HostileExporterMessage, RejectsAnInvalidControlPage) {
  FalseExporter false_exporter;
  const auto large = platform::make_memory_file("test", 2 * platform::page_bytes());
  for (const int page : {large.fd.get(), false_exporter.liveness_fd, false_exporter.file}) {
    false_exporter.announces({}, {false_exporter.file, page, false_exporter.returned, false_exporter.changed,
                                  false_exporter.liveness_fd});
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
  const int file = false_exporter.file, words = false_exporter.words, returned = false_exporter.returned,
            changed = false_exporter.changed, liveness_fd = false_exporter.liveness_fd;
  for (const int other : {event.fd().get(), tcp.get(), listening.get(), false_exporter.sockets.first.get(),
                          pipe.write.get(), file}) {
    false_exporter.announces({}, {file, words, other, changed, liveness_fd});
    EXPECT_FALSE(false_exporter.is_believed());
    false_exporter.announces({}, {file, words, returned, other, liveness_fd});
    EXPECT_FALSE(false_exporter.is_believed());
  }
  FalseExporter::Message two;
  two.liveness_fds = 2;
  for (const int other : {event.fd().get(), tcp.get(), pipe.read.get(), file, returned}) {
    false_exporter.announces(two, {file, words, returned, changed, liveness_fd, other});
    EXPECT_FALSE(false_exporter.is_believed());
  }
  false_exporter.announces(two, {file, words, returned, changed, liveness_fd, pipe.write.get()});
  EXPECT_TRUE(false_exporter.is_believed());
}

TEST(HostileExporterMessage, CountsARegionThatIsRejected) {
  FalseExporter false_exporter;
  false_exporter.announces({}, {});
  EXPECT_FALSE(false_exporter.is_believed());
  false_exporter.announces();
  EXPECT_TRUE(false_exporter.is_believed());
}

TEST(HostileExporterMessage, MayBeFollowedByOthersBeforeItsFirstDescription) {
  FalseExporter false_exporter;
  for (int i = 0; i < 3; ++i) {
    false_exporter.page = std::move(platform::make_memory_file("test", platform::page_bytes()).fd);
    false_exporter.words = false_exporter.page.get();
    false_exporter.announces();
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
  false_exporter.announces();
  EXPECT_TRUE(false_exporter.is_believed());
}

TEST(HostileExporterMessage, RejectsMoreThanSixteenRegions) {
  FalseExporter false_exporter;
  for (std::uint32_t region = 0; region < blocks::kMaxRegions; ++region) {
    false_exporter.announces();
    ASSERT_TRUE(false_exporter.is_believed()) << region;
    false_exporter.page = std::move(platform::make_memory_file("test", platform::page_bytes()).fd);
    false_exporter.words = false_exporter.page.get();
  }
  false_exporter.announces();
  EXPECT_FALSE(false_exporter.is_believed());
}

TEST(HostileExporterMessage, KeepsAHeldBlockAfterTheConnection) {
  std::optional<FalseExporter> false_exporter(std::in_place);
  false_exporter->announces();
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

TEST(RegionEnd, ClosesInheritedDescriptorsWhenNoBlockIsInUse) {
  FalseExporter false_exporter;
  auto inherited = platform::make_pipe();
  FalseExporter::Message message;
  message.liveness_fds = 2;
  false_exporter.announces(
      message, {false_exporter.file, false_exporter.words, false_exporter.returned, false_exporter.changed,
                false_exporter.liveness_fd, inherited.write.get()});
  inherited.write = {};
  const auto* at =
      static_cast<const double*>(false_exporter.importer.import_block({0, 0, 0, 8192, 0}, 8192, 8));
  ASSERT_NE(at, nullptr);
  orbweaver::HeldView<double> held = orbweaver::hold(orbweaver::span<const double>(at, 1024));
  false_exporter.importer.release();
  false_exporter.announces_end();
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

}  // namespace
}  // namespace blocktest
