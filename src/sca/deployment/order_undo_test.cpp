// Orders to devices that are stored before the call, and undone without a confirmation.
#include "sca/deployment/order_undo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <utility>

#include "platform/testing/becomes_true.h"
#include "sca/deployment/testing/deployment_request.h"
#include "sca/deployment/undeployment.h"

namespace orbweaver::sca {
namespace {

using platform::testing::becomes_true;
using testing::AssemblyBuilder;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::error_of;
using testing::FakeDomain;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::limits;
using ::testing::Not;
using testing::request;
using ::testing::SizeIs;

/// What a record has ordered, and has not been confirmed: "allocation load component".
std::string unconfirmed(const Application& record) {
  std::string text;
  for (const auto& each : record.allocations) text += each.unconfirmed > 0 ? "allocation " : "";
  for (const auto& each : record.loads) text += each.unconfirmed > 0 ? "load " : "";
  for (const auto& each : record.components) text += each.unconfirmed > 0 ? "component " : "";
  return text;
}

TEST(Deployment, StoresAnOrderBeforeItCallsADevice) {
  const Assembly assembly = AssemblyBuilder().add("a").assembly;
  for (const auto& [call, stored] :
       {std::pair("gpp_1 allocate memory=64", "allocation "), std::pair("gpp_1 load /part", "load "),
        std::pair("gpp_1 execute a", "component ")}) {
    FakeDomain domain;
    domain.world.hang(call);
    std::string error = "none";
    std::thread creation([&] { error = error_of(request(assembly), domain); });
    EXPECT_TRUE(becomes_true([&] { return domain.world.count(call) == 1; })) << call;
    EXPECT_EQ(unconfirmed(domain.stored), stored);
    EXPECT_THAT(domain.stored.devices, SizeIs(1)) << "to recognise it when it is started again";
    domain.world.release_hanging();
    creation.join();
    EXPECT_EQ(error, "");
    EXPECT_EQ(unconfirmed(domain.stored), "") << call;
  }
}

TEST(Deployment, OrdersNothingThatIsRejected) {
  for (const char* const call :
       {"gpp_1 allocate memory=64", "gpp_1 load /part", "gpp_1 execute a", "a initialize"}) {
    FakeDomain domain;
    const Assembly assembly = AssemblyBuilder().add("a").add("b").assembly;
    domain.world.fail(call);
    EXPECT_NE(error_of(request(assembly), domain), "");
    EXPECT_EQ(unconfirmed(domain.stored), "") << call;
  }
}

/// The record of a deployment that was performed completely, and of which a killed domain manager has stored
/// the orders only.
Application with_orders_only(const Assembly& assembly, FakeDomain& domain) {
  Application record = deploy(request(assembly), domain);
  record.state = ApplicationState::orphaned;
  for (auto& each : record.allocations) each.unconfirmed = kUnconfirmed;
  for (auto& each : record.loads) each.unconfirmed = kUnconfirmed;
  for (auto& each : record.components) {
    each.process = -1;
    each.reference.clear();
    each.unconfirmed = kUnconfirmed;
  }
  domain.remove_naming_context("radio");
  return record;
}

TEST(Deployment, UndoesOrdersThatWereNotConfirmed) {
  FakeDomain domain;
  domain.candidates[0].candidate.properties.push_back(
      {"allocation_id", "allocation_id", "string", MatchAction::external, ""});
  const Assembly assembly = AssemblyBuilder().add("a").add("b", "/dom/other").assembly;
  Application record = with_orders_only(assembly, domain);
  domain.servants[0]->load(nullptr, "/part", CF::LoadableDevice::LoadType::EXECUTABLE);
  domain.loads_by_others = 1;  // that of /part, and it has /other loaded, too
  EXPECT_THAT(undeploy(record, domain, limits()), IsEmpty());
  EXPECT_THAT(domain.world.left(), ElementsAre("gpp_1 file /other", "gpp_1 file /part"));
  EXPECT_EQ(unconfirmed(record), "allocation allocation load load component component ")
      << "they may be performed late";
  domain.loads_by_others = 0;
  EXPECT_THAT(undeploy(record, domain, limits()), IsEmpty());
  EXPECT_THAT(domain.world.left(), IsEmpty());
  EXPECT_EQ(unconfirmed(record), "");
}

TEST(Deployment, KeepsOrdersUntilTheirDeviceAnswers) {
  FakeDomain domain;
  Application record = with_orders_only(AssemblyBuilder().add("a").assembly, domain);
  const auto devices = std::exchange(domain.candidates, {});
  EXPECT_THAT(undeploy(record, domain, limits()), IsEmpty());
  EXPECT_EQ(unconfirmed(record), "allocation load component ") << "it is not registered";
  domain.candidates = devices;
  record.allocations.clear();
  domain.world.hang("gpp_1 query");
  EXPECT_THAT(undeploy(record, domain, limits(100)), Contains(HasSubstr("is not undone yet: no reply")));
  EXPECT_EQ(unconfirmed(record), "load component ");
  domain.world.release_hanging();
  for (int i = 0; i < kUnconfirmed; ++i) static_cast<void>(undeploy(record, domain, limits()));
  EXPECT_THAT(domain.world.left(), ElementsAre("gpp_1 memory=64"));
}

TEST(Deployment, UndoesNoExecutionOfTheNextApplicationOfTheName) {
  FakeDomain domain;
  const Assembly assembly = AssemblyBuilder().add("a").assembly;
  Application record = with_orders_only(assembly, domain);
  record.allocations.clear();
  record.loads.clear();
  DeploymentRequest next = request(assembly);
  next.id = "app_2";
  const Application running = deploy(next, domain);
  ASSERT_EQ(running.components[0].id, record.components[0].id);
  domain.executed_by_others.in_progress = true;
  EXPECT_THAT(undeploy(record, domain, limits()), IsEmpty());
  EXPECT_THAT(domain.world.order({"terminate"}), IsEmpty()) << "which of both processes is not known yet";
  EXPECT_EQ(unconfirmed(record), "component ");
  domain.executed_by_others = {{running.components[0].process}};
  for (int i = 0; i < kUnconfirmed; ++i) EXPECT_THAT(undeploy(record, domain, limits()), IsEmpty());
  EXPECT_EQ(unconfirmed(record), "");
  EXPECT_THAT(domain.world.left(), Contains("gpp_1 process 2")) << "that of the next one";
  EXPECT_THAT(domain.world.left(), Not(Contains("gpp_1 process 1")));
}

TEST(Deployment, SaysWhatAForeignDeviceMayHave) {
  FakeDomain domain;
  domain.servants[0]->is_foreign = true;
  Application record = with_orders_only(AssemblyBuilder().add("a").assembly, domain);
  EXPECT_THAT(undeploy(record, domain, limits()),
              ElementsAre(HasSubstr("device gpp_1 may have allocated memory = 64 of 'radio'"),
                          HasSubstr("may have executed component 'a:radio'"),
                          HasSubstr("may have loaded /part of 'radio': it was asked for that")));
  EXPECT_EQ(unconfirmed(record), "");
  EXPECT_THAT(domain.world.order({"deallocate"}), IsEmpty()) << "it may be that of another application";
}

TEST(Deployment, UndoesNoOrderOfADeviceThatWasStartedAgain) {
  FakeDomain domain(2);
  Application record = with_orders_only(AssemblyBuilder().add("a").assembly, domain);
  domain.candidates[0].reference = domain.candidates[1].reference;
  EXPECT_THAT(undeploy(record, domain, limits()), IsEmpty());
  EXPECT_EQ(unconfirmed(record), "");
  EXPECT_THAT(domain.world.order({"query", "deallocate"}), IsEmpty());
}

}  // namespace
}  // namespace orbweaver::sca
