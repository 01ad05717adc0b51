// Names, priorities and cores of the ORB's threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "platform/testing/forked_process.h"
#include "platform/thread.h"
#include "testing/test_orb.h"

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

TEST(Threads, OfAPoolAreNamedWithANumber) {
  TestOrb server({"-ORBThreads", "pool:3", "-ORBListen", "tcp"}), client({"-ORBTransportPreference", "tcp"});
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

TEST(Threads, AreNotCreatedByASingleThreadedOrb) {
  TestOrb server({"-ORBThreads", "single", "-ORBListen", "tcp,unix,inproc"});
  server.serve(CORBA::make_reference<Servant>());
  const auto names = thread_names();
  EXPECT_TRUE(
      std::none_of(names.begin(), names.end(), [](const auto& name) { return name.rfind("ow-", 0) == 0; }));
}

TEST(Threads, AreNamedAfterTheirTaskAndTransport) {
  for (const std::string transport : {"inproc", "shm", "tcp"}) {
    SCOPED_TRACE(transport);
    TestOrb server({"-ORBListen", transport == "tcp" ? "tcp:127.0.0.1:0" : transport}),
        client({"-ORBTransportPreference", transport});
    const auto servant = CORBA::make_reference<Servant>();
    const CallsRef calls = client.at(server.serve(servant));
    EXPECT_EQ(calls->twice(2), 4);
    // A call between two ORBs of one process uses the transport: an acceptor thread and a serving thread
    // exist.
    EXPECT_TRUE(
        becomes_true([&] { return thread_names().count(("ow-accept-" + transport).substr(0, 15)) == 1; }));
    EXPECT_TRUE(becomes_true([&] { return thread_names().count("ow-serve-" + transport) == 1; }));
    EXPECT_TRUE(
        becomes_true([&] { return thread_names().count("ow-hangup") == (transport == "shm" ? 1u : 0u); }));
  }
  // A thread that was joined is still listed for a moment.
  EXPECT_TRUE(becomes_true([&] {
    const auto names = thread_names();
    return std::none_of(names.begin(), names.end(),
                        [](const std::string& name) { return name.rfind("ow-", 0) == 0; });
  }));
}

/// The lines that begin with `label` in /proc/self/task/TID/`file`, of the ORB's acceptor threads.
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

TEST(Threads, RunOnTheConfiguredCores) {
  const std::string core = std::to_string(orbweaver::platform::this_core());
  TestOrb server({"-ORBThreadAffinity", core, "-ORBListen", "tcp"});
  server.serve(CORBA::make_reference<Servant>());
  EXPECT_TRUE(becomes_true([&] {
    return of_own_threads("status", "Cpus_allowed_list") == std::vector{"Cpus_allowed_list:\t" + core};
  }));
}

/// The detail of BAD_PARAM, or "" if the options are accepted.
std::string refused(const Options& options) {
  try {
    TestOrb broker(options);
  } catch (const CORBA::BAD_PARAM& e) {
    return e.detail();
  }
  return {};
}

TEST(Threads, HaveTheConfiguredPriorityOrReportAnError) {
  const std::string problem = refused({"-ORBThreadPriority", "fifo:7"});
  if (!problem.empty()) {
    EXPECT_EQ(problem,
              "-ORBThreadPriority fifo:7: permission denied: requires CAP_SYS_NICE or a limit `ulimit -r` of "
              "7 or more");
    return;
  }
  TestOrb server({"-ORBThreadPriority", "fifo:7", "-ORBListen", "tcp"});
  server.serve(CORBA::make_reference<Servant>());
  // sched(7): the priority of a real-time thread is shown as 99 less itself.
  EXPECT_TRUE(becomes_true([] {
    const auto lines = of_own_threads("sched", "prio");
    return lines.size() == 1 && lines[0].substr(lines[0].rfind(' ') + 1) == "92";
  }));
}

TEST(Threads, ReportAMissingPrivilege) {
  // In a process without the privilege, even when root runs this test.
  orbweaver::platform::testing::ForkedProcess child([] {
    const rlimit none{0, 0};
    if (setrlimit(RLIMIT_RTPRIO, &none) != 0) _exit(1);
    if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0) _exit(1);
    const std::string problem = refused({"-ORBThreadPriority", "rr:3"});
    if (problem.find("permission denied: requires CAP_SYS_NICE") == std::string::npos) _exit(2);
  });
  EXPECT_TRUE(child.reap());
}

TEST(Threads, RejectContradictoryOptions) {
  EXPECT_EQ(refused({"-ORBThreads", "many"}),
            "-ORBThreads takes connection, single, pool:N or unordered:N, not 'many'");
  EXPECT_EQ(refused({"-ORBThreads", "pool:0"}), "-ORBThreads takes a whole number from 1 to 1024, not '0'");
  EXPECT_EQ(refused({"-ORBThreads", "single", "-ORBWait", "spin"}),
            "-ORBWait spin requires -ORBThreads connection: use adaptive or block with single, pool:N and "
            "unordered:N");
  EXPECT_EQ(
      refused({"-ORBThreadAffinity", "0", "-ORBThreads", "single"}),
      "-ORBThreadPriority and -ORBThreadAffinity have no effect with -ORBThreads single, which creates no "
      "threads");
  EXPECT_EQ(refused({"-ORBThreadPriority", "fifo"}), "-ORBThreadPriority takes a priority, as in fifo:10");
  EXPECT_EQ(refused({"-ORBThreadPriority", "high"}),
            "-ORBThreadPriority takes other, fifo:N or rr:N, not 'high'");
  EXPECT_EQ(refused({"-ORBThreadAffinity", "1,x"}),
            "-ORBThreadAffinity takes a whole number from 0 to 1023, not 'x'");
  EXPECT_EQ(refused({"-ORBThreadAffinity", "1023"}),
            "-ORBThreadAffinity 1023: Invalid argument (the process may use none of these cores)");
}

}  // namespace
}  // namespace orbtest
