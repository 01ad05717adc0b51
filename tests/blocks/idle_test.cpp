// Granted blocks cause no wake-ups until they return. A return wakes a loan that waits for space in the pool.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "testing.h"

namespace blocktest {
namespace {

/// The number of context switches of a thread; `task` is its /proc/PID/task/TID.
std::uint64_t switches_of(const std::filesystem::path& task) {
  std::ifstream status(task / "status");
  std::uint64_t sum = 0, value = 0;
  for (std::string word; status >> word;) {
    if (word.find("ctxt_switches:") != std::string::npos && status >> value) sum += value;
  }
  return sum;
}
struct Threads {
  std::size_t count = 0;
  std::uint64_t switches = 0;
};
Threads threads_of(int pid) {
  std::vector<int> tasks;
  const std::filesystem::path folder = "/proc/" + std::to_string(pid) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(folder)) {
    tasks.push_back(std::stoi(task.path().filename()));
  }
  std::sort(tasks.begin(), tasks.end());
#if defined(__SANITIZE_THREAD__)
  tasks.erase(tasks.begin() +
              1);  // the sanitizer's own thread, started before main, which wakes up periodically
#endif
  Threads found{tasks.size()};
  for (const int task : tasks) found.switches += switches_of(folder / std::to_string(task));
  return found;
}
/// Waits for a time in which no thread may wake up. A longer time detects rarer wake-ups; correct code passes
/// with any.
void idle() { std::this_thread::sleep_for(std::chrono::milliseconds(300)); }
/// Waits until `switches()` has returned the same value 20 times in a row.
template <class Switches>
bool settles(Switches&& switches) {
  std::uint64_t before = switches();
  int equal_values = 0;
  return becomes_true([&] {
    const std::uint64_t now = switches();
    equal_values = now == std::exchange(before, now) ? equal_values + 1 : 0;
    return equal_values == 20;
  });
}

/// Whether no thread of a process wakes up in such a time. After a wake-up it waits for another one: the
/// thread ow-limits of a server that has connections wakes up every 2.5 s.
bool sleeps(int pid) {
  return becomes_true([&] {
    const std::uint64_t before = threads_of(pid).switches;
    idle();
    return threads_of(pid).switches == before;
  });
}

TEST_F(BlockCalls, SleepsAfterForwardingUntilTheReturn) {
  StageProcess second, third;
  const StageRef b = at(second), c = at(third);
  b->set_next(c);
  b->keep(filled(1).view());
  b->drop_kept();
  const std::size_t threads = threads_of(second.pid()).count;
  for (int i = 2; i < 5; ++i) b->keep(filled(i).view());
  b->drop_kept();
  EXPECT_TRUE(settles([&] { return threads_of(second.pid()).switches; }));  // its threads are done
  EXPECT_TRUE(sleeps(second.pid()));
  EXPECT_EQ(threads_of(second.pid()).count, threads) << "a thread exists for granted blocks";
  EXPECT_TRUE(becomes_true([] { return orbweaver::transport::blocks::pool_used() == std::size_t{1} << 20; }));
  EXPECT_EQ(c->kept_sum(), 4 * 131072.0);
  c->drop_kept();
  EXPECT_TRUE(pool_becomes_empty());
}

TEST_F(BlockCalls, SleepsInALoanUntilABlockReturns) {
  StageProcess process;
  const StageRef stage = at(process);
  for (int i = 0; i < 8; ++i) ASSERT_FALSE(stage->keep_another(filled(1).view()));
  std::atomic<bool> lent{false};
  std::filesystem::path task;
  std::atomic<bool> begun{false};
  std::thread lender([&] {
    task = "/proc" / std::filesystem::read_symlink("/proc/thread-self");
    begun = true;
    const auto block = filled(2);
    lent = true;
  });
  while (!begun) std::this_thread::yield();
  EXPECT_TRUE(becomes_true([&] { return switches_of(task) > 50; })) << "it polls 50 times before it sleeps";
  EXPECT_TRUE(settles([&] { return switches_of(task); }));
  const std::uint64_t before = switches_of(task);
  idle();
  EXPECT_EQ(switches_of(task), before);
  EXPECT_FALSE(lent);
  stage->drop_kept();
  lender.join();
}

TEST_F(BlockCalls, WakesALoanWhenAHolderDies) {
  StageProcess process;
  const StageRef stage = at(process);
  for (int i = 0; i < 8; ++i) ASSERT_FALSE(stage->keep_another(filled(1).view()));
  CallWhenThisThreadWaits killer([&] { process.kill(); });
  EXPECT_EQ(filled(2)[0], 2);
  killer.join();
}

TEST_F(BlockCalls, WakesALoanWhenALocalLoanEnds) {
  std::vector<orbweaver::Loan<double>> all;
  for (int i = 0; i < 8; ++i) all.push_back(filled(2));
  CallWhenThisThreadWaits other([&] { all.pop_back(); });
  EXPECT_EQ(filled(3)[0], 3);
  other.join();
}

/// A block returns over the connections that forwarded it: from the third process through the second, which
/// is notified, to a waiting loan in the first.
TEST_F(BlockCalls, WakesALoanOnAForwardedReturn) {
  StageProcess second, third;
  const StageRef b = at(second), c = at(third);
  b->set_next(c);
  for (int round = 0; round < 20; ++round) {
    b->keep(filled(5).view());
    b->drop_kept();
    std::vector<orbweaver::Loan<double>> rest;
    for (int i = 0; i < 7; ++i) rest.push_back(filled(2));
    const auto drop = [&] { c->drop_kept(); };
    std::optional<CallWhenThisThreadWaits> later;
    std::thread at_once;
    if (round % 2 != 0)
      at_once = std::thread(drop);
    else
      later.emplace(drop);
    EXPECT_EQ(filled(3)[0], 3);
    later.reset();
    if (at_once.joinable()) at_once.join();
  }
  EXPECT_TRUE(pool_becomes_empty());
}

}  // namespace
}  // namespace blocktest
