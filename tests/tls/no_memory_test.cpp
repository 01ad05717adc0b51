// Out of memory while a TLS connection is made, or its records are received: the connection closes; the
// process continues.
#include <gtest/gtest.h>

#include "../limits/failing_allocation.h"
#include "../limits/serving.h"
#include "tls/testing/authority.h"

namespace orbtest {
namespace {

using orbweaver::tls::testing::Authority;
using orbweaver::tls::testing::Files;

class NoMemoryOverTls : public ::testing::TestWithParam<std::string> {
 protected:
  Options options(const Files& files) const {
    return {"-ORBTransportPlugin", "liborbweaver-tls.so",
            "-ORBTransportOption", "tls.certificate=" + files.certificate,
            "-ORBTransportOption", "tls.key=" + files.key,
            "-ORBTransportOption", "tls.ca=" + ours_.ca()};
  }
  Authority ours_{"Our Authority"};
};

TEST_P(NoMemoryOverTls, ClosesAtMostAConnection) {
  Options serving = options(ours_.issue({"server"}));
  serving.insert(serving.end(), {"-ORBListen", "tcp,tls", "-ORBLog", "off"});
  Options calling = options(ours_.issue({"client"}));
  calling.insert(calling.end(), {"-ORBTransportPreference", "tls", "-ORBCallTimeout", "30000"});
  TestServer server(GetParam(), serving);
  failing_thread_name = TestServer::serving_thread(GetParam());
  for (int nth = 1; nth <= 40; ++nth) {
    {
      TestOrb client(calling);
      fails_in = nth;
      try {
        client.unchecked(server.reference())->echo(OrbTest::Octets(200'000));
        client.unchecked(server.reference())->greet("you");
      } catch (const CORBA::SystemException&) {  // the connection has ended
      }
    }
    EXPECT_TRUE(becomes_true([&] { return server.connections() == 0; })) << nth;
    fails_in = 0;
    TestOrb after(calling);
    EXPECT_EQ(after.unchecked(server.reference())->twice(4), 8) << nth;
  }
}

TEST_P(NoMemoryOverTls, ConnectRaisesAnException) {
  Options serving = options(ours_.issue({"server"}));
  serving.insert(serving.end(), {"-ORBListen", "tcp,tls", "-ORBLog", "off"});
  Options calling = options(ours_.issue({"client"}));
  calling.insert(calling.end(), {"-ORBTransportPreference", "tls", "-ORBCallTimeout", "30000"});
  TestServer server(GetParam(), serving);
  failing_thread_name = "test-calls";
  int raised = 0, nth = 0;
  for (bool failed = true; failed;) {
    TestOrb client(calling);
    const CallsRef calls = client.unchecked(server.reference());
    std::thread([&] {
      orbweaver::platform::name_this_thread(failing_thread_name);
      fails_in = ++nth;
      try {
        calls->twice(2);
      } catch (const CORBA::NO_MEMORY&) {
        ++raised;
      } catch (const CORBA::SystemException&) {
      } catch (const std::bad_alloc&) {
      }
      failed = fails_in.exchange(0) <= 0;
    }).join();
    EXPECT_EQ(calls->twice(4), 8) << nth;
  }
  EXPECT_GT(raised, 0);
}

INSTANTIATE_TEST_SUITE_P(ThreadModes, NoMemoryOverTls, ::testing::Values("connection", "pool:2", "single"),
                         [](const auto& tested) { return tested.param.substr(0, tested.param.find(':')); });

}  // namespace
}  // namespace orbtest
