// Calls behave in the same way over every transport.
#include <gmock/gmock.h>

#include <numeric>
#include <optional>

#include "orb/minor_codes.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

using ::testing::HasSubstr;
namespace minor = orbweaver::minor;

/// A client and a server ORB. The parameter names the transport and the wait strategy ("shm spin"); "direct"
/// is one ORB with collocated calls.
class AllTransports : public ::testing::TestWithParam<std::string> {
 protected:
  AllTransports() {
    const std::string transport = GetParam().substr(0, GetParam().find(' '));
    const std::size_t space = GetParam().find(' ');
    const std::string wait = space == std::string::npos ? "adaptive" : GetParam().substr(space + 1);
    // mqueue is not among the default transports.
    server_.emplace(
        Options{"-ORBWait", wait, "-ORBListen", "inproc,shm,unix,mqueue,tcp", "-ORBExceptionDetail", "full"});
    if (transport != "direct")
      client_.emplace(Options{"-ORBWait", wait, "-ORBTransportPreference", transport});
    calls = client().at(server().serve(servant));
  }
  TestOrb& server() { return *server_; }
  TestOrb& client() { return client_ ? *client_ : *server_; }

  ServantRef servant = CORBA::make_reference<Servant>();
  CallsRef calls;

 private:
  std::optional<TestOrb> server_, client_;
};

OrbTest::Record record(std::size_t points) {
  OrbTest::Record r;
  r.name("record");
  r.flag(0xfe);
  for (std::size_t i = 0; i < points; ++i) {
    r.path().push_back({static_cast<double>(i), -static_cast<double>(i)});
    r.levels().push_back(static_cast<double>(i) / 3);
  }
  return r;
}

TEST_P(AllTransports, PassInOutAndInoutParameters) {
  std::int32_t counter = 100;
  std::string note;
  const OrbTest::Record turned = calls->turn(record(3), counter, note);
  EXPECT_EQ(counter, 103);
  EXPECT_EQ(note, "record turned");
  EXPECT_EQ(turned.flag(), 0xfe);
  ASSERT_EQ(turned.path().size(), 3u);
  EXPECT_EQ(turned.path()[0].x(), 2);
  EXPECT_EQ(turned.path()[2].y(), 0);
  EXPECT_EQ(turned.levels()[0], 2.0 / 3);
}

