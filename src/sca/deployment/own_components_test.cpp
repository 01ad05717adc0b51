// The calls of a deployment to components of Orbweaver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "sca/deployment/testing/deployment_request.h"

namespace orbweaver::sca {
namespace {

using namespace orbweaver::sca::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Component a sends to b and c, by two ports; b to c.
Assembly triangle(const std::string& a, const std::string& b = "/dom/own") {
  return AssemblyBuilder()
      .add("a", a)
      .as_own()
      .add("b", b)
      .as_own()
      .add("c", "/dom/own")
      .as_own()
      .connect(0, 1)
      .connect(1, 2)
      .connect(0, 2, "out_2")
      .assembly;
}

/// Number of calls to components with one of these words.
std::ptrdiff_t count(const FakeDomain& domain, const std::vector<std::string>& words) {
  std::ptrdiff_t count = 0;
  for (const std::string& call : domain.world.calls())
    for (const std::string& word : words)
      if (call.find(" " + word) != std::string::npos) ++count;
  return count;
}

TEST(OwnComponents, AreInitializedAndConnectedByTwoCallsEach) {
  FakeDomain domain;
  Application record = deploy(request(triangle("/dom/own")), domain);
  EXPECT_EQ(domain.world.count("a initialize_with"), 1);
  EXPECT_EQ(domain.world.count("b initialize_with in=1"), 1);
  EXPECT_EQ(domain.world.count("c initialize_with in=2"), 1);
  EXPECT_EQ(domain.world.count("a connect_ports out:c1 out_2:c3"), 1);
  EXPECT_EQ(domain.world.count("b connect_ports out:c2"), 1);
  EXPECT_EQ(count(domain, {"initialize_with", "connect_ports"}), 5);
  EXPECT_EQ(count(domain, {"getPort", "connect ", "expect_streams"}), 0);
  EXPECT_EQ(domain.world.order({"initialize_with", "connect_ports", "configure"}),
            (std::vector<std::string>{"initialize_with", "connect_ports", "configure"}));
  ASSERT_EQ(record.connections.size(), 3u);
  EXPECT_THAT(undeploy(record, domain, limits()), IsEmpty());
  EXPECT_THAT(domain.world.left(), IsEmpty());
}

TEST(OwnComponents, OfEarlierVersionsAreCalledAsOthers) {
  FakeDomain domain;
  Application record = deploy(request(triangle("/dom/own_earlier", "/dom/own_earlier")), domain);
  EXPECT_EQ(domain.world.count("a initialize"), 1);
  EXPECT_EQ(domain.world.count("a expect_streams 0"), 1);
  EXPECT_EQ(domain.world.count("a getPort out_2"), 1);
  EXPECT_EQ(domain.world.count("a.out connect c1"), 1);
  EXPECT_EQ(domain.world.count("a.out_2 connect c3"), 1);
  EXPECT_EQ(domain.world.count("c initialize_with in=2"), 1);
  EXPECT_THAT(undeploy(record, domain, limits()), IsEmpty());
  EXPECT_THAT(domain.world.left(), IsEmpty());
}

TEST(OwnComponents, GetTheOtherConnectionsByConnectPort) {
  FakeDomain domain;
  deploy(request(triangle("/dom/own_half")), domain);
  EXPECT_EQ(domain.world.count("a connect_ports out:c1"), 1);
  EXPECT_EQ(domain.world.count("a.out connect c1"), 0);
  EXPECT_EQ(domain.world.count("a.out_2 connect c3"), 1);
}

TEST(OwnComponents, AreNamedIfTheyCannotBeInitializedOrConnected) {
  FakeDomain domain;
  const Assembly assembly = triangle("/dom/own_half");
  for (const auto& [call, message] : std::map<std::string, std::string>{
           {"b initialize", "component 'b' on device gpp_1 cannot be initialized: no licence"},
           {"b connect_ports out:c2", "component 'b' on device gpp_1 cannot be connected: connection 'c2'"},
           {"a connect_ports",
            "component 'a' on device gpp_1 cannot be connected: one of its connections, "
            "'c1' to 'c3'"},
           {"a.out_2 connect c3", "component 'a' on device gpp_1 cannot be connected: connection 'c3'"}}) {
    domain.world.fail(call);
    EXPECT_THAT(error_of(request(assembly), domain), HasSubstr(message));
    EXPECT_THAT(domain.world.left(), IsEmpty()) << call;
  }
}

TEST(OwnComponents, AreNamedIfAPortDoesNotExist) {
  FakeDomain domain;
  Assembly assembly = triangle("/dom/own");
  assembly.connections[1].uses.port = "none";
  domain.world.fail("b nil none");
  EXPECT_THAT(error_of(request(assembly), domain),
              AllOf(HasSubstr("component 'b'"), HasSubstr("its port 'none' is not available")));
}

}  // namespace
}  // namespace orbweaver::sca
