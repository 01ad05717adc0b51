// The naming service as a process: its key, its end, its state, and what it says about bad input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <orbweaver/orb.h>
#include <orbweaver/policy.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "CosNamingC.h"
#include "naming_process.h"
#include "platform/testing/becomes_true.h"

namespace naming_test {
namespace {

using Context = CosNaming::NamingContext;
using ::testing::HasSubstr;

struct NamingProcess : ::testing::Test {
  NamingProcess() : orb(CORBA::ORB_init()) {}

  IDL::traits<CosNaming::NamingContextExt>::ref_type root(const std::string& version = {}) {
    return IDL::traits<CosNaming::NamingContextExt>::narrow(orb->string_to_object(service.url(version)));
  }
  CosNaming::Name name(const std::string& id) { return {CosNaming::NameComponent(id, "")}; }

  Folder folder;
  Service service{folder / "state"};
  IDL::traits<CORBA::ORB>::ref_type orb;
};

TEST_F(NamingProcess, ServesTheKeyNameServiceInEachVersionOfGiop) {
  for (const char* version : {"1.0", "1.1", "1.2"}) {
    const auto context = root(version);
    context->rebind(name("a"), context);
    EXPECT_TRUE(context->resolve(name("a"))) << version;
    CORBA::PolicyList unused;
    EXPECT_TRUE(context->_validate_connection(unused)) << version << ": LocateRequest";
  }
}

TEST_F(NamingProcess, ListensOnBothLoopbackAddresses) {
  if (!std::ifstream("/proc/net/if_inet6")) GTEST_SKIP() << "this host has no IPv6";
  const auto context = IDL::traits<Context>::narrow(
      orb->string_to_object("corbaloc::[::1]:" + service.port() + "/NameService"));
  ASSERT_TRUE(context);
  EXPECT_TRUE(context->bind_new_context(name("a")));
}

TEST_F(NamingProcess, KeepsWhatItConfirmedWhenItIsKilled) {
  const auto before = root();
  const auto sub = before->bind_new_context(name("sub"));
  const auto unbound = before->new_context();
  unbound->bind(name("x"), sub);
  const std::string kept = orb->object_to_string(unbound);
  for (int i = 0; i < 20; ++i) {
    sub->bind(name(std::to_string(i)), sub);
    if (i % 5 == 4) service.restart();
  }
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(sub->resolve(name(std::to_string(i))));
  EXPECT_TRUE(root()->resolve_str("sub/0"));
  const auto again = IDL::traits<Context>::narrow(orb->string_to_object(kept));
  EXPECT_TRUE(again->resolve(name("x")));
}

TEST_F(NamingProcess, LosesNoConfirmedNameWhenItIsKilledAtAnyMoment) {
  for (int run = 0; run < 5; ++run) {
    std::atomic<int> confirmed = 0;
    std::thread client([&, context = root()] {
      try {
        for (;; ++confirmed)
          context->bind(name(std::to_string(run) + "-" + std::to_string(confirmed)), context);
      } catch (const CORBA::SystemException&) {  // the service has been killed
      }
    });
    EXPECT_TRUE(orbweaver::platform::testing::becomes_true([&] { return confirmed >= 20; }));
    service.kill();
    client.join();
    service.restart();
    const auto context = root();
    for (int i = 0; i < confirmed; ++i)
      EXPECT_TRUE(context->resolve(name(std::to_string(run) + "-" + std::to_string(i)))) << run << " " << i;
  }
}

// SIGINT is handled alike; a ChildProcess ignores it.
TEST_F(NamingProcess, EndsOrderlyBySignals) {
  root()->bind(name("a"), root());
  EXPECT_EQ(service.end_by(SIGTERM), 0);
  service.restart();
  EXPECT_TRUE(root()->resolve(name("a")));
  EXPECT_EQ(service.end_by(SIGHUP), 0);
}

TEST_F(NamingProcess, ReportsAPortInUse) {
  const Ended second = naming({"--port", service.port(), "--transient"});
  EXPECT_EQ(second.status, 1) << second.output;
  EXPECT_THAT(second.output, HasSubstr("orbweaver naming: cannot listen: tcp: "));
  EXPECT_THAT(second.output, HasSubstr("another naming service may use it: end that one, or give --port N"));
}

TEST_F(NamingProcess, ReportsAStateFileInUse) {
  const Ended second = naming({"--port", "0", "--state", folder / "state"});
  EXPECT_EQ(second.status, 1);
  EXPECT_THAT(second.output, HasSubstr("/state: is in use by another process"));
  EXPECT_TRUE(root());
}

TEST_F(NamingProcess, ReportsAStateFileThatIsCut) {
  for (int i = 0; i < 200; ++i) root()->bind(name(std::to_string(i)), root());
  ASSERT_EQ(service.end_by(SIGTERM), 0);
  const std::string path = folder / "state";
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  const Ended ended = naming({"--port", "0", "--state", path});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.output, HasSubstr("/state: is damaged ("));
  EXPECT_EQ(std::count(ended.output.begin(), ended.output.end(), '\n'), 1) << ended.output;
}

TEST_F(NamingProcess, RejectsAFileThatIsNotItsState) {
  std::ofstream(folder / "text") << std::string(5'000, 'x');
  const Ended ended = naming({"--port", "0", "--state", folder / "text"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.output, HasSubstr("/text: is not a state file"));
}

TEST_F(NamingProcess, WritesItsReference) {
  Service other(folder / "other", {"--ior-file", folder / "ior"});
  const auto context = IDL::traits<Context>::narrow(orb->string_to_object("file://" + (folder / "ior")));
  ASSERT_TRUE(context);
  context->bind(name("a"), context);
  EXPECT_THAT(naming({"--port", "0", "--transient", "--ior-file", folder / "no/ior"}).output,
              HasSubstr("--ior-file " + (folder / "no/ior") + " cannot be written"));
}

TEST_F(NamingProcess, RejectsInvalidOptions) {
  EXPECT_THAT(naming({"--orb", "Listem=tcp", "--transient"}).output, HasSubstr("-ORBListem"));
  EXPECT_THAT(naming({"--orb", "x", "--transient"}).output, HasSubstr("--orb takes OPTION=VALUE"));
  EXPECT_EQ(naming({"--listen", "carrier-pigeon", "--transient"}).status, 2);
  EXPECT_EQ(naming({"--port", "70000"}).status, 2);
}

/// A service whose files can grow to `bytes` only, as on a full disk.
void limit_files(int pid, std::size_t bytes) {
  const rlimit limit{bytes, RLIM_INFINITY};
  ASSERT_EQ(prlimit(pid, RLIMIT_FSIZE, &limit, nullptr), 0);
}

TEST_F(NamingProcess, ContinuesWithItsStateAfterAFullDisk) {
  const auto context = root();
  context->bind(name("a"), context);
  limit_files(service.pid(), 4'096);
  EXPECT_THROW(context->bind(name("b"), context), CORBA::PERSIST_STORE);
  EXPECT_THROW(context->unbind(name("a")), CORBA::PERSIST_STORE);
  EXPECT_THROW(context->resolve(name("b")), Context::NotFound);
  EXPECT_TRUE(context->resolve(name("a")));
  limit_files(service.pid(), RLIM_INFINITY);
  context->bind(name("b"), context);
  service.restart();
  EXPECT_TRUE(context->resolve(name("a")));
  EXPECT_TRUE(context->resolve(name("b")));
}

}  // namespace
}  // namespace naming_test