TEST_P(AllTransports, PreserveStringLengths) {
  for (const std::size_t length : {1u, 2u, 3u, 7u, 255u, 100'000u}) {
    const std::string who(length, 'x');
    EXPECT_EQ(calls->greet(who), "Hello, " + who + "!");
  }
}

TEST_P(AllTransports, PassViews) {
  for (const std::size_t length : {0u, 1u, 512u, 100'000u}) {
    std::vector<double> samples(length);
    std::iota(samples.begin(), samples.end(), 1.0);
    EXPECT_EQ(calls->sum(samples), static_cast<double>(length) * static_cast<double>(length + 1) / 2);
  }
}

TEST_P(AllTransports, TransferMessagesLargerThanTheRing) {
  OrbTest::Octets sent(5'000'003);
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<std::uint8_t>(i * 31);
  EXPECT_TRUE(calls->echo(sent) == sent);
}

TEST_P(AllTransports, ReadAndWriteAttributes) {
  calls->value(-7);
  EXPECT_EQ(calls->value(), -7);
  EXPECT_EQ(calls->name(), "servant");
}

TEST_P(AllTransports, AnswerIsAAndNonExistent) {
  EXPECT_TRUE(calls->_is_a("IDL:OrbTest/Calls:1.0"));
  EXPECT_TRUE(calls->_is_a("IDL:OrbTest/Watcher:1.0"));
  EXPECT_FALSE(calls->_is_a("IDL:OrbTest/Other:1.0"));
  EXPECT_FALSE(calls->_non_existent());
}

TEST_P(AllTransports, PassReferencesForCallbacks) {
  const auto watcher = CORBA::make_reference<Servant>("watcher");
  const CallsRef here = client().at(client().serve(watcher));
  EXPECT_EQ(calls->ask(here, 21), 42);
  EXPECT_TRUE(calls->same(here)->_is_equivalent(here));
  EXPECT_EQ(calls->ask(nullptr, 1), -1);
  EXPECT_FALSE(calls->same(nullptr));
  EXPECT_EQ(calls->ask(calls, 4), 8);
}

TEST_P(AllTransports, PreserveUserExceptionMembers) {
  try {
    calls->greet("");
    FAIL() << "nothing was raised";
  } catch (const OrbTest::Refused& e) {
    EXPECT_EQ(e.why(), "empty name");
    EXPECT_EQ(e.code(), 7);
  }
}

TEST_P(AllTransports, RaiseUnknownForAnUndeclaredException) {
  EXPECT_THAT(
      raised_by<CORBA::UNKNOWN>([&] { calls->raise_undeclared(); }, minor::kUndeclaredException),
      HasSubstr("raise_undeclared raised IDL:OrbTest/Undeclared:1.0, which its IDL does not declare"));
}

TEST_P(AllTransports, RaiseUnknownWithTheTextOfACppException) {
  EXPECT_THAT(raised_by<CORBA::UNKNOWN>([&] { calls->raise_standard(); }, minor::kCppException),
              HasSubstr("error in the servant"));
  EXPECT_THAT(raised_by<CORBA::UNKNOWN>([&] { calls->raise_number(); }, minor::kCppException),
              HasSubstr("not derived from std::exception"));
  EXPECT_EQ(calls->twice(1), 2);  // the connection remains usable
}

TEST_P(AllTransports, PreserveSystemExceptions) {
  try {
    calls->raise_system(0x4f570123, "gain out of range");
    FAIL() << "nothing was raised";
  } catch (const CORBA::BAD_PARAM& e) {
    EXPECT_EQ(e.minor(), 0x4f570123u);
    EXPECT_EQ(e.completed(), CORBA::CompletionStatus::COMPLETED_YES);
    EXPECT_EQ(e.detail(), "gain out of range");
  }
}

TEST_P(AllTransports, RaiseBadOperationForAnUnknownOperation) {
  class Other final : public virtual CORBA::servant_traits<OrbTest::Watcher>::base_type {
    std::int32_t twice(std::int32_t n) override { return 2 * n; }
  };
  const auto other = CORBA::make_reference<Other>();
  server().root->activate_object(other);
  const CallsRef mistaken =
      client().unchecked(server().orb->object_to_string(server().root->servant_to_reference(other)));
  EXPECT_THROW(mistaken->greet("x"), CORBA::BAD_OPERATION);
}

TEST_P(AllTransports, RaiseObjectNotExistAfterDeactivation) {
  server().root->deactivate_object(server().root->servant_to_id(servant));
  EXPECT_THAT(raised_by<CORBA::OBJECT_NOT_EXIST>([&] { calls->twice(1); }, minor::kNoSuchObject),
              HasSubstr("deactivated"));
  EXPECT_TRUE(calls->_non_existent());
}

TEST_P(AllTransports, KeepTheOrderOfOneWaysAndTwoWays) {
  OrbTest::Numbers expected;
  for (std::int32_t n = 0; n < 500; ++n) {
    calls->note(n);
    expected.push_back(n);
  }
  calls->note_slowly(500, 50);
  expected.push_back(500);
  EXPECT_EQ(calls->notes(), expected);
}

TEST_P(AllTransports, ReturnFromAOneWayBeforeItsServant) {
  calls->note_at_gate(1);  // returns although the gate is closed
  EXPECT_TRUE(servant->notes().empty());
  servant->gate.open();
  EXPECT_EQ(calls->notes(), OrbTest::Numbers{1});
}

TEST_P(AllTransports, DeliverRepliesToTheCallingThread) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (std::int32_t t = 0; t < 6; ++t) {
    callers.emplace_back([&, t] {
      for (std::int32_t i = 0; i < 150; ++i) {
        const std::int32_t n = t * 1000 + i;
        if (calls->twice(n) != 2 * n) ++wrong;
        if (i % 20 == 0 && calls->slow(1, n) != n) ++wrong;
        if (i % 10 == 0 && calls->greet(std::to_string(n)) != "Hello, " + std::to_string(n) + "!") ++wrong;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST_P(AllTransports, RejectShutdownWithWaitInsideAnUpcall) {
  servant->shut_orb_down = [&](bool waiting) { server().orb->shutdown(waiting); };
  EXPECT_THAT(raised_by<CORBA::BAD_INV_ORDER>([&] { calls->shut_down(true); }, minor::kWouldDeadlock),
              HasSubstr("would deadlock"));
  EXPECT_EQ(calls->twice(2), 4);
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Transports, AllTransports,
                         ::testing::Values("direct", "inproc", "shm spin", "shm adaptive", "shm block",
                                           "mqueue spin", "mqueue adaptive", "mqueue block", "unix adaptive",
                                           "unix block", "tcp adaptive", "tcp block"),
                         test_name);

TEST(NilReferences, RaiseBadInvOrder) {
  const CallsRef nil;
  EXPECT_THAT(raised_by<CORBA::BAD_INV_ORDER>([&] { nil->twice(1); }, minor::kNilReference),
              HasSubstr("nil"));
}

}  // namespace
}  // namespace orbtest
