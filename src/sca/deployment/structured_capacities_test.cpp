// Capacities that are structs and sequences, as REDHAWK has them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sca/deployment/device_capacities.h"
#include "sca/deployment/testing/deployment_request.h"

namespace orbweaver::sca {
namespace {

using testing::AssemblyBuilder;
using ::testing::Contains;
using testing::error_of;
using testing::FakeDomain;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::request;

AllocationProperty tuner(PropertyForm form = PropertyForm::structure) {
  DeclaredType type;
  type.form = form;
  type.type = {"double"};
  type.members = {{"band", {"ulong"}, false}, {"taps", {"double"}, true}};
  AllocationProperty property;
  property.id = property.name = "tuner";
  property.structure = std::make_shared<DeclaredType>(type);
  return property;
}

/// An assembly whose component uses a device with a tuner.
Assembly using_tuner(const std::string& value, PropertyForm form = PropertyForm::structure) {
  Assembly assembly = AssemblyBuilder().add("a").assembly;
  assembly.packages[0].implementations[0].devices = {{"u", {{"tuner", value, form}}, {}}};
  return assembly;
}

TEST(StructuredCapacities, AreAllocatedAndGivenBackAsStructs) {
  FakeDomain domain(2);
  domain.candidates[1].candidate.properties.push_back(tuner());
  const Assembly assembly = using_tuner(R"({"band":"7","taps":["1.5"]})");
  Application record = deploy(request(assembly), domain);
  EXPECT_THAT(domain.world.calls(), Contains(R"(gpp_2 allocate tuner={"band":7,"taps":[1.5]})"));
  EXPECT_THAT(undeploy(record, domain), IsEmpty());
  EXPECT_THAT(domain.world.calls(), Contains(R"(gpp_2 deallocate tuner={"band":7,"taps":[1.5]})"));
  EXPECT_THAT(domain.world.left(), IsEmpty());
}

TEST(StructuredCapacities, AreGivenBackAfterARestart) {
  FakeDomain domain(2);
  domain.candidates[1].candidate.properties.push_back(tuner());
  const Assembly assembly = using_tuner(R"({"band":"7"})");
  Application record = deploy(request(assembly), domain);
  for (auto& allocation : record.allocations)
    for (auto& capacity : allocation.capacities) capacity.form = PropertyForm::simple;  // which is not stored
  EXPECT_THAT(undeploy(record, domain), IsEmpty());
  EXPECT_THAT(domain.world.left(), IsEmpty());
}

TEST(StructuredCapacities, MustFitTheTypeOfTheDevice) {
  FakeDomain domain(2);
  domain.candidates[1].candidate.properties.push_back(tuner());
  EXPECT_THAT(error_of(request(using_tuner(R"({"band":"wide"})")), domain), HasSubstr("wide"));
  EXPECT_THAT(error_of(request(using_tuner(R"({"colour":"7"})")), domain), HasSubstr("colour"));
  EXPECT_THAT(error_of(request(using_tuner(R"(["7"])", PropertyForm::sequence)), domain),
              HasSubstr("'tuner' is a struct, and not a sequence of simple values"));
  EXPECT_THAT(domain.world.left(), IsEmpty());
}

TEST(StructuredCapacities, CanBeEmptySequences) {
  CandidateDevice device;
  device.properties = {tuner(PropertyForm::structure_sequence)};
  const CF::Properties capacities = capacities_of(device, {{"tuner", "[]"}});
  ASSERT_EQ(capacities.size(), 1u);
  EXPECT_TRUE(value_of(capacities[0].value()));
}

}  // namespace
}  // namespace orbweaver::sca
