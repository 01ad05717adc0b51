#include "sca/cf222/given_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

CF::Properties one(const CORBA::Any& value) { return {CF::DataType("given", value)}; }

TEST(GivenArguments, AreTheSameAgain) {
  const auto kept = redeployment_of(one(any_of("ulong", "7")), {CF::DeviceAssignmentType("source_1", "gpp")},
                                    {{{"os_name", "Linux"}}, {{"source_1", "p", {0, 2}}}});
  EXPECT_TRUE(kept.has_arguments);
  EXPECT_EQ(text_of(configuration_of(kept).at(0).value()), "7");
  EXPECT_EQ(assignments_of(kept).at(0).assignedDeviceId(), "gpp");
  EXPECT_EQ(placement_of(kept).dependencies.at(0).value, "Linux");
  EXPECT_EQ(placement_of(kept).affinities.at(0).process, "p");
}

TEST(GivenArguments, AreNotKeptBeyondALimit) {
  const auto fits = redeployment_of(one(any_of("string", std::string(kMaxKeptBytes / 2, 'x'))), {}, {});
  EXPECT_TRUE(fits.has_arguments);
  EXPECT_THAT(fits.properties, SizeIs(1));
  const CF::DeviceAssignmentSequence assignments(kMaxKeptBytes / 64, CF::DeviceAssignmentType("c", "d"));
  const std::vector<std::string> elements(kMaxKeptBytes / 16, "1");  // each is a text, when it is kept
  const Redeployment rejected[] = {
      redeployment_of(one(any_of("string", std::string(kMaxKeptBytes, 'x'))), {}, {}),
      redeployment_of(one(sequence_any({"octet"}, elements)), {}, {}), redeployment_of({}, assignments, {}),
      redeployment_of({}, {}, {{{"os_name", std::string(kMaxKeptBytes, 'x')}}, {}}),
      redeployment_of({}, {}, {{}, {{"c", "p", std::vector<std::uint32_t>(kMaxKeptBytes / 4)}}})};
  for (const Redeployment& each : rejected) {
    EXPECT_FALSE(each.has_arguments);
    EXPECT_THAT(each.properties, IsEmpty());
    EXPECT_THAT(each.assignments, IsEmpty());
    EXPECT_THAT(each.dependencies, IsEmpty());
    EXPECT_THAT(each.affinities, IsEmpty());
  }
}

}  // namespace
}  // namespace orbweaver::sca
