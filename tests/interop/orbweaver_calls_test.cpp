// Calls of an Orbweaver client to a workshop: `interop_orbweaver_calls SERVER`, where SERVER is a server
// program or a reference. Run against the server of omniORB, and against that of Orbweaver over TCP.
#include <gmock/gmock.h>
#include <orbweaver/any.h>
#include <orbweaver/messaging.h>
#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <chrono>
#include <future>
#include <memory>

#include "orbweaver_workshop.h"
#include "server.h"

namespace interop {
namespace {

using WorkshopRef = IDL::traits<Interop::Workshop>::ref_type;

std::string served_by;           // server program, reference, or empty
std::unique_ptr<Server> server;  // if served_by is a program
IDL::traits<CORBA::ORB>::ref_type orb;

std::string reference() { return server ? server->ior() : served_by; }

WorkshopRef workshop_at(const std::string& text) {
  return IDL::traits<Interop::Workshop>::narrow(orb->string_to_object(text));
}

Interop::Record record(int n) {
  Interop::Record r;
  r.flag(0xfe);
  r.ratio(1.0 / 3);
  r.valid(true);
  r.code(-12345);
  r.letter('q');
  r.big(-0x123456789abcdefLL);
  r.huge_one(0xfedcba9876543210ULL);
  r.label("record " + std::to_string(n));
  r.level(0.1f);
  r.hue(Interop::Colour::blue);
  r.port(65535);
  r.aliases({"one", "", "seventeen letters"});
  r.path({{1.5, -2.5}, {1e300, -1e-300}});
  for (std::int16_t i = 0; i < 2; ++i)
    for (std::int16_t j = 0; j < 3; ++j) r.cells()[i][j] = static_cast<std::int16_t>(10 * i - j);
  for (std::int32_t i = 0; i < 4; ++i) r.few().push_back(-i);
  return r;
}

void expect_equal(const Interop::Record& a, const Interop::Record& b) {
  EXPECT_EQ(a.flag(), b.flag());
  EXPECT_EQ(a.ratio(), b.ratio());
  EXPECT_EQ(a.valid(), b.valid());
  EXPECT_EQ(a.code(), b.code());
  EXPECT_EQ(a.letter(), b.letter());
  EXPECT_EQ(a.big(), b.big());
  EXPECT_EQ(a.huge_one(), b.huge_one());
  EXPECT_EQ(a.label(), b.label());
  EXPECT_EQ(a.level(), b.level());
  EXPECT_EQ(a.hue(), b.hue());
  EXPECT_EQ(a.port(), b.port());
  EXPECT_EQ(a.aliases(), b.aliases());
  ASSERT_EQ(a.path().size(), b.path().size());
  for (std::size_t i = 0; i < a.path().size(); ++i) {
    EXPECT_EQ(a.path()[i].x(), b.path()[i].x());
    EXPECT_EQ(a.path()[i].y(), b.path()[i].y());
  }
  EXPECT_EQ(a.cells(), b.cells());
  ASSERT_EQ(a.few().size(), b.few().size());
  for (std::size_t i = 0; i < a.few().size(); ++i) EXPECT_EQ(a.few()[i], b.few()[i]);
}

struct OrbweaverCalls : testing::Test {
  WorkshopRef workshop = workshop_at(reference());
  void SetUp() override { ASSERT_TRUE(workshop) << "the reference is not of a workshop"; }
};

TEST_F(OrbweaverCalls, NarrowsAReference) {
  EXPECT_TRUE(workshop->_is_a("IDL:Interop/Workshop:1.0"));
  EXPECT_TRUE(workshop->_is_a("IDL:Interop/Counter:1.0"));
  EXPECT_TRUE(workshop->_is_a("IDL:omg.org/CORBA/Object:1.0"));
  EXPECT_FALSE(workshop->_is_a("IDL:Interop/Elsewhere:1.0"));
  EXPECT_FALSE(workshop->_non_existent());
}

TEST_F(OrbweaverCalls, ResolvesACorbaloc) {
  if (!server) GTEST_SKIP() << "only where the test starts the server";
  const WorkshopRef same = workshop_at(server->corbaloc());
  ASSERT_TRUE(same);
  workshop->value(4711);
  EXPECT_EQ(same->value(), 4711);
}

TEST_F(OrbweaverCalls, CallsThroughABaseInterface) {
  const auto counter = IDL::traits<Interop::Counter>::narrow(orb->string_to_object(reference()));
  ASSERT_TRUE(counter);
  counter->value(40);
  EXPECT_EQ(counter->add(2), 42);
}

TEST_F(OrbweaverCalls, ReadsAndWritesAttributes) {
  EXPECT_EQ(workshop->name(), "peer");
  workshop->value(-7);
  EXPECT_EQ(workshop->value(), -7);
}

TEST_F(OrbweaverCalls, PassesStringsOfEveryLength) {
  for (const std::size_t length : {0u, 1u, 2u, 3u, 4u, 7u, 8u, 255u, 8192u, 100'000u}) {
    const std::string text(length, 'x');
    EXPECT_EQ(workshop->echo_string(text), text);
  }
}

TEST_F(OrbweaverCalls, PassesLargeSequencesOfDoubles) {
  // 80,000 doubles are 640 kB, many times omniORB's buffer, so that they are returned in several writes.
  for (const std::size_t length : {0u, 1u, 2u, 1000u, 1024u, 80'000u}) {
    Interop::Doubles sent(length);
    for (std::size_t i = 0; i < length; ++i) sent[i] = static_cast<double>(i) / 7;
    EXPECT_EQ(workshop->echo_doubles(sent), sent);
  }
}

TEST_F(OrbweaverCalls, PassesLargeSequencesOfOctets) {
  Interop::Octets sent(1'000'003);
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<std::uint8_t>(i * 31);
  EXPECT_TRUE(workshop->echo_octets(sent) == sent);
}

TEST_F(OrbweaverCalls, PassesSequencesOfStrings) {
  Interop::Names sent;
  for (std::uint32_t i = 0; i < 5000; ++i) sent.push_back(std::to_string(i * i * i));
  EXPECT_EQ(workshop->echo_names(sent), sent);
}

TEST_F(OrbweaverCalls, PassesAStruct) { expect_equal(workshop->echo_record(record(1)), record(1)); }

TEST_F(OrbweaverCalls, PassesPaddedStructs) {
  Interop::Records sent;
  for (int i = 0; i < 300; ++i) {
    sent.push_back(record(i));
    sent.back().label(std::string(static_cast<std::size_t>(i % 9), 'p'));  // shifts what follows
  }
  const Interop::Records back = workshop->echo_records(sent);
  ASSERT_EQ(back.size(), sent.size());
  for (std::size_t i = 0; i < sent.size(); ++i) expect_equal(back[i], sent[i]);
}

TEST_F(OrbweaverCalls, PassesArrays) {
  const Interop::Grid sent = {{{1, 2, 3}, {-4, -5, -6}}};
  EXPECT_EQ(workshop->echo_grid(sent), sent);
}

TEST_F(OrbweaverCalls, ReturnsOutAndInoutParameters) {
  std::int32_t remainder = 0;
  EXPECT_EQ(workshop->divide(47, 10, remainder), 4);
  EXPECT_EQ(remainder, 7);

  std::string left = "left", right = "the right one", together;
  workshop->exchange(left, right, together);
  EXPECT_EQ(left, "the right one");
  EXPECT_EQ(right, "left");
  EXPECT_EQ(together, "leftthe right one");

  std::uint32_t points = 100;
  const Interop::Track mirrored = workshop->mirror({{1, 2}, {3, 4}}, points);
  EXPECT_EQ(points, 102u);
  ASSERT_EQ(mirrored.size(), 2u);
  EXPECT_EQ(mirrored[1].x(), 4);
}

TEST_F(OrbweaverCalls, RaisesUserExceptionsWithMembers) {
  std::int32_t remainder = 0;
  try {
    workshop->divide(5, 0, remainder);
    FAIL() << "divided by zero";
  } catch (const Interop::Refused& refused) {
    EXPECT_EQ(refused.reason(), "division by zero");
    EXPECT_EQ(refused.code(), 5);
    EXPECT_EQ(refused.evidence(), Interop::Doubles{5});
  }
  EXPECT_THROW(workshop->be_busy(), Interop::Busy);
  EXPECT_THROW(workshop->refuse("no", 1), Interop::Refused);
}

TEST_F(OrbweaverCalls, RaisesSystemExceptionsWithMinorCodes) {
  try {
    workshop->raise_bad_param(0x4f570123);
    FAIL() << "nothing was raised";
  } catch (const CORBA::BAD_PARAM& problem) {
    EXPECT_EQ(problem.minor(), 0x4f570123u);
    EXPECT_EQ(problem.completed(), CORBA::CompletionStatus::COMPLETED_YES);
  }
  EXPECT_THROW(workshop->raise_something_else(), CORBA::UNKNOWN);
}

TEST_F(OrbweaverCalls, RaisesObjectNotExist) {
  if (!server) GTEST_SKIP() << "only where the test starts the server";
  const std::string elsewhere =
      "corbaloc:iiop:" + giop_version() + "@127.0.0.1:" + server->port() + "/nothing/here";
  EXPECT_THROW(
      {
        const WorkshopRef missing = workshop_at(elsewhere);
        if (missing) (void)missing->value();
      },
      CORBA::OBJECT_NOT_EXIST);
}

TEST_F(OrbweaverCalls, PassesReferences) {
  EXPECT_TRUE(workshop->itself()->_is_equivalent(workshop));
  const WorkshopRef branch = workshop->open_branch("branch");
  EXPECT_EQ(branch->name(), "branch");
  EXPECT_EQ(branch->as_named()->name(), "branch");
  const WorkshopRef narrowed = IDL::traits<Interop::Workshop>::narrow(branch->as_object());
  ASSERT_TRUE(narrowed);
  EXPECT_EQ(narrowed->name(), "branch");
}

TEST_F(OrbweaverCalls, PassesNilReferences) {
  EXPECT_FALSE(workshop->none());
  EXPECT_TRUE(workshop->is_nil_object(nullptr));
  EXPECT_FALSE(workshop->is_nil_object(workshop));
}

TEST_F(OrbweaverCalls, FollowsAForward) {
  EXPECT_EQ(workshop->moved()->name(), workshop->name());
  Interop::Octets data(3'000'000);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(i % 251);
  EXPECT_EQ(workshop->moved()->echo_octets(data), data);
  const WorkshopRef moved = workshop->moved();
  std::int32_t remainder = 0;
  EXPECT_THROW(moved->divide(1, 0, remainder), Interop::Refused);
  EXPECT_EQ(moved->divide(17, 5, remainder), 3);
  EXPECT_EQ(remainder, 2);
}

TEST_F(OrbweaverCalls, MakesAsynchronousCalls) {
  constexpr int kCalls = 2'000;
  std::vector<orbweaver::Future<std::string>> texts;
  for (int i = 0; i < kCalls; ++i) texts.push_back(workshop->async_echo_string(std::to_string(i)));
  auto divided = workshop->async_divide(17, 5);
  auto refused = workshop->async_refuse("closed", 3);
  auto forwarded = workshop->moved()->async_get_name();
  for (int i = 0; i < kCalls; ++i) ASSERT_EQ(texts[i].get(), std::to_string(i));
  EXPECT_EQ(divided.get(), std::make_tuple(3, 2));
  EXPECT_THROW(refused.get(), Interop::Refused);
  EXPECT_EQ(forwarded.get(), workshop->name());
  // Alone: tshark takes a reply of this size for malformed if its last segment contains another message.
  EXPECT_EQ(workshop->async_echo_octets(Interop::Octets(5'000'000, 7)).get(), Interop::Octets(5'000'000, 7));
}

TEST_F(OrbweaverCalls, CallsBackAPassedReference) {
  EXPECT_EQ(workshop->name_of(workshop), "peer");
  const auto ours = CORBA::make_reference<OrbweaverWorkshop>("here");
  EXPECT_EQ(workshop->name_of(ours->_this()), "here");
}

TEST_F(OrbweaverCalls, KeepsTheOrderOfOneWays) {
  const WorkshopRef fresh = workshop->open_branch("notes");
  Interop::Names sent;
  for (int i = 0; i < 500; ++i) {
    sent.push_back("note " + std::to_string(i));
    fresh->note(sent.back());
  }
  Interop::Names seen;
  for (int attempts = 0; attempts < 500 && seen.size() < sent.size(); ++attempts) seen = fresh->notes();
  EXPECT_EQ(seen, sent);
}

/// A reference to the same object, whose one-way calls return as `scope` states.
WorkshopRef synchronous(const WorkshopRef& workshop, Messaging::SyncScope scope) {
  CORBA::Any value;
  value <<= scope;
  const auto policy = orb->create_policy(Messaging::SYNC_SCOPE_POLICY_TYPE, value);
  return IDL::traits<Interop::Workshop>::narrow(
      workshop->_set_policy_overrides({policy}, CORBA::SetOverrideType::ADD_OVERRIDE));
}

TEST_F(OrbweaverCalls, WaitsForOneWayCallsBySyncScope) {
  const WorkshopRef fresh = workshop->open_branch("awaited");
  for (const auto scope : {Messaging::SYNC_WITH_SERVER, Messaging::SYNC_WITH_TARGET}) {
    synchronous(fresh, scope)->note("waited for");
  }
  fresh->note("not waited for");
  Interop::Names seen;
  for (int attempts = 0; attempts < 500 && seen.size() < 3; ++attempts) seen = fresh->notes();
  EXPECT_EQ(seen, (Interop::Names{"waited for", "waited for", "not waited for"}));
}

TEST_F(OrbweaverCalls, KeepsTheOrderOfOneWaysOfAllSyncScopes) {
  const WorkshopRef fresh = workshop->open_branch("scopes");
  constexpr Messaging::SyncScope kScopes[] = {Messaging::SYNC_NONE, Messaging::SYNC_WITH_TRANSPORT,
                                              Messaging::SYNC_WITH_SERVER, Messaging::SYNC_WITH_TARGET};
  Interop::Names sent;
  for (std::size_t i = 0; i < 100; ++i) {
    sent.push_back("note " + std::to_string(i));
    synchronous(fresh, kScopes[i * 7 % 4])->note(sent.back());
  }
  Interop::Names seen;
  for (int attempts = 0; attempts < 500 && seen.size() < sent.size(); ++attempts) seen = fresh->notes();
  EXPECT_EQ(seen, sent);
}

/// A reference to the same object, whose calls last at most `limit`.
WorkshopRef limited(const WorkshopRef& workshop, std::chrono::milliseconds limit) {
  CORBA::Any value;
  value <<= TimeBase::TimeT{10'000ull * static_cast<unsigned long long>(limit.count())};
  const auto policy = orb->create_policy(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, value);
  return IDL::traits<Interop::Workshop>::narrow(
      workshop->_set_policy_overrides({policy}, CORBA::SetOverrideType::ADD_OVERRIDE));
}

TEST_F(OrbweaverCalls, PassesATimeLimit) {
  const WorkshopRef same = limited(workshop, std::chrono::seconds(60));
  EXPECT_EQ(same->name_of(same), workshop->name_of(workshop));
}

/// Its attribute is read when the gate is open.
class Gate final : public virtual CORBA::servant_traits<Interop::Named>::base_type {
 public:
  std::string name() override {
    opened_.wait();
    return "open";
  }
  void open() { open_.set_value(); }

 private:
  std::promise<void> open_;
  const std::shared_future<void> opened_ = open_.get_future().share();
};

TEST_F(OrbweaverCalls, KeepsTheConnectionAfterATimeout) {
  const auto gate = CORBA::make_reference<Gate>();
  EXPECT_THROW((void)limited(workshop, std::chrono::milliseconds(200))->name_of(gate->_this()),
               CORBA::TIMEOUT);
  gate->open();
  // The late reply belongs to no later call.
  for (int i = 0; i < 100; ++i) EXPECT_EQ(workshop->echo_string(std::to_string(i)), std::to_string(i));
  EXPECT_EQ(workshop->name_of(gate->_this()), "open");
}

}  // namespace

OrbweaverWorkshop::WorkshopRef workshop_under_test() { return workshop_at(reference()); }

}  // namespace interop

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  using namespace interop;
  try {
    if (argc > 1) served_by = argv[1];
    if (argc > 1 && served_by.find(':') == std::string::npos) server = std::make_unique<Server>(served_by);
    // Calls over TCP or the named transport, callbacks over TCP: with Orbweaver on both sides, too, no other
    // transport is used.
    const std::string transport = argc > 2 ? argv[2] : "tcp";
    std::vector<std::string> args = {"interop_orbweaver_calls", "-ORBListen", "tcp:127.0.0.1:0",
                                     "-ORBTransportPreference", transport};
    for (const std::string& option : options_from_environment()) args.push_back(option);
    std::vector<char*> arguments;
    for (std::string& arg : args) arguments.push_back(arg.data());
    int count = static_cast<int>(arguments.size());
    orb = CORBA::ORB_init(count, arguments.data());
    auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    poa->the_POAManager()->activate();
    poa = nullptr;
    const int result = RUN_ALL_TESTS();
    orb->destroy();
    orb = nullptr;
    return result;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  }
}
