// The ORB's threads, as top and a debugger show them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "platform/testing/forked.h"
#include "platform/thread.h"
#include "testing/broker.h"

namespace orbtest {
namespace {

std::multiset<std::string> thread_names() {
  std::multiset<std::string> names;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream comm(task.path() / "comm");
    std::string name;
    if (std::getline(comm, name)) names.insert(name);
  }
  return names;
}

TEST(Threads, OfAPoolAreNumbered) {
  Broker server({"-ORBThreads", "pool:3", "-ORBListen", "tcp"}), client({"-ORBTransportPreference", "tcp"});
  const auto servant = CORBA::make_reference<Servant>();
  EXPECT_EQ(client.at(server.serve(servant))->twice(2), 4);
  EXPECT_TRUE(becomes_true([] {
    std::vector<std::string> own;
    for (const std::string& name : thread_names()) {
      if (name.rfind("ow-", 0) == 0) own.push_back(name);
    }
    return own == std::vector<std::string>{"ow-pool-1", "ow-pool-2", "ow-pool-3"};
  }));
}

TEST(Threads, ASingleThreadedOrbHasNone) {
  Broker server({"-ORBThreads", "single", "-ORBListen", "tcp,unix,inproc"});
  server.serve(CORBA::make_reference<Servant>());
  const auto names = thread_names();
  EXPECT_TRUE(std::none_of(names.begin(), names.end(), [](const auto& name) { return name.rfind("ow-", 0) == 0; }));
}

TEST(Threads, AreNamedAfterWhatTheyDoAndTheRoadTheyServe) {
  for (const std::string road : {"inproc", "shm", "tcp"}) {
    SCOPED_TRACE(road);
    Broker server({"-ORBListen", road == "tcp" ? "tcp:127.0.0.1:0" : road}), client({"-ORBTransportPreference", road});
    const auto servant = CORBA::make_reference<Servant>();
    const CallsRef calls = client.at(server.serve(servant));
    EXPECT_EQ(calls->twice(2), 4);
    // A call between two ORBs of one process travels, whatever the road: somebody accepted and serves it.
    EXPECT_TRUE(becomes_true([&] { return thread_names().count(("ow-accept-" + road).substr(0, 15)) == 1; }));
    EXPECT_TRUE(becomes_true([&] { return thread_names().count("ow-serve-" + road) == 1; }));
    EXPECT_TRUE(becomes_true([&] { return thread_names().count("ow-hangup") == (road == "shm" ? 1u : 0u); }));
  }
  // A thread that was joined is still listed for a moment.
  EXPECT_TRUE(becomes_true([&] {
    const auto names = thread_names();
    return std::none_of(names.begin(), names.end(), [](const std::string& name) { return name.rfind("ow-", 0) == 0; });
  }));
}

/// What the system says of each of the ORB's threads, in the file of that name.
std::vector<std::string> of_own_threads(const std::string& file, const std::string& label) {
  std::vector<std::string> found;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream comm(task.path() / "comm"), about(task.path() / file);
    std::string name, line;
    if (!std::getline(comm, name) || name.rfind("ow-accept", 0) != 0) continue;
    while (std::getline(about, line)) {
      if (line.rfind(label, 0) == 0) found.push_back(line);
    }
  }
  return found;
}

TEST(Threads, RunWhereTheyMay) {
  const std::string core = std::to_string(orbweaver::platform::this_core());
  Broker server({"-ORBThreadAffinity", core, "-ORBListen", "tcp"});
  server.serve(CORBA::make_reference<Servant>());
  EXPECT_TRUE(becomes_true(
      [&] { return of_own_threads("status", "Cpus_allowed_list") == std::vector{"Cpus_allowed_list:\t" + core}; }));
}

/// The sentence of BAD_PARAM, or "" where the options are taken.
std::string refused(const Options& options) {
  try {
    Broker broker(options);
  } catch (const CORBA::BAD_PARAM& e) {
    return e.detail();
  }
  return {};
}

TEST(Threads, HaveThePriorityThatIsAskedForOrAreRefusedIt) {
  const std::string problem = refused({"-ORBThreadPriority", "fifo:7"});
  if (!problem.empty()) {
    EXPECT_EQ(problem, "-ORBThreadPriority fifo:7: this user may not (that takes CAP_SYS_NICE, or a limit `ulimit -r` of "
                       "7 or more)");
    return;
  }
  Broker server({"-ORBThreadPriority", "fifo:7", "-ORBListen", "tcp"});
  server.serve(CORBA::make_reference<Servant>());
  // sched(7): the priority of a real-time thread is shown as 99 less itself.
  EXPECT_TRUE(becomes_true([] {
    const auto lines = of_own_threads("sched", "prio");
    return lines.size() == 1 && lines[0].substr(lines[0].rfind(' ') + 1) == "92";
  }));
}

TEST(Threads, AUserWhoMayNotIsToldSo) {
  // In a process without the right, whoever runs this test.
  orbweaver::platform::testing::Forked child([] {
    const rlimit none{0, 0};
    if (setrlimit(RLIMIT_RTPRIO, &none) != 0 || setresuid(65534, 65534, 65534) != 0) _exit(1);
    if (refused({"-ORBThreadPriority", "rr:3"}).find("this user may not (that takes CAP_SYS_NICE") == std::string::npos) _exit(2);
  });
  EXPECT_TRUE(child.reap());
}

TEST(Threads, OptionsThatMakeNoSenseAreRefusedWithASentence) {
  EXPECT_EQ(refused({"-ORBThreads", "many"}), "-ORBThreads takes connection, single or pool:N, not 'many'");
  EXPECT_EQ(refused({"-ORBThreads", "pool:0"}), "-ORBThreads takes a whole number from 1 to 1024, not '0'");
  EXPECT_EQ(refused({"-ORBThreads", "single", "-ORBWait", "spin"}),
            "-ORBWait spin needs a thread for each connection, which -ORBThreads single and pool:N do without: take "
            "adaptive or block");
  EXPECT_EQ(refused({"-ORBThreadAffinity", "0", "-ORBThreads", "single"}),
            "-ORBThreads single serves in a thread of the program's own: -ORBThreadPriority and -ORBThreadAffinity have "
            "none to change");
  EXPECT_EQ(refused({"-ORBThreadPriority", "fifo"}), "-ORBThreadPriority takes a priority, as in fifo:10");
  EXPECT_EQ(refused({"-ORBThreadPriority", "high"}), "-ORBThreadPriority takes other, fifo:N or rr:N, not 'high'");
  EXPECT_EQ(refused({"-ORBThreadAffinity", "1,x"}), "-ORBThreadAffinity takes a whole number from 0 to 1023, not 'x'");
  EXPECT_EQ(refused({"-ORBThreadAffinity", "1023"}),
            "-ORBThreadAffinity 1023: Invalid argument (none of these cores is this process's)");
}

}  // namespace
}  // namespace orbtest
