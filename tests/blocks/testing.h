#pragma once

#include <gtest/gtest.h>
#include <orbweaver/orb.h>
#include <sys/wait.h>

#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "platform/process.h"
#include "platform/testing/becomes_true.h"
#include "platform/testing/waiting_thread.h"
#include "stage.h"
#include "transport/blocks/pool.h"

namespace blocktest {

using orbweaver::platform::testing::becomes_true;
using orbweaver::platform::testing::CallWhenThisThreadWaits;
using orbweaver::platform::testing::other_threads_sleep;
using orbweaver::platform::testing::WaitingThread;

/// A process that serves a stage. The destructor kills it.
class StageProcess {
 public:
  explicit StageProcess(const std::vector<std::string>& arguments = {}) {
    namespace platform = orbweaver::platform;
    const auto program =
        std::filesystem::path(platform::executable_path()).parent_path() / "blocks-test-stage";
    if (process_.spawn({program.string(), arguments, {}}) != 0)
      throw std::runtime_error("cannot start " + program.string());
    bool at_end = false;
    becomes_true([&] {
      reference_ += platform::read_available(process_.output(), at_end);
      return at_end || reference_.find('\n') != std::string::npos;
    });
    reference_.resize(std::min(reference_.find('\n'), reference_.size()));
  }
  ~StageProcess() { kill(); }
  void kill() {
    if (!process_.running()) return;
    process_.kill();
    process_.reap();
  }
  /// Returns when all threads of the process are stopped.
  void stop() {
    process_.signal(SIGSTOP);
    waitpid(process_.pid(), nullptr, WUNTRACED);
  }
  void go_on() { process_.signal(SIGCONT); }
  const std::string& reference() const { return reference_; }
  int pid() const { return process_.pid(); }

 private:
  orbweaver::platform::ChildProcess process_;
  std::string reference_;
};

/// Fixture: an ORB in this process, with a pool of 8 MiB.
class BlockCalls : public ::testing::Test {
 protected:
  static constexpr std::size_t kPool = std::size_t{8} << 20;
  static constexpr std::size_t kSamples = 131072;  // 1 MiB

  void SetUp() override { start("shm"); }
  void start(const std::string& transport_name, const std::vector<std::string>& further = {}) {
    std::vector<std::string> words = {"test",
                                      "-ORBTune",
                                      "pool-bytes=" + std::to_string(kPool),
                                      "-ORBTransportPreference",
                                      "inproc," + transport_name,
                                      "-ORBCallTimeout",
                                      "120000"};
    words.insert(words.end(), further.begin(), further.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    int argc = static_cast<int>(argv.size());
    static int count = 0;
    orb = CORBA::ORB_init(argc, argv.data(), "blocks " + std::to_string(++count));
  }
  void TearDown() override { orb->destroy(); }
  StageRef at(const StageProcess& stage) {
    return IDL::traits<Blocks::Stage>::narrow(orb->string_to_object(stage.reference()));
  }
  static orbweaver::Loan<double> filled(double value, std::size_t count = kSamples) {
    auto block = orbweaver::loan<double>(count, orbweaver::PoolFull::wait, 120'000);
    std::fill(block.begin(), block.end(), value);
    return block;
  }
  /// Waits until all blocks have returned to the pool. False after a time that only a leak takes.
  static bool pool_becomes_empty() {
    return becomes_true([] { return orbweaver::transport::blocks::pool_used() == 0; });
  }
  /// Overwrites all free blocks of the pool. Blocks held by others must not change.
  static void overwrite_free_blocks() {
    std::vector<orbweaver::Loan<double>> loans;
    try {
      for (;;) {
        loans.push_back(orbweaver::loan<double>(512, orbweaver::PoolFull::raise));
        std::fill(loans.back().begin(), loans.back().end(), -1.0);
      }
    } catch (const CORBA::NO_RESOURCES&) {
    }
  }

  IDL::traits<CORBA::ORB>::ref_type orb;
};

}  // namespace blocktest
