// Stringified references, initial references, and the list of minor codes.
#include <gmock/gmock.h>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>

#include "orb/minor_codes.h"
#include "testing/giop_builder.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

using ::testing::HasSubstr;
namespace minor = orbweaver::minor;

std::string refused(TestOrb& broker, const std::string& text) {
  return raised_by<CORBA::BAD_PARAM>([&] { broker.orb->string_to_object(text); }, minor::kBadString);
}

TEST(References, RejectGarbageWithAMessage) {
  TestOrb broker;
  for (const char* text : {"",
                           " ",
                           "IOR",
                           "IOR:",
                           "IOR:0",
                           "IOR:zz",
                           "IOR:00",
                           "IOR:00000000ffffffff",
                           "ior",
                           "http://x/",
                           "corbaloc:",
                           "corbaloc::",
                           "corbaloc:iiop:",
                           "corbaloc::host:notaport/x",
                           "corbaloc::h:99999/k",
                           "corbaname:",
                           "file://",
                           "file:///",
                           "file:///nowhere/at/all",
                           "corbaloc:rir:/%zz"}) {
    EXPECT_THAT(refused(broker, text),
                ::testing::Not(::testing::AnyOf(HasSubstr("another"), HasSubstr("nothing"))))
        << "'" << text << "'";
  }
}

TEST(References, RejectEveryTruncation) {
  TestOrb broker;
  const std::string good = broker.serve(CORBA::make_reference<Servant>());
  for (std::size_t length = 0; length < good.size(); length += 7) {
    EXPECT_THROW(broker.orb->string_to_object(good.substr(0, length)), CORBA::BAD_PARAM) << length;
  }
}

TEST(References, SurviveAnyCorruptByte) {
  TestOrb broker{Options{"-ORBTune", "connect-timeout-ms=50", "-ORBCallTimeout", "50"}};
  const std::string good = broker.serve(CORBA::make_reference<Servant>());
  for (std::size_t at = 4; at < good.size(); at += 3) {
    std::string bad = good;
    bad[at] = bad[at] == '0' ? 'f' : '0';
    try {
      broker.orb->string_to_object(bad);
    } catch (const CORBA::SystemException&) {
    }
  }
}

TEST(References, ConvertNil) {
  TestOrb broker;
  EXPECT_FALSE(broker.orb->string_to_object(broker.orb->object_to_string(nullptr)));
  EXPECT_THROW(broker.orb->object_to_string(broker.root), CORBA::BAD_PARAM);
}

TEST(References, ReadABoundedPartOfAnEndlessFile) {
  TestOrb broker;
  EXPECT_THAT(refused(broker, "file:///dev/zero"), HasSubstr("not an object reference"));
}

TEST(References, ReadAFileUrl) {
  TestOrb server, client;
  const std::string reference = server.serve(CORBA::make_reference<Servant>());
  char path[] = "/tmp/orbweaver-test-XXXXXX";
  const int fd = ::mkstemp(path);
  ASSERT_GE(fd, 0);
  ::close(fd);
  std::ofstream(path) << reference << '\n';
  EXPECT_EQ(client.at("file://" + std::string(path))->twice(1), 2);
  std::ofstream(path) << "file://" << path << '\n';
  EXPECT_THAT(refused(client, "file://" + std::string(path)), HasSubstr("another file"));
  std::remove(path);
}

TEST(References, RejectCircularInitialReferences) {
  TestOrb broker{Options{"-ORBInitRef", "A=corbaloc:rir:/B", "-ORBInitRef", "B=corbaloc:rir:/A"}};
  EXPECT_THAT(
      raised_by<CORBA::BAD_PARAM>([&] { broker.orb->resolve_initial_references("A"); }, minor::kBadString),
      HasSubstr("is circular"));
  EXPECT_THROW(broker.orb->resolve_initial_references("Unheard"), CORBA::ORB::InvalidName);
}

TEST(References, RaiseTransientWithTheEndpointThatRefusedTheConnection) {
  TestOrb broker;
  EXPECT_THAT(raised_by<CORBA::TRANSIENT>([&] { broker.unchecked("corbaloc::127.0.0.1:1/x")->twice(1); },
                                          minor::kNoUsableEndpoint),
              HasSubstr("127.0.0.1:1"));
}

TEST(References, RaiseInvObjrefWithoutAUsableEndpoint) {
  TestOrb broker{Options{"-ORBTransportPreference", "shm"}};
  EXPECT_THROW(broker.unchecked("corbaloc::127.0.0.1:1/x")->twice(1), CORBA::INV_OBJREF);
}

std::string content(const std::string& file) {
  std::ifstream in(std::string(ORBWEAVER_SOURCE_DIR) + "/" + file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(MinorCodes, AreAllDocumented) {
  const std::string header = content("src/orb/minor_codes.h"), list = content("docs/minor-codes.md");
  const std::regex line("// ([A-Z_, ]+)[:\\n]|(k\\w+) = (kVendor|kOmg) \\+ (\\d+);");
  std::string exceptions;
  int codes = 0;
  for (std::sregex_iterator match(header.begin(), header.end(), line), end; match != end; ++match) {
    if ((*match)[1].matched) {
      exceptions = (*match)[1];
      continue;
    }
    ++codes;
    char code[16];
    std::snprintf(code, sizeof code, "0x%08lx",
                  ((*match)[3] == "kOmg" ? 0x4f4d0000ul : 0x4f570000ul) + std::stoul((*match)[4]));
    bool found = false;
    std::stringstream names(exceptions);
    for (std::string name; std::getline(names, name, ',');) {
      name.erase(0, name.find_first_not_of(' '));
      found |= list.find("| " + name + " | " + code + " |") != std::string::npos;
    }
    EXPECT_TRUE(found) << (*match)[2] << ": " << exceptions << " " << code
                       << " is not in docs/minor-codes.md";
  }
  EXPECT_GT(codes, 25);
}

}  // namespace
}  // namespace orbtest
