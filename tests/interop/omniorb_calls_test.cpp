// Calls of an omniORB client to a workshop: `interop_omniorb_calls SERVER`, where SERVER is a server program
// or a reference. Run against the server of Orbweaver, and against that of omniORB to find out which ORB
// causes a failure.
#include <gmock/gmock.h>

#include <memory>

#include "omniorb_workshop.h"
#include "server.h"

namespace interop {
namespace {

using testing::ElementsAre;

std::string served_by;           // server program, reference, or empty
std::unique_ptr<Server> server;  // if served_by is a program
CORBA::ORB_var orb;

std::string reference() { return server ? server->ior() : served_by; }

Interop::Workshop_ptr workshop_at(const std::string& text) {
  const CORBA::Object_var object = orb->string_to_object(text.c_str());
  return Interop::Workshop::_narrow(object);
}

std::vector<std::string> texts(const Interop::Names& names) {
  std::vector<std::string> all;
  for (CORBA::ULong i = 0; i < names.length(); ++i) all.emplace_back(names[i]);
  return all;
}

std::string text_of(char* owned) {
  const CORBA::String_var text = owned;
  return text.in();
}

Interop::Record record(int n) {
  Interop::Record r;
  r.flag = 0xfe;
  r.ratio = 1.0 / 3;
  r.valid = true;
  r.code = -12345;
  r.letter = 'q';
  r.big = -0x123456789abcdefLL;
  r.huge_one = 0xfedcba9876543210ULL;
  r.label = ("record " + std::to_string(n)).c_str();
  r.level = 0.1f;
  r.hue = Interop::blue;
  r.port = 65535;
  r.aliases.length(3);
  r.aliases[0] = "one";
  r.aliases[1] = "";
  r.aliases[2] = "seventeen letters";
  r.path.length(2);
  r.path[0] = {1.5, -2.5};
  r.path[1] = {1e300, -1e-300};
  for (short i = 0; i < 2; ++i)
    for (short j = 0; j < 3; ++j) r.cells[i][j] = static_cast<CORBA::Short>(10 * i - j);
  r.few.length(4);
  for (CORBA::ULong i = 0; i < 4; ++i) r.few[i] = -static_cast<CORBA::Long>(i);
  return r;
}

void expect_equal(const Interop::Record& a, const Interop::Record& b) {
  EXPECT_EQ(a.flag, b.flag);
  EXPECT_EQ(a.ratio, b.ratio);
  EXPECT_EQ(a.valid, b.valid);
  EXPECT_EQ(a.code, b.code);
  EXPECT_EQ(a.letter, b.letter);
  EXPECT_EQ(a.big, b.big);
  EXPECT_EQ(a.huge_one, b.huge_one);
  EXPECT_STREQ(a.label, b.label);
  EXPECT_EQ(a.level, b.level);
  EXPECT_EQ(a.hue, b.hue);
  EXPECT_EQ(a.port, b.port);
  EXPECT_EQ(texts(a.aliases), texts(b.aliases));
  ASSERT_EQ(a.path.length(), b.path.length());
  for (CORBA::ULong i = 0; i < a.path.length(); ++i) {
    EXPECT_EQ(a.path[i].x, b.path[i].x);
    EXPECT_EQ(a.path[i].y, b.path[i].y);
  }
  EXPECT_EQ(memcmp(a.cells, b.cells, sizeof a.cells), 0);
  ASSERT_EQ(a.few.length(), b.few.length());
  for (CORBA::ULong i = 0; i < a.few.length(); ++i) EXPECT_EQ(a.few[i], b.few[i]);
}

struct OmniOrbCallsOrbweaver : testing::Test {
  Interop::Workshop_var workshop = workshop_at(reference());
};

TEST_F(OmniOrbCallsOrbweaver, NarrowsAReference) {
  ASSERT_FALSE(CORBA::is_nil(workshop));
  EXPECT_TRUE(workshop->_is_a("IDL:Interop/Workshop:1.0"));
  EXPECT_TRUE(workshop->_is_a("IDL:Interop/Counter:1.0"));
  EXPECT_TRUE(workshop->_is_a("IDL:omg.org/CORBA/Object:1.0"));
  EXPECT_FALSE(workshop->_is_a("IDL:Interop/Elsewhere:1.0"));
  EXPECT_FALSE(workshop->_non_existent());
}

TEST_F(OmniOrbCallsOrbweaver, ResolvesACorbaloc) {
  if (!server) GTEST_SKIP() << "only where the test starts the server";
  const Interop::Workshop_var same = workshop_at(server->corbaloc());
  ASSERT_FALSE(CORBA::is_nil(same));
  workshop->value(4711);
  EXPECT_EQ(same->value(), 4711);
}

TEST_F(OmniOrbCallsOrbweaver, CallsThroughABaseInterface) {
  const CORBA::Object_var object = orb->string_to_object(reference().c_str());
  const Interop::Counter_var counter = Interop::Counter::_narrow(object);
  ASSERT_FALSE(CORBA::is_nil(counter));
  counter->value(40);
  EXPECT_EQ(counter->add(2), 42);
}

TEST_F(OmniOrbCallsOrbweaver, ReadsAndWritesAttributes) {
  EXPECT_EQ(text_of(workshop->name()), "peer");
  workshop->value(-7);
  EXPECT_EQ(workshop->value(), -7);
}

TEST_F(OmniOrbCallsOrbweaver, PassesStringsOfEveryLength) {
  for (const std::size_t length : {0u, 1u, 2u, 3u, 4u, 7u, 8u, 255u, 8192u, 100'000u}) {
    const std::string text(length, 'x');
    EXPECT_EQ(text_of(workshop->echo_string(text.c_str())), text);
  }
  EXPECT_EQ(text_of(workshop->echo_string("Z\xfcrich, 3 \xb5s")), "Z\xfcrich, 3 \xb5s") << "ISO 8859-1";
}

TEST_F(OmniOrbCallsOrbweaver, PassesLargeSequencesOfDoubles) {
  // 80,000 doubles are 640 kB, many times omniORB's buffer, so that they are sent in several writes.
  for (const CORBA::ULong length : {0u, 1u, 2u, 1000u, 1024u, 80'000u}) {
    Interop::Doubles sent;
    sent.length(length);
    for (CORBA::ULong i = 0; i < length; ++i) sent[i] = i / 7.0;
    Interop::Doubles_var back = workshop->echo_doubles(sent);
    ASSERT_EQ(back->length(), length);
    EXPECT_TRUE(std::equal(sent.get_buffer(), sent.get_buffer() + length, back->get_buffer()));
  }
}

TEST_F(OmniOrbCallsOrbweaver, PassesLargeSequencesOfOctets) {
  Interop::Octets sent;
  sent.length(1'000'003);
  for (CORBA::ULong i = 0; i < sent.length(); ++i) sent[i] = static_cast<CORBA::Octet>(i * 31);
  Interop::Octets_var back = workshop->echo_octets(sent);
  ASSERT_EQ(back->length(), sent.length());
  EXPECT_EQ(memcmp(&sent[0], &back[0], sent.length()), 0);
}

TEST_F(OmniOrbCallsOrbweaver, PassesSequencesOfStrings) {
  Interop::Names sent;
  sent.length(5000);  // about 100 kB that no ORB can send as a single block
  for (CORBA::ULong i = 0; i < sent.length(); ++i) sent[i] = std::to_string(i * i * i).c_str();
  Interop::Names_var back = workshop->echo_names(sent);
  EXPECT_EQ(texts(back), texts(sent));
}

TEST_F(OmniOrbCallsOrbweaver, PassesAStruct) {
  const Interop::Record sent = record(1);
  Interop::Record_var back = workshop->echo_record(sent);
  expect_equal(sent, back);
}

TEST_F(OmniOrbCallsOrbweaver, PassesPaddedStructs) {
  Interop::Records sent;
  sent.length(300);
  for (CORBA::ULong i = 0; i < sent.length(); ++i) {
    sent[i] = record(static_cast<int>(i));
    sent[i].label = std::string(i % 9, 'p').c_str();  // shifts what follows through every alignment
  }
  Interop::Records_var back = workshop->echo_records(sent);
  ASSERT_EQ(back->length(), sent.length());
  for (CORBA::ULong i = 0; i < sent.length(); ++i) expect_equal(sent[i], back[i]);
}

TEST_F(OmniOrbCallsOrbweaver, PassesArrays) {
  Interop::Grid sent = {{1, 2, 3}, {-4, -5, -6}};
  Interop::Grid_var back = workshop->echo_grid(sent);
  EXPECT_EQ(memcmp(back.in(), sent, sizeof sent), 0);
}

TEST_F(OmniOrbCallsOrbweaver, ReturnsOutAndInoutParameters) {
  CORBA::Long remainder = 0;
  EXPECT_EQ(workshop->divide(47, 10, remainder), 4);
  EXPECT_EQ(remainder, 7);

  CORBA::String_var left = "left", right = "the right one", together;
  workshop->exchange(left.inout(), right.inout(), together.out());
  EXPECT_STREQ(left, "the right one");
  EXPECT_STREQ(right, "left");
  EXPECT_STREQ(together, "leftthe right one");

  Interop::Track track;
  track.length(2);
  track[0] = {1, 2};
  track[1] = {3, 4};
  CORBA::ULong points = 100;
  Interop::Track_var mirrored = workshop->mirror(track, points);
  EXPECT_EQ(points, 102u);
  EXPECT_EQ(mirrored[1].x, 4);
}

TEST_F(OmniOrbCallsOrbweaver, RaisesUserExceptionsWithMembers) {
  CORBA::Long remainder = 0;
  try {
    workshop->divide(5, 0, remainder);
    FAIL() << "divided by zero";
  } catch (const Interop::Refused& refused) {
    EXPECT_STREQ(refused.reason, "division by zero");
    EXPECT_EQ(refused.code, 5);
    ASSERT_EQ(refused.evidence.length(), 1u);
    EXPECT_EQ(refused.evidence[0], 5);
  }
  EXPECT_THROW(workshop->be_busy(), Interop::Busy);
  EXPECT_THROW(workshop->refuse("no", 1), Interop::Refused);
}

TEST_F(OmniOrbCallsOrbweaver, RaisesSystemExceptionsWithMinorCodes) {
  try {
    workshop->raise_bad_param(0x4f570123);
    FAIL() << "nothing was raised";
  } catch (const CORBA::BAD_PARAM& problem) {
    EXPECT_EQ(problem.minor(), 0x4f570123u);
    EXPECT_EQ(problem.completed(), CORBA::COMPLETED_YES);
  }
  EXPECT_THROW(workshop->raise_something_else(), CORBA::UNKNOWN);
}

TEST_F(OmniOrbCallsOrbweaver, RaisesObjectNotExist) {
  if (!server) GTEST_SKIP() << "only where the test starts the server";
  const std::string elsewhere = "corbaloc::127.0.0.1:" + server->port() + "/nothing/here";
  const CORBA::Object_var object = orb->string_to_object(elsewhere.c_str());
  EXPECT_THROW(
      {
        const Interop::Workshop_var missing = Interop::Workshop::_unchecked_narrow(object);
        (void)missing->value();
      },
      CORBA::OBJECT_NOT_EXIST);
}

TEST_F(OmniOrbCallsOrbweaver, PassesReferences) {
  const Interop::Workshop_var itself = workshop->itself();
  EXPECT_TRUE(itself->_is_equivalent(workshop));
  const Interop::Workshop_var branch = workshop->open_branch("branch");
  EXPECT_EQ(text_of(branch->name()), "branch");
  const Interop::Named_var named = branch->as_named();
  EXPECT_EQ(text_of(named->name()), "branch");
  const CORBA::Object_var object = branch->as_object();
  const Interop::Workshop_var narrowed = Interop::Workshop::_narrow(object);
  ASSERT_FALSE(CORBA::is_nil(narrowed));
  EXPECT_EQ(text_of(narrowed->name()), "branch");
}

TEST_F(OmniOrbCallsOrbweaver, PassesNilReferences) {
  const Interop::Workshop_var none = workshop->none();
  EXPECT_TRUE(CORBA::is_nil(none));
  EXPECT_TRUE(workshop->is_nil_object(CORBA::Object::_nil()));
  EXPECT_FALSE(workshop->is_nil_object(workshop));
}

TEST_F(OmniOrbCallsOrbweaver, FollowsAForward) {
  const std::string name = text_of(workshop->name());
  Interop::Workshop_var moved = workshop->moved();
  EXPECT_EQ(text_of(moved->name()), name);
  moved = workshop->moved();
  Interop::Octets data;
  data.length(3'000'000);
  for (CORBA::ULong i = 0; i < data.length(); ++i) data[i] = static_cast<CORBA::Octet>(i % 251);
  Interop::Octets_var back = moved->echo_octets(data);
  ASSERT_EQ(back->length(), data.length());
  EXPECT_EQ(back[2'999'999u], data[2'999'999u]);
  moved = workshop->moved();
  CORBA::Long remainder = 0;
  EXPECT_THROW(moved->divide(1, 0, remainder), Interop::Refused);
  EXPECT_EQ(moved->divide(17, 5, remainder), 3);
  EXPECT_EQ(remainder, 2);
}

TEST_F(OmniOrbCallsOrbweaver, CallsBackAPassedReference) {
  EXPECT_EQ(text_of(workshop->name_of(workshop)), "peer");
  PortableServer::Servant_var<OmniOrbWorkshop> ours = new OmniOrbWorkshop("here");
  const Interop::Workshop_var here = ours->_this();
  EXPECT_EQ(text_of(workshop->name_of(here)), "here");
}

TEST_F(OmniOrbCallsOrbweaver, KeepsTheOrderOfOneWays) {
  const Interop::Workshop_var fresh = workshop->open_branch("notes");
  std::vector<std::string> sent;
  for (int i = 0; i < 500; ++i) {
    sent.push_back("note " + std::to_string(i));
    fresh->note(sent.back().c_str());
  }
  std::vector<std::string> seen;
  for (int attempts = 0; attempts < 500 && seen.size() < sent.size(); ++attempts) {
    Interop::Names_var notes = fresh->notes();
    seen = texts(notes);
  }
  EXPECT_EQ(seen, sent);
}

}  // namespace

Interop::Workshop_ptr workshop_under_test() { return workshop_at(reference()); }

}  // namespace interop

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  using namespace interop;
  try {
    if (argc > 1) served_by = argv[1];
    if (argc > 1 && served_by.find(':') == std::string::npos) server = std::make_unique<Server>(served_by);
    const char* options[][2] = {
        {"endPoint", "giop:tcp:127.0.0.1:"}, {"giopMaxMsgSize", "67108864"}, {nullptr, nullptr}};
    int none = 0;
    orb = CORBA::ORB_init(none, nullptr, "omniORB4", options);
    const CORBA::Object_var root = orb->resolve_initial_references("RootPOA");
    const PortableServer::POA_var poa = PortableServer::POA::_narrow(root);
    const PortableServer::POAManager_var manager = poa->the_POAManager();
    manager->activate();
    const int result = RUN_ALL_TESTS();
    orb->destroy();
    return result;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  }
}
