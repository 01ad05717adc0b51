// Components that answer wrongly, starts that fail, and releases of components that raise exceptions. Those
// that die or hang are tested with processes: tests/domain/failing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sca/deployment/testing/deployment_request.h"

namespace orbweaver::sca {
namespace {

using ::testing::AllOf;
using testing::AssemblyBuilder;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::error_of;
using testing::FakeDomain;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::request;

/// An answer that cannot be used: of a component whose file is `file`.
struct WrongAnswer {
  const char* name;
  bool is_sca41;
  const char* file;
  const char* failure;  ///< What the object is asked for (testing/fake_component.h); empty: the file says it.
  const char* message;  ///< A part of the error.
};

void PrintTo(const WrongAnswer& answer, std::ostream* out) { *out << answer.name; }

class WronglyAnswering : public ::testing::TestWithParam<WrongAnswer> {};

TEST_P(WronglyAnswering, IsNamedAndLeavesNothing) {
  const WrongAnswer& answer = GetParam();
  AssemblyBuilder builder;
  builder.add("a", "/dom/silent").add("b", std::string("/dom") + answer.file);
  builder.assembly.packages[0].implementations[0].file = "/dom/part";
  if (answer.is_sca41) builder.as_sca41();
  builder.connect(0, 1);
  FakeDomain domain;
  domain.world.fail(answer.failure);
  const std::string message = error_of(request(builder.assembly), domain);
  EXPECT_THAT(message, AllOf(HasSubstr(answer.message), HasSubstr("gpp_1")));
  EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 0) << message;
  EXPECT_THAT(domain.world.left(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Of, WronglyAnswering,
    ::testing::Values(
        WrongAnswer{"NoPort", false, "/part", "b nil in",
                    "component 'b' on device gpp_1 cannot be connected: its port 'in' is not available: it "
                    "returned no reference"},
        WrongAnswer{"NoPortInSca41", true, "/asked", "b nil",
                    "component 'b' on device gpp_1 cannot be connected: its port 'in' is not available: it "
                    "returned no reference"},
        WrongAnswer{"AnotherInterface", false, "/object", "",
                    "component 'b' on device gpp_1 has registered an object that is no CF::Resource"}),
    [](const auto& answer) { return answer.param.name; });

TEST(FailingFactory, IsNamedWhenItReturnsNoResource) {
  Assembly assembly = AssemblyBuilder().add("a").add("f", "/dom/factory").assembly;
  assembly.packages[1].component.type = "resourcefactory";
  assembly.factories.push_back(assembly.components[1]);
  assembly.components.pop_back();
  assembly.components[0].factory = FactoryReference{"f", 0, {}, {}};
  FakeDomain domain;
  domain.world.fail("factory nil");
  EXPECT_THAT(error_of(request(assembly), domain),
              HasSubstr("component 'a' on device gpp_1 cannot be created by resource factory 'f': the "
                        "resource factory returned no reference"));
  EXPECT_THAT(domain.world.left(), IsEmpty());
}

/// Two components, of which b is started first.
Application deployed(FakeDomain& domain) {
  Assembly assembly = AssemblyBuilder().add("a").add("b").connect(0, 1).assembly;
  assembly.components[0].start_order = 2;
  assembly.components[1].start_order = 1;
  return deploy(request(assembly), domain);
}

std::vector<std::string> starts_and_stops(FakeDomain& domain) {
  std::vector<std::string> calls = domain.world.calls();
  std::erase_if(
      calls, [](const std::string& call) { return !call.ends_with(" start") && !call.ends_with(" stop"); });
  return calls;
}

TEST(FailingStart, StopsWhatItHasStarted) {
  FakeDomain domain;
  Application record = deployed(domain);
  domain.world.fail("a start");
  try {
    start_components(record, domain);
    ADD_FAILURE() << "no exception";
  } catch (const CF::Resource::StartError& e) {
    EXPECT_THAT(e.msg(), HasSubstr("component 'a' cannot be started: "));
  }
  EXPECT_THAT(starts_and_stops(domain), ElementsAre("b start", "a start", "b stop"));
}

TEST(FailingStart, StopsNothingOfAnApplicationThatRuns) {
  FakeDomain domain;
  Application record = deployed(domain);
  record.state = ApplicationState::started;
  domain.world.fail("a start");
  EXPECT_THROW(start_components(record, domain), CF::Resource::StartError);
  EXPECT_THAT(starts_and_stops(domain), ElementsAre("b start", "a start"));
}

TEST(FailingRelease, ReportsAComponentThatRaisesAnExceptionAndReleasesIt) {
  for (const auto& [call, report] :
       {std::pair("a stop", "application 'radio': component 'a' cannot be stopped: "),
        std::pair("a.out disconnect c1",
                  "application 'radio': component 'a' cannot be disconnected: connection 'c1': "),
        std::pair("a release", "application 'radio': component 'a' cannot be released: ")}) {
    FakeDomain domain;
    Application record = deployed(domain);
    record.state = ApplicationState::started;
    domain.world.fail(call);
    EXPECT_THAT(undeploy(record, domain), IsEmpty()) << call;
    EXPECT_THAT(domain.reports, ElementsAre(HasSubstr(report)));
    EXPECT_THAT(domain.world.calls(), AllOf(Contains("a stop"), Contains("a.out disconnect c1"),
                                            Contains("a release"), Contains("b release")));
    const auto left = domain.world.left();
    // The connection is one of the component, which has not removed it, and has ended.
    EXPECT_THAT(left, Not(Contains(HasSubstr("process")))) << call;
  }
}

TEST(FailingRelease, DoesNotReportAComponentThatHasEnded) {
  FakeDomain domain;
  Application record = deployed(domain);
  record.state = ApplicationState::failed;
  for (const char* const process : {"gpp_1 1", "gpp_1 2"}) domain.ends[process] = "killed by SIGSEGV";
  domain.world.fail("a stop");
  EXPECT_THAT(undeploy(record, domain), IsEmpty());
  EXPECT_THAT(domain.reports, IsEmpty());
}

}  // namespace
}  // namespace orbweaver::sca
