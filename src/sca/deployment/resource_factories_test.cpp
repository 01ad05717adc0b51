// Components that a resource factory creates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
using testing::limits;
using testing::request;

/// Two components that a foreign resource factory creates.
Assembly with_factory() {
  Assembly assembly = AssemblyBuilder().add("a").add("b").add("f", "/dom/factory").connect(0, 1).assembly;
  assembly.packages[2].component.type = "resourcefactory";
  assembly.factories.push_back(assembly.components[2]);
  assembly.components.pop_back();
  SimpleProperty bands;
  bands.id = "bands";
  bands.type = PropertyType::uint32;
  bands.factory_param = true;
  bands.value = "4";
  assembly.packages[2].properties.simple.push_back(bands);
  for (Instantiation& component : assembly.components) component.factory = FactoryReference{"f", 0, {}, {}};
  return assembly;
}

TEST(Deployment, LetsAResourceFactoryCreateItsComponents) {
  FakeDomain domain;
  Assembly assembly = with_factory();
  assembly.components[1].factory->qualifiers = {{"bands", "8", {}}};
  Application record = deploy(request(assembly), domain);
  ASSERT_EQ(record.components.size(), 3u);
  EXPECT_TRUE(record.components[0].is_factory);
  EXPECT_EQ(record.components[2].factory + " " + record.components[2].device, "f:radio gpp_1");
  EXPECT_EQ(record.allocations.size(), 1u) << "for the factory only";
  EXPECT_THAT(domain.world.calls(),
              AllOf(Contains("factory create a:radio bands=4"), Contains("factory create b:radio bands=8")));
  EXPECT_THAT(undeploy(record, domain, limits()), IsEmpty());
  EXPECT_THAT(domain.world.order({"releaseResource", "shutdown", "terminate"}),
              ElementsAre("releaseResource", "shutdown", "terminate"));
  EXPECT_THAT(domain.world.left(), IsEmpty());
}

TEST(Deployment, NamesTheComponentThatAResourceFactoryCannotCreate) {
  FakeDomain domain;
  const Assembly assembly = with_factory();
  domain.world.fail("factory create b:radio bands=4");
  EXPECT_THAT(
      error_of(request(assembly), domain),
      HasSubstr("component 'b' on device gpp_1 cannot be created by resource factory 'f': no such class"));
  EXPECT_THAT(domain.world.left(), IsEmpty());
}

TEST(Deployment, ExecutesTheComponentsOfAFactoryThatLoadsLibrariesInOneProcess) {
  FakeDomain domain(2);
  Assembly assembly = with_factory();
  assembly.packages[2].properties.simple.push_back(assembly.packages[2].properties.simple.back());
  assembly.packages[2].properties.simple.back().id = kComponentLibrary;
  EXPECT_THAT(error_of(request(assembly), domain),
              HasSubstr("component 'a' shares a process, but /dom/part"));
  for (const std::size_t i : {0u, 1u})
    assembly.packages[i].implementations[0].code = CodeType::shared_library;
  const Application record = deploy(request(assembly), domain);
  EXPECT_EQ(record.components.size(), 2u) << "there is no factory";
  EXPECT_EQ(domain.servants[0]->options("a:radio"), "PROCESS_COLLOCATION=factory f:radio:app_1");
  EXPECT_EQ(domain.servants[0]->parameters("b:radio").at("bands"), "4");
}

}  // namespace
}  // namespace orbweaver::sca
