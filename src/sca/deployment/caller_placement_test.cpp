// What the caller of create() of SCA 4.1 asks for: deployment dependencies and execution affinities.
#include "sca/deployment/caller_placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sca/deployment/testing/deployment_request.h"

namespace orbweaver::sca {
namespace {

using ::testing::AllOf;
using testing::AssemblyBuilder;
using ::testing::Contains;
using testing::FakeDomain;
using ::testing::HasSubstr;

/// Libraries, which can share a process.
Assembly libraries() {
  Assembly assembly = AssemblyBuilder().add("a").add("b").assembly;
  for (SoftwarePackage& package : assembly.packages)
    package.implementations[0].code = CodeType::shared_library;
  return assembly;
}

Application deployed(const Assembly& assembly, FakeDomain& domain) {
  return deploy(testing::request(assembly), domain);
}

/// The message of the CreateApplicationError that apply() raises; "" if it raises none.
std::string error_of(const CallerPlacement& placement, Assembly assembly) {
  try {
    apply(placement, assembly);
  } catch (const CF::ApplicationFactory::CreateApplicationError& e) {
    return e.msg();
  }
  return "";
}

TEST(CallerPlacement, PlacesComponentsInOneProcessWithCores) {
  FakeDomain domain;
  Assembly assembly = libraries();
  apply({{}, {{"a", "one", {0, 2}}, {"b", "one", {}}}}, assembly);
  deployed(assembly, domain);
  EXPECT_EQ(domain.servants[0]->options("a:radio"), "CORE_AFFINITY=0,2,PROCESS_COLLOCATION=one:radio:app_1");
  EXPECT_EQ(domain.servants[0]->options("b:radio"), "PROCESS_COLLOCATION=one:radio:app_1");
}

TEST(CallerPlacement, RequiresDependenciesOfTheDevices) {
  FakeDomain domain(2);
  domain.candidates[1].candidate.properties.push_back({"band", "band", "ulong", MatchAction::equal, "7"});
  Assembly assembly = libraries();
  apply({{{"band", "7"}, {"memory", "16"}}, {}}, assembly);
  deployed(assembly, domain);
  EXPECT_THAT(domain.world.calls(), AllOf(Contains("gpp_2 execute a"), Contains("gpp_2 execute b"),
                                          Contains("gpp_2 allocate memory=16")))
      << "instead of the 64 of its implementation";
}

TEST(CallerPlacement, RejectsAffinitiesThatCannotBeUsed) {
  EXPECT_THAT(error_of({{}, {{"c", "one", {}}}}, libraries()),
              HasSubstr("'c': the assembly has no such component"));
  EXPECT_THAT(error_of({{}, {{"a", "one", {}}, {"a", "", {1}}}}, libraries()), HasSubstr("there are two"));
  Assembly created = libraries();
  created.factories.push_back(created.components[0]);
  created.factories[0].id = "f";
  created.components[0].factory = FactoryReference{"f", 0, {}, {}, true};
  EXPECT_THAT(error_of({{}, {{"a", "one", {}}}}, created), HasSubstr("in the process of factory 'f'"));
  EXPECT_THAT(error_of({{}, {{"f", "one", {}}}}, created), HasSubstr("a factory has a process of its own"));
  EXPECT_EQ(error_of({{}, {{"f", "", {1}}}}, created), "");
}

TEST(CallerPlacement, LimitsDependencies) {
  CallerPlacement placement;
  placement.dependencies.resize(kMaxDependencies + 1, {"p", "1"});
  EXPECT_THAT(error_of(placement, libraries()), HasSubstr("more than 64 deployment dependencies"));
  EXPECT_THAT(error_of({{{"p", std::string(1025, '1')}}, {}}, libraries()),
              HasSubstr("'p' or its value has more than 1024 octets"));
  EXPECT_THAT(error_of({{}, {{"a", std::string(1025, 'p'), {}}}}, libraries()), HasSubstr("more than 1024"));
  EXPECT_THAT(error_of({{}, {{"a", "", std::vector<std::uint32_t>(1025, 0)}}}, libraries()),
              HasSubstr("more than 1024 cores"));
}

}  // namespace
}  // namespace orbweaver::sca
