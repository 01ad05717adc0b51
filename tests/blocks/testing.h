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
using orbweaver::platform::testing::others_sleep;
using orbweaver::platform::testing::OnceThisThreadWaits;
using orbweaver::platform::testing::WaitingThread;

/// A stage in a process of its own. Killed with this object.
class StageProcess {
 public:
  explicit StageProcess(const std::vector<std::string>& arguments = {}) {
    namespace platform = orbweaver::platform;
    const auto program = std::filesystem::path(platform::own_program()).parent_path() / "blocks-test-stage";
    if (process_.spawn({program.string(), arguments, {}}) != 0) throw std::runtime_error("cannot start " + program.string());
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
  /// Returns once all of its threads stand still.
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

/// The owner of the pool: an ORB with a pool of 8 MiB.
class BlockCalls : public ::testing::Test {
 protected:
  static constexpr std::size_t kPool = std::size_t{8} << 20;
  static constexpr std::size_t kSamples = 131072;  // 1 MiB

  void SetUp() override { start("shm"); }
  void start(const std::string& road, const std::vector<std::string>& further = {}) {
    std::vector<std::string> words = {"test",  "-ORBPoolBytes", std::to_string(kPool), "-ORBTransportPreference",
                                      "inproc," + road, "-ORBCallTimeout", "120000"};
    words.insert(words.end(), further.begin(), further.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    int argc = static_cast<int>(argv.size());
    static int made = 0;
    orb = CORBA::ORB_init(argc, argv.data(), "blocks " + std::to_string(++made));
  }
  void TearDown() override { orb->destroy(); }
  StageRef at(const StageProcess& stage) {
    return IDL::traits<Blocks::Stage>::narrow(orb->string_to_object(stage.reference()));
  }
  static orbweaver::Loan<double> filled(double value, std::size_t count = kSamples) {
    auto block = orbweaver::loan<double>(count, orbweaver::WhenFull::wait, 120'000);
    std::fill(block.begin(), block.end(), value);
    return block;
  }
  /// Until everything that was lent has come back; false after a time that only a leak takes.
  static bool pool_empties() {
    return becomes_true([] { return orbweaver::transport::blocks::pool_used() == 0; });
  }
  /// Writes all of the pool that can be had: what is held elsewhere must not change by it.
  static void overwrite_what_is_free() {
    std::vector<orbweaver::Loan<double>> loans;
    try {
      for (;;) {
        loans.push_back(orbweaver::loan<double>(512, orbweaver::WhenFull::raise));
        std::fill(loans.back().begin(), loans.back().end(), -1.0);
      }
    } catch (const CORBA::NO_RESOURCES&) {
    }
  }

  IDL::traits<CORBA::ORB>::ref_type orb;
};

}  // namespace blocktest
