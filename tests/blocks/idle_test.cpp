// Blocks that are out cost nobody a wake-up until they come back; then whoever waits for them is told.
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

/// How often a thread was put to sleep or off the processor: /proc/PID/task/TID.
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
  tasks.erase(tasks.begin() + 1);  // the sanitizer's own thread, begun before main, which wakes up all the time
#endif
  Threads found{tasks.size()};
  for (const int task : tasks) found.switches += switches_of(folder / std::to_string(task));
  return found;
}
/// A span in which nothing may happen. Its length decides what would be noticed, and not whether a test passes.
void idle() { std::this_thread::sleep_for(std::chrono::milliseconds(300)); }
/// Waits until `switches` stays as it is for 20 looks.
template <class Switches>
bool settles(Switches&& switches) {
  std::uint64_t before = switches();
  int looks = 0;
  return becomes_true([&] {
    const std::uint64_t now = switches();
    looks = now == std::exchange(before, now) ? looks + 1 : 0;
    return looks == 20;
  });
}

TEST_F(BlockCalls, WhoHasPassedABlockOnSleepsUntilItComesBack) {
  StageProcess second, third;
  const StageRef b = at(second), c = at(third);
  b->next_is(c);
  b->keep(filled(1).view());
  b->drop_kept();
  const std::size_t threads = threads_of(second.pid()).count;
  for (int i = 2; i < 5; ++i) b->keep(filled(i).view());
  b->drop_kept();
  EXPECT_TRUE(settles([&] { return threads_of(second.pid()).switches; }));  // its threads are done
  const Threads before = threads_of(second.pid());
  idle();
  const Threads after = threads_of(second.pid());
  EXPECT_EQ(after.switches, before.switches);
  EXPECT_EQ(after.count, threads) << "a thread for blocks that are out";
  EXPECT_EQ(orbweaver::transport::blocks::pool_used(), std::size_t{1} << 20);
  EXPECT_EQ(c->kept_sum(), 4 * 131072.0);
  c->drop_kept();
  EXPECT_TRUE(pool_empties());
}

TEST_F(BlockCalls, ALenderThatWaitsSleepsUntilABlockComesBack) {
  StageProcess process;
  const StageRef stage = at(process);
  for (int i = 0; i < 8; ++i) ASSERT_FALSE(stage->keep_too(filled(1).view()));
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
  EXPECT_TRUE(settles([&] { return switches_of(task); }));
  const std::uint64_t before = switches_of(task);
  idle();
  EXPECT_EQ(switches_of(task), before);
  EXPECT_FALSE(lent);
  stage->drop_kept();
  lender.join();
}

TEST_F(BlockCalls, ALenderThatWaitsIsWokenByTheDeathOfAHolder) {
  StageProcess process;
  const StageRef stage = at(process);
  for (int i = 0; i < 8; ++i) ASSERT_FALSE(stage->keep_too(filled(1).view()));
  OnceThisThreadWaits killer([&] { process.kill(); });
  EXPECT_EQ(filled(2)[0], 2);
  killer.join();
}

TEST_F(BlockCalls, ALenderThatWaitsIsWokenByALoanThatIsGivenUpHere) {
  std::vector<orbweaver::Loan<double>> all;
  for (int i = 0; i < 8; ++i) all.push_back(filled(2));
  OnceThisThreadWaits other([&] { all.pop_back(); });
  EXPECT_EQ(filled(3)[0], 3);
  other.join();
}

/// The way home is the way there: from the third through the second, which hears of it, to one who waits at the first.
TEST_F(BlockCalls, AReturnThroughTheMiddleWakesAWaitingLender) {
  StageProcess second, third;
  const StageRef b = at(second), c = at(third);
  b->next_is(c);
  for (int round = 0; round < 20; ++round) {
    b->keep(filled(5).view());
    b->drop_kept();
    std::vector<orbweaver::Loan<double>> rest;
    for (int i = 0; i < 7; ++i) rest.push_back(filled(2));
    const auto drop = [&] { c->drop_kept(); };
    std::optional<OnceThisThreadWaits> later;
    std::thread at_once;
    if (round % 2 != 0) at_once = std::thread(drop);
    else later.emplace(drop);
    EXPECT_EQ(filled(3)[0], 3);
    later.reset();
    if (at_once.joinable()) at_once.join();
  }
  EXPECT_TRUE(pool_empties());
}

}  // namespace
}  // namespace blocktest
