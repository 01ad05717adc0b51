#include "sca/deployment/deployment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sca/deployment/testing/deployment_request.h"
#include "sca/device_state/capacity.h"

namespace orbweaver::sca {
namespace {

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

TEST(Deployment, CreatesAnApplicationInTheOrderOfTheStandard) {
  FakeDomain domain;
  const Assembly assembly = chain();
  const Application record = deploy(request(assembly), domain);
  EXPECT_THAT(
      domain.world.order({"allocate", "load", "execute", "initialize", "getPort", "connect", "configure"}),
      ElementsAre("allocate", "load", "execute", "initialize", "getPort", "connect", "configure"));
  EXPECT_THAT(domain.world.calls(), AllOf(Contains("a.out connect c1"), Contains("b configure gain=1")));
  EXPECT_THAT(domain.world.calls(), AllOf(Contains("gpp_1 started 1"), Contains("gpp_1 started 2")));
  EXPECT_EQ(record.state, ApplicationState::stopped);
  EXPECT_EQ(record, domain.stored);
  EXPECT_EQ(record.controller, "a:radio");
  EXPECT_THAT(record.start_order, ElementsAre("a:radio"));
  ASSERT_EQ(record.components.size(), 2u);
  EXPECT_EQ(record.components[1].id + " " + record.components[1].device, "b:radio gpp_1");
  const auto parameters = domain.servants[0]->parameters("b:radio");
  EXPECT_EQ(parameters.at("NAME_BINDING"), "b_2");
  EXPECT_EQ(parameters.at("mode"), "fast");
  EXPECT_EQ(parameters.count("STREAMS_EXPECTED"), 0u) << "a component of another framework";
}

TEST(Deployment, AsksTheDevicesForTheirStatesOnce) {
  FakeDomain domain;
  const Assembly assembly = chain();
  Application record = deploy(request(assembly), domain);
  EXPECT_THAT(undeploy(record, domain, limits()), IsEmpty());
  EXPECT_EQ(domain.device_readings, 1) << "a device that hangs takes the time limit of its calls";
}

TEST(Deployment, RemovesTheNamesOfAFormerApplicationFirst) {
  FakeDomain domain;
  const auto stale = IDL::traits<CosNaming::NamingContext>::narrow(domain.naming_context("radio"));
  stale->bind({CosNaming::NameComponent("a_1", "")}, stale);
  const Assembly assembly = chain();
  EXPECT_EQ(error_of(request(assembly), domain), "");
}

TEST(Deployment, FollowsTheAssignmentsOfTheCaller) {
  FakeDomain domain(2);
  const Assembly assembly = chain();
  DeploymentRequest assigned = request(assembly);
  assigned.assignments = {CF::DeviceAssignmentType("b", "gpp_2")};
  const Application record = deploy(assigned, domain);
  EXPECT_EQ(record.components[0].device + " " + record.components[1].device, "gpp_1 gpp_2");

  assigned.assignments = {CF::DeviceAssignmentType("b", "gpp_2"), CF::DeviceAssignmentType("b", "gpp_1"),
                          CF::DeviceAssignmentType("c", "gpp_1"), CF::DeviceAssignmentType("a", "gpp_3")};
  try {
    deploy(assigned, domain);
    FAIL();
  } catch (const CF::ApplicationFactory::CreateApplicationRequestError& e) {
    EXPECT_EQ(e.invalidAssignments().size(), 3u);
  }
}

TEST(Deployment, FollowsTheAssignmentsOfTheAssembly) {
  FakeDomain domain(2);
  Assembly assembly = chain();
  assembly.components[1].device = "gpp_2";
  EXPECT_EQ(deploy(request(assembly), domain).components[1].device, "gpp_2");
  DeploymentRequest assigned = request(assembly);
  assigned.assignments = {CF::DeviceAssignmentType("b", "gpp_1")};
  EXPECT_EQ(deploy(assigned, domain).components[1].device, "gpp_1") << "those of the caller take precedence";
  assembly.components[1].device = "gpp_3";
  EXPECT_THAT(error_of(request(assembly), domain), HasSubstr("the component is assigned to device 'gpp_3'"));
}

TEST(Deployment, SaysWhyEachDeviceIsRefused) {
  FakeDomain domain(2);
  const Assembly assembly = chain();
  domain.world.fail("gpp_1 allocate memory=64");
  domain.candidates[1].candidate.closed = "is locked";
  EXPECT_THAT(error_of(request(assembly), domain),
              AllOf(HasSubstr("component 'a' can be placed on no device"),
                    HasSubstr("gpp_1, implementation 'linux': has not enough left of memory = 64"),
                    HasSubstr("gpp_2: is locked")));
}

TEST(Deployment, ConfiguresTheControllerAndExternalProperties) {
  FakeDomain domain;
  Assembly assembly = chain();
  assembly.external_properties = {{"volume", 1, "gain"}};
  assembly.external_property_indices = {{"volume", 0}};
  DeploymentRequest configured = request(assembly);
  configured.configuration = {CF::DataType("gain", any_of("ulong", "7")),
                              CF::DataType("volume", any_of("ulong", "9")),
                              CF::DataType("mode", any_of("string", "slow"))};
  const Application record = deploy(configured, domain);
  EXPECT_THAT(domain.world.calls(), AllOf(Contains("a configure gain=7"), Contains("b configure gain=9")));
  EXPECT_EQ(domain.servants[0]->parameters("a:radio").at("mode"), "slow");
  EXPECT_EQ(domain.servants[0]->parameters("b:radio").at("mode"), "fast");
  EXPECT_THAT(record.external_properties, ElementsAre(ExternalProperty{"volume", "b:radio", "gain"}));
}

TEST(Deployment, RaisesInvalidInitConfigurationForWhatTheCallerHasGiven) {
  FakeDomain domain;
  const Assembly assembly = chain();
  DeploymentRequest configured = request(assembly);
  configured.configuration = {CF::DataType("bad", any_of("ulong", "1"))};
  EXPECT_THROW(deploy(configured, domain), CF::ApplicationFactory::InvalidInitConfiguration);
  EXPECT_THAT(domain.world.left(), IsEmpty());
}

TEST(Deployment, RejectsExecParamsThatDoNotFitTheirTypes) {
  FakeDomain domain;
  Assembly assembly = chain();
  SimpleProperty& mode = assembly.packages[0].properties.simple[1];
  mode.type = PropertyType::uint32;
  mode.value = "1";
  const std::vector<std::uint8_t> octets{1};
  CORBA::Any sequence;
  sequence <<= octets;
  for (const CORBA::Any& value :
       {any_of("string", "fast"), any_of("double", "1.5"), CORBA::Any(), sequence}) {
    DeploymentRequest configured = request(assembly);
    configured.configuration = {CF::DataType("gain", any_of("ulong", "7")), CF::DataType("mode", value)};
    try {
      deploy(configured, domain);
      ADD_FAILURE() << "no exception";
    } catch (const CF::ApplicationFactory::InvalidInitConfiguration& e) {
      ASSERT_EQ(e.invalidProperties().size(), 1u);
      EXPECT_EQ(e.invalidProperties()[0].id(), "mode");
    }
  }
  EXPECT_THAT(domain.reports, SizeIs(4));
  EXPECT_THAT(domain.reports.front(),
              AllOf(HasSubstr("exec param 'mode' of component 'a' on device gpp_1, of type ulong: "),
                    HasSubstr("'fast', must be")));
  EXPECT_THAT(domain.world.left(), IsEmpty());
  DeploymentRequest configured = request(assembly);
  configured.configuration = {CF::DataType("mode", any_of("string", "0x10"))};
  deploy(configured, domain);
  EXPECT_EQ(domain.servants[0]->parameters("a:radio").at("mode"), "16");
}

TEST(Deployment, PassesOptionsOfTheProfiles) {
  FakeDomain domain;
  Assembly assembly = chain();
  assembly.packages[0].implementations[0].priority = 10;
  assembly.packages[0].implementations[0].stack_size = 65536;
  assembly.components[0].cores = "0,2";
  for (const std::size_t i : {0u, 1u}) {
    assembly.packages[i].implementations[0].code = CodeType::shared_library;
    assembly.packages[i].implementations[0].entry_point = "make";
    assembly.components[i].process = "together";
  }
  deploy(request(assembly), domain);
  EXPECT_EQ(domain.servants[0]->options("a:radio"),
            "STACK_SIZE=65536,PRIORITY=10,CORE_AFFINITY=0,2,ENTRY_POINT=make,"
            "PROCESS_COLLOCATION=together:radio:app_1");
  EXPECT_EQ(domain.servants[0]->options("b:radio"),
            "ENTRY_POINT=make,PROCESS_COLLOCATION=together:radio:app_1");
}

/// A package with a library of that name, which depends on others.
SoftwarePackage library(const std::string& name, std::vector<PackageDependency> dependencies = {}) {
  SoftwarePackage package;
  Implementation implementation;
  implementation.id = "so";
  implementation.code = CodeType::shared_library;
  implementation.file = "/dom/" + name + ".so";
  implementation.dependencies = std::move(dependencies);
  package.implementations.push_back(std::move(implementation));
  return package;
}

TEST(Deployment, LoadsDependenciesFirstAndEachFileOnce) {
  FakeDomain domain;
  Assembly assembly = AssemblyBuilder().add("a").add("b").assembly;
  assembly.dependencies["lib.spd.xml"] = library("libfilter");
  for (const std::size_t i : {0u, 1u})
    assembly.packages[i].implementations[0].dependencies = {{"lib.spd.xml", "", {}}};
  const Application record = deploy(request(assembly), domain);
  EXPECT_EQ(record.loads.size(), 2u);
  EXPECT_THAT(record.loads, Contains(DeployedLoad{"gpp_1", "/libfilter.so"}));
  EXPECT_EQ(domain.world.count("gpp_1 load /part"), 1);

  assembly.dependencies["lib.spd.xml"].implementations[0].systems = {{"VxWorks"}};
  domain.candidates[0].candidate.platform.system = "Linux";
  EXPECT_THAT(
      error_of({assembly, "app_2", "radio 2", "", {}, {}, limits()}, domain),
      HasSubstr("gpp_1, implementation 'linux': no implementation of lib.spd.xml, which it depends on, "
                "fits:\n    implementation 'so': is for VxWorks, and this is Linux"));
}

TEST(Deployment, PassesDependenciesInTheirOrder) {
  FakeDomain domain;
  for (const char* const id : {"application_groups", "dependency_paths"})
    domain.candidates[0].candidate.properties.push_back({id, id, "boolean", MatchAction::equal, "true"});
  Assembly assembly = AssemblyBuilder().add("a").add("b").add("c").assembly;
  assembly.dependencies["one"] = library("one", {{"base", "", {}}});
  assembly.dependencies["two"] = library("two", {{"base", "", {}}});
  assembly.dependencies["base"] = library("base");
  assembly.packages[0].implementations[0].dependencies = {{"one", "", {}}, {"two", "", {}}};
  assembly.packages[1].implementations[0].dependencies = {{"base", "", {}}};
  for (const std::size_t i : {1u, 2u}) {
    assembly.packages[i].implementations[0].code = CodeType::shared_library;
    assembly.components[i].process = "together";
  }
  deploy(request(assembly), domain);
  EXPECT_EQ(domain.servants[0]->options("a:radio"),
            "APPLICATION=app_1,DEPENDENCIES=[\"/one.so\",\"/two.so\",\"/base.so\"]");
  for (const char* const id : {"b:radio", "c:radio"})
    EXPECT_EQ(domain.servants[0]->options(id),
              "PROCESS_COLLOCATION=together:radio:app_1,APPLICATION=app_1,DEPENDENCIES=[\"/base.so\"]");
}

TEST(Deployment, PassesNoDependenciesToDevicesOfEarlierVersions) {
  FakeDomain domain;
  domain.candidates[0].candidate.properties.push_back(
      {"application_groups", "application_groups", "boolean", MatchAction::equal, "true"});
  Assembly assembly = AssemblyBuilder().add("a").assembly;
  assembly.dependencies["one"] = library("one");
  assembly.packages[0].implementations[0].dependencies = {{"one", "", {}}};
  deploy(request(assembly), domain);
  EXPECT_EQ(domain.servants[0]->options("a:radio"), "APPLICATION=app_1");
}

TEST(Deployment, StartsComponentsInTheirOrderAndStopsThemInReverse) {
  FakeDomain domain;
  Assembly assembly = chain();
  assembly.components[0].start_order = 2;
  assembly.components[1].start_order = 1;
  const Application record = deploy(request(assembly), domain);
  start_components(record, domain);
  stop_components(record, domain);
  const auto calls = domain.world.calls();
  EXPECT_THAT(std::vector<std::string>(calls.end() - 4, calls.end()),
              ElementsAre("b start", "a start", "a stop", "b stop"));
}

TEST(Deployment, StartsTheControllersOfInnerAssemblies) {
  FakeDomain domain;
  Assembly assembly = AssemblyBuilder().add("a").add("b").add("c").connect(0, 1).assembly;
  assembly.other_controllers = {1};
  EXPECT_THAT(deploy(request(assembly), domain).start_order, ElementsAre("b:radio", "a:radio"));
}

TEST(Deployment, StoresFilesAndReferencesAtTheEndOfTheirSteps) {
  FakeDomain domain;
  AssemblyBuilder builder;
  for (int i = 0; i < 20; ++i) {
    builder.add("c" + std::to_string(i));
    builder.assembly.packages.back().implementations[0].file = "/dom/part_" + std::to_string(i);
  }
  deploy(request(builder.assembly), domain);
  EXPECT_THAT(domain.stored_loads, ElementsAre(0, 20));
  EXPECT_THAT(domain.stored_references, ElementsAre(0, 20));
}

/// Makes the first device one that tells what it has, as Orbweaver's does, and deploys nine components.
Application deploy_on_own_device(FakeDomain& domain) {
  auto& properties = domain.candidates[0].candidate.properties;
  for (const char* const id : {"application_groups", kAllocationId})
    properties.push_back({id, id, "string", MatchAction::external, ""});
  AssemblyBuilder builder;
  for (int i = 0; i < 9; ++i) builder.add("c" + std::to_string(i));
  for (std::size_t i = 1; i < 9; ++i) builder.connect(i - 1, i);
  return deploy(request(builder.assembly), domain);
}

TEST(Deployment, FlushesThreeTimesOnADeviceOfAnotherMachineThatTellsWhatItHas) {
  // Its references have no local endpoints, as those of another machine have none that can be used.
  testing::TestOrb remote({"-ORBListen", "tcp:127.0.0.1:0"});
  FakeDomain domain;
  domain.candidates[0].reference = domain.own.use(IDL::traits<CF::Device>::narrow(
      remote.poa->id_to_reference(remote.poa->activate_object(domain.servants[0]))));
  const Application record = deploy_on_own_device(domain);
  EXPECT_EQ(domain.flushes, 3) << "orders to allocate, those to load and to execute, and the result";
  EXPECT_EQ(record, domain.stored);
}

TEST(Deployment, FlushesOnceOnADeviceOfThisMachineThatTellsWhatItHas) {
  FakeDomain domain;
  const Application record = deploy_on_own_device(domain);
  EXPECT_EQ(domain.flushes, 1) << "the result";
  EXPECT_THAT(domain.stored_loads, ElementsAre(0, 1)) << "the orders are stored nevertheless";
  EXPECT_EQ(record, domain.stored);
  ASSERT_EQ(record.allocations.size(), 9u);
  for (const DeployedAllocation& each : record.allocations) EXPECT_EQ(each.unconfirmed, 0);
}

TEST(Deployment, RemovesTheOrdersToExecuteIfALoadFails) {
  FakeDomain domain;
  domain.candidates[0].candidate.properties.push_back(
      {"application_groups", "application_groups", "string", MatchAction::external, ""});
  const Assembly assembly = AssemblyBuilder().add("a").add("b", "/dom/other").assembly;
  domain.world.fail("gpp_1 load /other");
  EXPECT_THAT(error_of(request(assembly), domain), HasSubstr("cannot load /other"));
  EXPECT_THAT(domain.stored.components, IsEmpty()) << "nothing is left to be undone";
}

TEST(Deployment, FlushesTheProcessesOfADeviceThatDoesNotTellThem) {
  FakeDomain domain;
  deploy(request(chain()), domain);
  EXPECT_GE(domain.flushes, 5);
}

TEST(Deployment, StoresOnceForManyConcurrentSteps) {
  FakeDomain domain;
  AssemblyBuilder builder;
  for (int i = 0; i < 40; ++i) builder.add("c" + std::to_string(i));
  for (std::size_t i = 1; i < 40; ++i) builder.connect(i - 1, i);
  Application record = deploy(request(builder.assembly), domain);
  EXPECT_EQ(record.connections.size(), 39u);
  EXPECT_LT(domain.stores, 40 * 2 + 10) << "allocation and process of each component";
  EXPECT_THAT(undeploy(record, domain, limits()), IsEmpty());
  EXPECT_THAT(domain.world.left(), IsEmpty());
}

}  // namespace
}  // namespace orbweaver::sca
