// The ORB's threads, as top and a debugger show them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

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
  EXPECT_TRUE(becomes_true([] { return thread_names().count("ow-pool-3") == 1; }));
  const auto names = thread_names();
  EXPECT_EQ(std::count_if(names.begin(), names.end(), [](const auto& name) { return name.rfind("ow-", 0) == 0; }), 3);
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

}  // namespace
}  // namespace orbtest
