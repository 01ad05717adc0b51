// The release of an application: its order, and what is left for the next one.
#include "sca/deployment/undeployment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <utility>

#include "platform/testing/becomes_true.h"
#include "sca/deployment/testing/deployment_request.h"

namespace orbweaver::sca {
namespace {

using platform::testing::becomes_true;
using ::testing::AllOf;
using testing::AssemblyBuilder;
using testing::chain;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::error_of;
using testing::FakeDomain;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::limits;
using testing::request;
using ::testing::SizeIs;

TEST(Deployment, ReleasesAnApplicationInReverseOrder) {
  FakeDomain domain;
  Assembly assembly = chain();
  assembly.packages[1].implementations[0].requirements = {{"memory", "32"}};
  Application record = deploy(request(assembly), domain);
  record.state = ApplicationState::started;
  EXPECT_THAT(undeploy(record, domain, limits()), IsEmpty());
  EXPECT_THAT(
      domain.world.order({"stop", "disconnect", "release", "terminate", "unload", "deallocate", "remove"}),
      ElementsAre("stop", "disconnect", "release", "terminate", "unload", "deallocate", "remove"));
  EXPECT_THAT(domain.world.order({"deallocate memory=64", "deallocate memory=32"}),
              ElementsAre("deallocate memory=32", "deallocate memory=64"));
  EXPECT_THAT(domain.world.left(), IsEmpty());
  EXPECT_THAT(record.components, IsEmpty());
  const std::size_t calls = domain.world.calls().size();
  EXPECT_THAT(undeploy(record, domain, limits()), IsEmpty());
  EXPECT_EQ(domain.world.calls().size(), calls) << "a repetition undoes nothing twice";
}

TEST(Deployment, ReportsWhatCannotBeUndone) {
  FakeDomain domain;
  const Assembly assembly = chain();
  Application record = deploy(request(assembly), domain);
  domain.world.fail("gpp_1 unload /part");
  EXPECT_THAT(undeploy(record, domain, limits()), ElementsAre(HasSubstr("file /part cannot be unloaded")));
  EXPECT_THAT(record.loads, ElementsAre(DeployedLoad{"gpp_1", "/part"}));
  EXPECT_THAT(domain.world.left(), ElementsAre("gpp_1 file /part"));
  domain.world.fail("");
  EXPECT_THAT(undeploy(record, domain, limits()), IsEmpty());
  EXPECT_THAT(domain.world.left(), IsEmpty());
}

TEST(Deployment, KeepsInTheRecordWhatIsOnALostDeviceAndUndoesItWhenTheDeviceIsBack) {
  FakeDomain domain;
  const Assembly assembly = chain();
  Application record = deploy(request(assembly), domain);
  record.state = ApplicationState::failed;
  const auto lost = std::exchange(domain.candidates, {});
  EXPECT_THAT(undeploy(record, domain, limits()), IsEmpty());
  EXPECT_THAT(record.allocations, SizeIs(2));
  EXPECT_THAT(record.loads, SizeIs(2));
  EXPECT_THAT(domain.world.left(), AllOf(Contains("gpp_1 memory=64"), Contains("gpp_1 file /part")));

  domain.candidates = lost;
  record.state = ApplicationState::orphaned;
  static_cast<void>(domain.naming_context("radio"));  // of another application of this name
  EXPECT_THAT(undeploy(record, domain, limits()), IsEmpty());
  EXPECT_THAT(domain.world.left(), ElementsAre("naming context"));
  EXPECT_THAT(record.components, IsEmpty());
  EXPECT_THAT(record.loads, IsEmpty());
  EXPECT_THAT(record.allocations, IsEmpty());
}

TEST(Deployment, UndoesNothingOnADeviceThatWasStartedAgain) {
  FakeDomain domain(2);
  const Assembly assembly = chain();
  Application record = deploy(request(assembly), domain);
  // The same identifier, another object.
  domain.candidates[0].reference = domain.candidates[1].reference;
  EXPECT_THAT(undeploy(record, domain, limits()), IsEmpty());
  EXPECT_THAT(record.allocations, IsEmpty());
  for (const char* const word : {"terminate", "unload", "deallocate"})
    EXPECT_THAT(domain.world.order({word}), IsEmpty()) << "it would be that of another application";
}

TEST(Deployment, DoesNotRepeatAnUnloadThatMayHaveBeenPerformed) {
  FakeDomain domain;
  const Assembly assembly = AssemblyBuilder().add("a").assembly;
  Application record = deploy(request(assembly), domain);
  domain.world.hang("gpp_1 unload /part");
  EXPECT_THAT(undeploy(record, domain, limits(3000), RecordedStart::exact),
              Contains(HasSubstr("file /part cannot be unloaded from device gpp_1: no reply")));
  domain.world.release_hanging();
  EXPECT_THAT(undeploy(record, domain, limits()), IsEmpty());
  EXPECT_EQ(domain.world.count("gpp_1 unload /part"), 1);
  EXPECT_TRUE(becomes_true([&] { return domain.world.left().empty(); }));
}

TEST(Deployment, NamesItsAllocationsForDevicesThatTakeAnIdentifier) {
  FakeDomain domain;
  domain.candidates[0].candidate.properties.push_back(
      {"allocation_id", "allocation_id", "string", MatchAction::external, ""});
  const Assembly assembly = AssemblyBuilder().add("a").add("b").assembly;
  Application record = deploy(request(assembly), domain);
  EXPECT_THAT(domain.world.calls(), AllOf(Contains("gpp_1 allocate memory=64,allocation_id=app_1/1"),
                                          Contains("gpp_1 allocate memory=64,allocation_id=app_1/2")));
  EXPECT_THAT(undeploy(record, domain, limits()), IsEmpty());
  EXPECT_THAT(domain.world.left(), IsEmpty());
  // Placement gives back what it does not use.
  Assembly other = AssemblyBuilder().add("c").add("d").assembly;
  domain.world.fail("gpp_1 allocate memory=64,allocation_id=app_1/2");
  EXPECT_THAT(error_of(request(other), domain), HasSubstr("has not enough left of memory = 64"));
  EXPECT_THAT(domain.world.left(), IsEmpty());
}

TEST(Deployment, ReturnsCapacitiesTwiceOnlyByAnIdentifier) {
  for (const bool has_id : {false, true}) {
    FakeDomain domain;
    std::string capacities = "memory=64";
    if (has_id) {
      domain.candidates[0].candidate.properties.push_back(
          {"allocation_id", "allocation_id", "string", MatchAction::external, ""});
      capacities += ",allocation_id=app_1/1";
    }
    const Assembly assembly = AssemblyBuilder().add("a").assembly;
    Application record = deploy(request(assembly), domain);
    domain.world.hang("gpp_1 deallocate " + capacities);
    EXPECT_THAT(undeploy(record, domain, limits(3000), RecordedStart::exact),
                Contains(HasSubstr("capacities of device gpp_1 cannot be given back: no reply")));
    domain.world.release_hanging();
    EXPECT_TRUE(becomes_true([&] { return domain.world.left().empty(); }));
    static_cast<void>(undeploy(record, domain, limits()));
    EXPECT_EQ(domain.world.count("gpp_1 deallocate " + capacities), has_id ? 2 : 1);
  }
}

TEST(Deployment, ReleasesAComponentWhoseProcessWasNotStored) {
  FakeDomain domain;
  const Assembly assembly = chain();
  Application record = deploy(request(assembly), domain);
  // As after a crash of the domain manager between execute() and the change of its state.
  record.state = ApplicationState::deploying;
  for (DeployedComponent& component : record.components) component.process = -1, component.reference.clear();
  EXPECT_THAT(undeploy(record, domain, limits()), IsEmpty());
  EXPECT_THAT(domain.world.left(), IsEmpty());
}

TEST(Deployment, ReturnsNoCapacityTwiceAfterACrash) {
  const Assembly assembly = AssemblyBuilder().add("a").assembly;
  for (const char* const call : {"gpp_1 deallocate memory=64", "gpp_1 unload /part"}) {
    FakeDomain domain;
    Application record = deploy(request(assembly), domain);
    domain.world.hang(call);
    std::thread release([&] { static_cast<void>(undeploy(record, domain, limits())); });
    EXPECT_TRUE(becomes_true([&] { return domain.world.count(call) == 1; }));
    Application left = domain.stored;  // of a domain manager that is killed now
    domain.world.release_hanging();
    release.join();
    EXPECT_THAT(undeploy(left, domain, limits()), IsEmpty());
    EXPECT_EQ(domain.world.count(call), 1) << "it may be that of another application now";
  }
}

TEST(Deployment, ReturnsNoCapacityIfThatCannotBeStored) {
  FakeDomain domain;
  const Assembly assembly = AssemblyBuilder().add("a").assembly;
  Application record = deploy(request(assembly), domain);
  domain.failing_store = domain.stores + 1;
  EXPECT_THAT(undeploy(record, domain, limits()),
              ElementsAre(HasSubstr("file /part cannot be unloaded from device gpp_1: "),
                          HasSubstr("capacities of device gpp_1 cannot be given back: ")));
  EXPECT_THAT(domain.world.left(), ElementsAre("gpp_1 file /part", "gpp_1 memory=64"));
  EXPECT_THAT(undeploy(record, domain, limits()), IsEmpty());
  EXPECT_THAT(domain.world.left(), IsEmpty());
}

}  // namespace
}  // namespace orbweaver::sca
