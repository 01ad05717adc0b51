// Deployments of which a step fails: one error that names the step, after which nothing is left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <chrono>

#include "platform/testing/becomes_true.h"
#include "sca/deployment/testing/deployment_request.h"
#include "sca/deployment/undeployment.h"

namespace orbweaver::sca {
namespace {

using platform::testing::becomes_true;
using ::testing::AllOf;
using testing::AssemblyBuilder;
using testing::chain;
using ::testing::Contains;
using testing::error_of;
using testing::FakeDomain;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kHangingCallMs;
using testing::limits;
using ::testing::Not;
using testing::request;

/// A step that fails, and what the message says.
struct FailingStep {
  const char* name;
  const char* call;     ///< That fails.
  const char* message;  ///< A part of the message.
  const char* undone;   ///< The calls by which the steps before it are undone.
};

void PrintTo(const FailingStep& step, std::ostream* out) { *out << step.name; }

class DeploymentStep : public ::testing::TestWithParam<FailingStep> {};

TEST_P(DeploymentStep, IsUndoneInReverseOrderWhenItFails) {
  FakeDomain domain;
  const Assembly assembly = chain();
  domain.world.fail(GetParam().call);
  const std::string message = error_of(request(assembly), domain);
  EXPECT_THAT(message, HasSubstr(GetParam().message));
  EXPECT_THAT(message, HasSubstr("gpp_1"));
  EXPECT_THAT(message, Not(HasSubstr("\nprocess"))) << "nothing is left";
  EXPECT_THAT(domain.world.left(), IsEmpty());
  std::string undone;
  for (const std::string& word :
       domain.world.order({"disconnect", "release", "terminate", "unload", "deallocate", "remove"}))
    undone += (undone.empty() ? "" : " ") + word;
  EXPECT_EQ(undone, GetParam().undone);
}

INSTANTIATE_TEST_SUITE_P(
    Steps, DeploymentStep,
    ::testing::Values(
        FailingStep{"Allocate", "gpp_1 allocate memory=64", "component 'a' can be placed on no device", ""},
        FailingStep{"Load", "gpp_1 load /other", "cannot load /other of component 'b': the cache is full",
                    "unload deallocate"},
        FailingStep{"Execute", "gpp_1 execute b", "component 'b' on device gpp_1 cannot be executed",
                    "terminate unload deallocate remove"},
        FailingStep{"Initialize", "b initialize",
                    "component 'b' on device gpp_1 cannot be initialized: no licence",
                    "release terminate unload deallocate remove"},
        FailingStep{"GetPort", "b getPort in", "its port 'in' is not available",
                    "release terminate unload deallocate remove"},
        FailingStep{"Connect", "a.out connect c1", "connection 'c1'",
                    "disconnect release terminate unload deallocate remove"},
        FailingStep{"Configure", "b configure gain=1", "component 'b' on device gpp_1 cannot be configured",
                    "disconnect release terminate unload deallocate remove"}),
    [](const auto& step) { return step.param.name; });

TEST(Deployment, IsUndoneWhenItsStateCannotBeStored) {
  const Assembly assembly = chain();
  int steps = 0;
  {
    FakeDomain domain;
    deploy(request(assembly), domain);
    steps = domain.stores;
  }
  for (int step = 1; step <= steps; ++step) {
    FakeDomain domain;
    domain.failing_store = step;
    EXPECT_THAT(error_of(request(assembly), domain), HasSubstr("cannot be stored")) << step;
    EXPECT_THAT(domain.world.left(), IsEmpty()) << step;
  }
}

TEST(Deployment, IsUndoneWhenItsNamesCannotBeFlushed) {
  const Assembly assembly = chain();
  for (const bool is_own_device : {false, true}) {
    FakeDomain domain;
    domain.names_cannot_be_flushed = true;
    if (is_own_device)
      domain.candidates[0].candidate.properties.push_back(
          {"application_groups", "application_groups", "string", MatchAction::external, ""});
    EXPECT_THAT(error_of(request(assembly), domain), HasSubstr("cannot be stored"));
    EXPECT_EQ(domain.stored.state, ApplicationState::deploying);
    EXPECT_THAT(domain.world.left(), IsEmpty());
  }
}

TEST(Deployment, NamesAComponentThatDoesNotRegister) {
  FakeDomain domain;
  const Assembly assembly = AssemblyBuilder().add("a").add("b", "/dom/silent").assembly;
  DeploymentRequest limited = request(assembly);
  limited.limits.registration = std::chrono::milliseconds(50);
  EXPECT_THAT(error_of(limited, domain),
              HasSubstr("component 'b' on device gpp_1 has not registered as 'b_2' in the naming service"));
  EXPECT_THAT(domain.world.left(), IsEmpty());
  EXPECT_THAT(domain.world.calls(), Contains("gpp_1 terminate 2"));
}

TEST(Deployment, NamesAComponentThatEndsBeforeItRegisters) {
  FakeDomain domain;
  const Assembly assembly = AssemblyBuilder().add("a", "/dom/silent").assembly;
  domain.ends["gpp_1 1"] = "was killed by SIGSEGV";
  EXPECT_THAT(
      error_of(request(assembly), domain),
      HasSubstr("component 'a' on device gpp_1 has ended before it registered: its process was killed"));
}

TEST(Deployment, NamesAComponentThatRegistersUnderTheNameOfAnother) {
  FakeDomain domain;
  const Assembly assembly = AssemblyBuilder().add("a", "/dom/silent").add("b", "/dom/impostor").assembly;
  EXPECT_THAT(error_of(request(assembly), domain),
              HasSubstr("component 'b' has registered under the name 'a_1' of component 'a'"));
  EXPECT_THAT(domain.world.left(), IsEmpty());
}

TEST(Deployment, LeavesNothingOfAComponentThatRegistersTwice) {
  FakeDomain domain;
  const Assembly assembly = AssemblyBuilder().add("a", "/dom/twice").add("b").connect(0, 1).assembly;
  Application record = deploy(request(assembly), domain);
  EXPECT_THAT(undeploy(record, domain, limits()), IsEmpty());
  EXPECT_THAT(domain.world.left(), IsEmpty());
}

class DyingComponent : public ::testing::TestWithParam<const char*> {};

TEST_P(DyingComponent, IsNamedWithTheEndOfItsProcess) {
  FakeDomain domain;
  const Assembly assembly = chain();
  // 'a' has process 1 or 2, as they are executed at the same time.
  for (const char* const process : {"gpp_1 1", "gpp_1 2"}) domain.ends[process] = "killed by SIGSEGV";
  domain.world.fail(GetParam());
  const std::string message = error_of(request(assembly), domain);
  EXPECT_THAT(message, AllOf(HasSubstr("on device gpp_1"), HasSubstr("its process killed by SIGSEGV")));
  EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 0) << message;
  EXPECT_THAT(domain.world.left(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Calls, DyingComponent,
                         ::testing::Values("b initialize_call", "b getPort in", "a.out connect c1",
                                           "b configure gain=1"),
                         [](const auto& call) {
                           std::string name = call.param;
                           std::erase_if(name, [](unsigned char c) { return std::isalnum(c) == 0; });
                           return name;
                         });

TEST(Deployment, RejectsAnObjectThatIsNoComponent) {
  FakeDomain domain;
  const Assembly assembly = AssemblyBuilder().add("a", "/dom/object").assembly;
  EXPECT_THAT(error_of(request(assembly), domain),
              HasSubstr("has registered an object that is no CF::Resource"));
  EXPECT_THAT(domain.world.left(), IsEmpty());
}

TEST(Deployment, EndsWhenAComponentHangs) {
  for (const auto& [call, message] :
       {std::pair("b initialize", "on device gpp_1 cannot be initialized: no reply"),
        std::pair("b getPort in", "no reply within the time limit"),
        std::pair("a.out connect c1", "no reply within the time limit"),
        std::pair("b configure gain=1", "on device gpp_1 cannot be configured: no reply")}) {
    FakeDomain domain;
    const Assembly assembly = chain();
    DeploymentRequest limited = request(assembly);
    limited.limits.call = limited.limits.release = std::chrono::milliseconds(kHangingCallMs);
    domain.world.hang(call);
    // Both components are served over one connection: a call of 'a' may be behind that of 'b'.
    EXPECT_THAT(error_of(limited, domain), HasSubstr(message)) << call;
    EXPECT_THAT(domain.world.left(), Not(Contains("gpp_1 process 2"))) << call;
    EXPECT_THAT(domain.world.calls(), AllOf(Contains("gpp_1 terminate 2"), Contains("gpp_1 unload /part")));
    domain.world.release_hanging();
  }
}

TEST(Deployment, UndoesWhatADeviceDoesAfterTheTimeLimit) {
  const Assembly assembly = AssemblyBuilder().add("a", "/dom/silent").assembly;
  struct LateCall {
    const char *call, *undone_by;
  };
  for (const LateCall& late : {LateCall{"gpp_1 allocate memory=64", "gpp_1 deallocate memory=64"},
                               LateCall{"gpp_1 load /silent", "gpp_1 unload /silent"},
                               LateCall{"gpp_1 execute a", "gpp_1 terminate 1"}}) {
    FakeDomain domain;
    DeploymentRequest limited = request(assembly);
    limited.limits.call = limited.limits.load = limited.limits.release =
        std::chrono::milliseconds(kHangingCallMs);
    domain.world.hang(late.call);
    EXPECT_THAT(error_of(limited, domain), HasSubstr("no reply within the time limit"));
    EXPECT_THAT(domain.world.calls(), Not(Contains(late.undone_by)));
    domain.world.release_hanging();
    EXPECT_TRUE(becomes_true([&] { return domain.world.count(late.undone_by) == 1; })) << late.call;
    // What the rollback has asked for meanwhile was not performed: it is left in the record.
    Application rest = domain.stored;
    EXPECT_THAT(undeploy(rest, domain, limits()), IsEmpty());
    EXPECT_THAT(domain.world.left(), IsEmpty()) << late.call;
  }
}

TEST(Deployment, CallsADeviceOnceThatDoesNotAnswer) {
  FakeDomain domain;
  Assembly assembly = AssemblyBuilder().add("a").add("b").add("c").assembly;
  auto& implementations = assembly.packages[0].implementations;
  implementations.push_back(implementations[0]);
  implementations[1].id = "other";
  DeploymentRequest limited = request(assembly);
  limited.limits.call = limited.limits.release = std::chrono::milliseconds(kHangingCallMs);
  domain.world.hang("gpp_1 allocate memory=64");
  EXPECT_THAT(error_of(limited, domain),
              AllOf(HasSubstr("no reply within the time limit"), HasSubstr("has not answered another call")));
  EXPECT_EQ(domain.world.count("gpp_1 allocate memory=64"), 1);
  domain.world.release_hanging();
  EXPECT_TRUE(becomes_true([&] { return domain.world.count("gpp_1 deallocate memory=64") == 1; }))
      << "it was late";

  Application record = deploy(request(assembly), domain);
  domain.world.hang("gpp_1 deallocate memory=64");
  const auto left = undeploy(record, domain, limited.limits, RecordedStart::exact);
  EXPECT_EQ(domain.world.count("gpp_1 deallocate memory=64"), 2);
  EXPECT_EQ(record.allocations.size(), 2u) << "for the next release; the one that may be returned is not";
  EXPECT_THAT(left, Contains(HasSubstr("of device gpp_1 cannot be given back: the device has not answered")));
  domain.world.release_hanging();
}

}  // namespace
}  // namespace orbweaver::sca
