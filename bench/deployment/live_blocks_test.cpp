#include <gtest/gtest.h>
#include <orbweaver/any.h>

#include <fstream>
#include <map>
#include <string>

#include "CosEventChannelAdminC.h"
#include "CosLwLogC.h"
#include "DomainC.h"
#include "assembly.h"
#include "measured_domain.h"
#include "platform/testing/becomes_true.h"
#include "testing/block_counts.h"

// The sanitizers replace operator new, and report what has not been deleted at the end of a process.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace orbweaver::bench {
namespace {

using platform::testing::becomes_true;

/// A domain whose processes count the blocks of operator new that they have not deleted.
class LiveBlocks : public ::testing::Test {
 protected:
  /// Has the domain manager discard the records of its log.
  void keep_no_log() {
    const auto log = IDL::traits<CosLwLog::Log>::narrow(domain_.client().find_in_domain("Log"));
    ASSERT_TRUE(log);
    log->clear_log();
    log->set_max_size(1);
  }

  /// Sends as many ends of processes as the domain manager keeps: the later ones replace these.
  void fill_process_ends() {
    const auto channel = IDL::traits<CosEventChannelAdmin::EventChannel>::narrow(
        domain_.client().find_in_domain("IDM_Channel"));
    ASSERT_TRUE(channel);
    const auto consumer = channel->for_suppliers()->obtain_push_consumer();
    consumer->connect_push_supplier(nullptr);
    const auto device = domain_.manager()->deviceManagers().at(0)->registeredDevices().at(0)->identifier();
    for (std::int32_t i = 0; i < 1100; ++i) {
      CORBA::Any event;
      event <<= framework::ProcessEnded(device, 10'000'000 + i, "exited with status 0");
      consumer->push(event);
    }
    consumer->disconnect_push_consumer();
  }

  /// Blocks by the name of the process.
  std::map<std::string, long> read() const {
    std::map<std::string, long> blocks;
    for (const HeldBy& each : domain_.held().processes) {
      std::ifstream file(block_counts_file(counts_.path(), each.pid), std::ios::binary);
      long number = 0;
      file.read(reinterpret_cast<char*>(&number), sizeof number);
      EXPECT_TRUE(file) << "nothing counted in " << each.process;
      blocks[each.process] = number;
    }
    return blocks;
  }

  static DomainSetup setup(const std::string& counts) {
    DomainSetup setup;
    setup.separate_naming = true;
    setup.environment = {"LD_PRELOAD=" ORBWEAVER_COUNT_BLOCKS_LIBRARY, "ORBWEAVER_COUNT_BLOCKS=" + counts};
    // Otherwise the end of an idle connection would free blocks in the place of those that are not.
    setup.options = {"--orb", "Tune=outgoing-idle-timeout-ms=0"};
    return setup;
  }

  const ScratchFolder counts_;
  MeasuredDomain domain_{ORBWEAVER_COMMAND, setup(counts_.path())};
};

/// Each process of a domain has deleted what an application needed when that has been released.
TEST_F(LiveBlocks, DoNotIncreaseWithApplications) {
  constexpr int kApplications = 100;
  // For what depends on the moment, such as threads that wait for work: less than a block per application.
  constexpr long kOthers = kApplications / 2;
  keep_no_log();
  fill_process_ends();
  domain_.install(Assembly{3, 2});
  for (int i = 0; i < kApplications; ++i) domain_.run();
  domain_.held_at_rest();
  const auto before = read();
  for (int i = 0; i < kApplications; ++i) domain_.run();
  ASSERT_EQ(before.size(), 4u);
  for (const auto& [process, blocks] : before) {
    SCOPED_TRACE(process);
    long now = 0;
    const bool have_been_deleted = becomes_true([&, name = process, limit = blocks + kOthers] {
      now = read()[name];
      return now <= limit;
    });
    EXPECT_TRUE(have_been_deleted) << now << " blocks, before " << blocks;
  }
}

}  // namespace
}  // namespace orbweaver::bench

#endif
