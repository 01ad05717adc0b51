// Applications with components of SCA 4.1, which register themselves, beside those of SCA 2.2.2.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sca/deployment/order_undo.h"
#include "sca/deployment/testing/deployment_request.h"
#include "sca/deployment/testing/fake_device41.h"

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
using ::testing::Not;
using testing::request;

/// a of 2.2.2 sends to b of 4.1, and b to c of 2.2.2 twice.
Assembly mixed(const std::string& file = "/dom/part") {
  return AssemblyBuilder()
      .add("a")
      .add("b", file)
      .as_sca41()
      .add("c")
      .connect(0, 1)
      .connect(1, 2)
      .connect(1, 2)
      .assembly;
}

TEST(Deployment41, DeploysComponentsOfBothEditionsInOneApplication) {
  FakeDomain domain;
  const Assembly assembly = mixed();
  const Application record = deploy(request(assembly), domain);
  EXPECT_EQ(record.state, ApplicationState::stopped);
  EXPECT_EQ(record, domain.stored);
  EXPECT_THAT(domain.world.calls(), AllOf(Contains("b initialize"), Contains("b configure gain=1"),
                                          Contains("a.out connect c1"), Contains("b connect out:c2 out:c3")))
      << "the connections of a component of 4.1 are made by one call";
  EXPECT_THAT(domain.world.calls(), Not(Contains(HasSubstr("b getPort"))));
  EXPECT_THAT(domain.world.calls(), Not(Contains(HasSubstr("b getProvidesPorts"))))
      << "it has registered the port";
  ASSERT_EQ(record.components.size(), 3u);
  EXPECT_TRUE(record.components[1].is_sca41);
  EXPECT_EQ(record.components[1].binding, "");
  EXPECT_FALSE(record.components[0].is_sca41);
  ASSERT_EQ(record.connections.size(), 3u);
  EXPECT_EQ(record.connections[1].uses_port, "out");
  EXPECT_EQ(record.connections[1].uses, record.components[1].reference);
}

TEST(Deployment41, GivesEachEditionItsExecParams) {
  FakeDomain domain;
  const Assembly assembly = mixed();
  deploy(request(assembly), domain);
  const auto parameters = domain.servants[0]->parameters("b:radio");
  EXPECT_EQ(parameters.count("NAME_BINDING"), 0u);
  EXPECT_EQ(parameters.at("COMPONENT_IDENTIFIER"), "b:radio");
  EXPECT_EQ(parameters.at("mode"), "fast");
  EXPECT_EQ(domain.servants[0]->parameters("c:radio").at("NAME_BINDING"), "c_3");
}

TEST(Deployment41, LeavesNothingBehind) {
  FakeDomain domain;
  const Assembly assembly = mixed("/dom/asked");
  Application record = deploy(request(assembly), domain);
  EXPECT_THAT(domain.world.left(), AllOf(Contains("port of c1"), Contains("connection c2")));
  EXPECT_THAT(domain.world.calls(), Contains("b getProvidesPorts in:c1"));
  record.state = ApplicationState::started;
  EXPECT_THAT(undeploy(record, domain, limits()), IsEmpty());
  EXPECT_THAT(domain.world.left(), IsEmpty());
  EXPECT_THAT(domain.world.calls(), AllOf(Contains("b disconnect out:c2"), Contains("b disconnect out:c3"),
                                          Contains("b disconnect in:c1"), Contains("b release")));
}

TEST(Deployment41, StartsAndStopsComponentsOfBothEditions) {
  FakeDomain domain;
  Assembly assembly = mixed();
  assembly.components[1].start_order = 1;
  assembly.components[2].start_order = 2;
  const Application record = deploy(request(assembly), domain);
  start_components(record, domain, limits());
  stop_components(record, domain, limits());
  EXPECT_THAT(domain.world.order({"start", "stop"}), ElementsAre("start", "stop"));
  EXPECT_THAT(domain.world.calls(), AllOf(Contains("b start"), Contains("c start"), Contains("b stop")));

  domain.world.fail("b start");
  try {
    start_components(record, domain, limits());
    FAIL() << "no exception";
  } catch (const CF::Resource::StartError& e) {
    EXPECT_EQ(e.msg(), "component 'b' cannot be started: no antenna");
    EXPECT_EQ(e.errorNumber(), CF::ErrorNumberType::CF_EIO);
  }
}

TEST(Deployment41, IsUndoneWhenAConnectionIsRejected) {
  FakeDomain domain;
  const Assembly assembly = mixed();
  domain.world.fail("b connect out:c2 out:c3");
  EXPECT_THAT(error_of(request(assembly), domain),
              HasSubstr("component 'b' on device gpp_1 cannot be connected: connection 'c3' (): it rejects "
                        "connection 'c3' of its port 'out' (error code 3)"));
  EXPECT_THAT(domain.world.left(), IsEmpty());
}

/// A component that does not register as it has to, and what is said.
struct Registration {
  const char* file;
  const char* message;
};

void PrintTo(const Registration& registration, std::ostream* out) { *out << registration.file; }

class RejectedRegistration : public ::testing::TestWithParam<Registration> {};

TEST_P(RejectedRegistration, IsNamedWhenTheDeploymentFails) {
  FakeDomain domain;
  const Assembly assembly =
      AssemblyBuilder().add("a").add("b", std::string("/dom") + GetParam().file).as_sca41().assembly;
  DeploymentRequest limited = request(assembly);
  limited.limits.registration = std::chrono::milliseconds(50);
  const std::string message = error_of(limited, domain);
  EXPECT_THAT(message,
              HasSubstr("component 'b' on device gpp_1 has not registered at the component registry within"));
  EXPECT_THAT(message, HasSubstr(GetParam().message));
  EXPECT_THAT(domain.world.left(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Files, RejectedRegistration,
    ::testing::Values(Registration{"/silent", "50 ms"},
                      Registration{"/impostor", "the application has no component 'a:radio' of SCA 4.1"},
                      Registration{"/nil", "component 'b:radio' is nil"},
                      Registration{"/service", "registers as another type than an application component"}),
    [](const auto& each) { return std::string(each.param.file).substr(1); });

TEST(Deployment41, KeepsTheFirstOfTwoRegistrations) {
  FakeDomain domain;
  const Assembly assembly = mixed("/dom/twice");
  deploy(request(assembly), domain);
  EXPECT_THAT(domain.world.calls(), Contains("RegisterError: component 'b:radio' has registered already"));
}

TEST(Deployment41, NamesAComponentThatEndsBeforeItRegisters) {
  FakeDomain domain;
  const Assembly assembly = AssemblyBuilder().add("a", "/dom/silent").as_sca41().assembly;
  domain.ends["gpp_1 1"] = "was killed by SIGSEGV";
  EXPECT_THAT(
      error_of(request(assembly), domain),
      HasSubstr("component 'a' on device gpp_1 has ended before it registered: its process was killed"));
}

TEST(Deployment41, EndsItsRegistryWithTheRegistrations) {
  FakeDomain domain;
  const Assembly assembly = AssemblyBuilder().add("a", "/dom/part").as_sca41().assembly;
  deploy(request(assembly), domain);
  const auto reference = domain.servants[0]->registry();
  const auto registry = domain.components.orb->string_to_object(reference);
  EXPECT_TRUE(registry->_non_existent());
}

/// a, which a component factory creates, sends to b of 2.2.2, and b to c, which it creates, too.
Assembly with_component_factory(const std::string& second = "c") {
  Assembly assembly = AssemblyBuilder()
                          .add("a")
                          .add("b")
                          .add(second)
                          .add("f", "/dom/factory")
                          .connect(0, 1)
                          .connect(1, 2)
                          .assembly;
  assembly.packages[3].component.type = "applicationcomponentfactory";
  assembly.factories.push_back(assembly.components[3]);
  assembly.components.pop_back();
  SimpleProperty bands;
  bands.id = "bands";
  bands.type = PropertyType::uint32;
  bands.factory_param = true;
  bands.value = "4";
  assembly.packages[3].properties.simple.push_back(bands);
  for (const std::size_t i : {0, 2}) assembly.components[i].factory = FactoryReference{"f", 0, {}, {}, true};
  return assembly;
}

/// Those of `some` that have been called, in their order.
std::vector<std::string> calls_of(const FakeDomain& domain, const std::vector<std::string>& some) {
  std::vector<std::string> calls = domain.world.calls();
  std::erase_if(calls, [&](const std::string& call) {
    return std::find(some.begin(), some.end(), call) == some.end();
  });
  return calls;
}

TEST(Deployment41, LetsAComponentFactoryCreateItsComponents) {
  FakeDomain domain;
  const Assembly assembly = with_component_factory();
  Application record = deploy(request(assembly), domain);
  const std::vector<std::string> created{"factory initialize",
                                         "factory create a:radio bands=4",
                                         "factory create c:radio bands=4",
                                         "a initialize",
                                         "a connect out:c1",
                                         "a configure gain=1"};
  EXPECT_EQ(calls_of(domain, created), created);
  EXPECT_THAT(domain.world.calls(), Not(Contains(HasSubstr("getProvidesPorts"))))
      << "the factory has returned the port";
  EXPECT_THAT(domain.world.calls(), Not(Contains(HasSubstr("execute a"))));
  EXPECT_TRUE(record.components[0].is_factory && record.components[0].is_sca41);
  EXPECT_EQ(record.components[1].factory, "f:radio");
  EXPECT_EQ(record, domain.stored);
  record.state = ApplicationState::started;
  EXPECT_THAT(undeploy(record, domain, limits()), IsEmpty());
  EXPECT_THAT(domain.world.left(), IsEmpty());
  const std::vector<std::string> released{"a stop", "c release", "a release", "factory release"};
  EXPECT_EQ(calls_of(domain, released), released);
}

TEST(Deployment41, LetsAComponentFactoryEndWithItsLastComponent) {
  FakeDomain domain;
  Application record = deploy(request(with_component_factory()), domain);
  domain.world.fail("factory release");
  EXPECT_THAT(undeploy(record, domain, limits()), IsEmpty());
  EXPECT_THAT(domain.reports, IsEmpty());
}

TEST(Deployment41, NamesTheComponentThatAComponentFactoryCannotCreate) {
  FakeDomain domain;
  domain.world.fail("factory create a:radio bands=4");
  EXPECT_THAT(error_of(request(with_component_factory()), domain),
              AllOf(HasSubstr("component 'a'"),
                    HasSubstr("cannot be created by component factory 'f': no such class")));
  EXPECT_THAT(domain.world.left(), IsEmpty());
}

TEST(Deployment41, RejectsAComponentOfAnotherIdentifier) {
  FakeDomain domain;
  EXPECT_THAT(error_of(request(with_component_factory("misnamed")), domain),
              HasSubstr("was created as component 'x' by component factory 'f'"));
  EXPECT_THAT(domain.world.left(), IsEmpty());
}

TEST(Deployment41, RejectsARegistrationThatIsNoComponentFactory) {
  FakeDomain domain;
  Assembly assembly = with_component_factory();
  for (Implementation& each : assembly.packages[3].implementations) each.file = "/dom/part";
  DeploymentRequest short_request = request(assembly);
  short_request.limits.registration = std::chrono::milliseconds(1);
  EXPECT_THAT(error_of(short_request, domain), HasSubstr("component factory 'f'"));
  EXPECT_THAT(domain.world.calls(),
              Contains("RegisterError: component 'f:radio' registers as another type than an application "
                       "component factory"));
}

// ---- devices of SCA 4.1 ----

/// a on a device of 2.2.2, b and c in one process of a device of 4.1.
DeploymentRequest on_both(const Assembly& assembly) {
  DeploymentRequest request = sca::request(assembly);
  request.assignments = {{"a", "gpp_1"}, {"b", "gpp_2"}, {"c", "gpp_2"}};
  return request;
}

Assembly shared_process() {
  Assembly assembly = mixed();
  for (const std::size_t i : {1u, 2u}) {
    assembly.components[i].process = "together";
    assembly.components[i].cores = "0,2";
    assembly.packages[assembly.components[i].package].implementations[0].code = CodeType::shared_library;
    assembly.packages[assembly.components[i].package].implementations[0].entry_point = "make";
  }
  return assembly;
}

TEST(Deployment41, UsesDevicesOfBothEditionsInOneApplication) {
  FakeDomain domain(2);
  testing::make_sca41(domain, 1);
  const Assembly assembly = shared_process();
  Application record = deploy(on_both(assembly), domain);
  EXPECT_THAT(domain.world.calls(),
              AllOf(Contains("gpp_1 execute a"), Contains("gpp_2 allocate memory=64"),
                    Contains("gpp_2 load /part"), Contains("gpp_2 execute b"), Contains("gpp_2 execute c")));
  ASSERT_EQ(record.components.size(), 3u);
  EXPECT_EQ(record.components[0].execution, Execution41());
  const DeployedComponent& b = record.components[1];
  EXPECT_EQ(b.execution.thread, testing::FakeDevice41::kFirstThread + static_cast<std::uint64_t>(b.process));
  EXPECT_EQ(b.execution.collocation, "together:radio:app_1");
  EXPECT_THAT(b.execution.cores, ElementsAre(0u, 2u)) << "a sequence of numbers, as 4.1 has it";
  EXPECT_THAT(undeploy(record, domain, limits()), IsEmpty());
  EXPECT_THAT(domain.world.left(), IsEmpty()) << "terminated with the execution id of the device";
}

TEST(Deployment41, UndoesWhatADeviceOf41HasWhenTheDeploymentFails) {
  FakeDomain domain(2);
  testing::make_sca41(domain, 1);
  const Assembly assembly = shared_process();
  domain.world.fail("c initialize");
  EXPECT_THAT(error_of(on_both(assembly), domain),
              HasSubstr("component 'c' on device gpp_2 cannot be initialized"));
  EXPECT_THAT(domain.world.left(), IsEmpty());
}

TEST(Deployment41, NamesTheFailureOfADeviceOf41) {
  FakeDomain domain(2);
  testing::make_sca41(domain, 1);
  const Assembly assembly = mixed();
  domain.world.fail("gpp_2 load /part");
  EXPECT_THAT(error_of(on_both(assembly), domain), HasSubstr("the cache is full"));
  EXPECT_THAT(domain.world.left(), IsEmpty());
}

TEST(Deployment41, UndoesOrdersThatADeviceOf41HasNotConfirmed) {
  FakeDomain domain;
  testing::make_sca41(domain, 0)->is_ours = true;
  domain.candidates[0].candidate.properties.push_back(
      {"allocation_id", "allocation_id", "string", MatchAction::external, ""});
  const Assembly assembly = AssemblyBuilder().add("a").add("b", "/dom/other").assembly;
  Application record = deploy(request(assembly), domain);
  record.state = ApplicationState::orphaned;
  for (auto& each : record.allocations) each.unconfirmed = kUnconfirmed;
  for (auto& each : record.loads) each.unconfirmed = kUnconfirmed;
  for (auto& each : record.components) {
    each.process = -1;
    each.execution = {};
    each.reference.clear();
    each.unconfirmed = kUnconfirmed;
  }
  domain.remove_naming_context("radio");
  for (int i = 0; i < kUnconfirmed; ++i) EXPECT_THAT(undeploy(record, domain, limits()), IsEmpty());
  EXPECT_THAT(domain.world.left(), IsEmpty());
  EXPECT_FALSE(has_unconfirmed(record));
}

TEST(Deployment41, TerminatesAnExecutionThatCannotBeStored) {
  FakeDomain domain;
  testing::make_sca41(domain, 0)->returns_too_much = true;
  const Assembly assembly = AssemblyBuilder().add("a").assembly;
  EXPECT_THAT(error_of(request(assembly), domain),
              HasSubstr("a processCollocation of more than 1024 octets"));
  EXPECT_THAT(domain.world.left(), IsEmpty());
}

/// a sends to the port `in` of the device that loaded it, and the port `out` of that device to a.
Assembly with_its_device() {
  Assembly assembly = AssemblyBuilder().add("a").assembly;
  const PortReference uses{0, "out", EndKind::component, "", ""},
      provides{0, "in", EndKind::component, "", ""};
  const PortReference from{0, "out", EndKind::loading_device, "", ""};
  const PortReference to{0, "in", EndKind::loading_device, "", ""};
  for (const auto& [id, user, provider] : {std::tuple("to", uses, to), std::tuple("from", from, provides)}) {
    Connection connection;
    connection.id = id;
    connection.uses = user;
    connection.provides = provider;
    assembly.connections.push_back(connection);
  }
  return assembly;
}

TEST(Deployment41, ConnectsPortsOfADeviceOf41) {
  FakeDomain domain;
  testing::make_sca41(domain, 0);
  const Assembly assembly = with_its_device();
  Application record = deploy(request(assembly), domain);
  EXPECT_THAT(domain.world.calls(), AllOf(Contains("gpp_1 getProvidesPorts in:to"),
                                          Contains("a.out connect to"), Contains("gpp_1 connect out:from")));
  ASSERT_EQ(record.connections.size(), 2u);
  EXPECT_THAT(record.connections[0].provider, HasSubstr("IOR:"));
  EXPECT_EQ(record.connections[1].uses_port, "out");
  EXPECT_THAT(undeploy(record, domain, limits()), IsEmpty());
  EXPECT_THAT(domain.world.calls(),
              AllOf(Contains("gpp_1 disconnect in:to"), Contains("gpp_1 disconnect out:from")));
  EXPECT_THAT(domain.world.left(), IsEmpty());
}

TEST(Deployment41, GivesBackPortsOfADeviceOf41WhenNoConnectionIsMade) {
  FakeDomain domain;
  testing::make_sca41(domain, 0);
  Assembly assembly = with_its_device();
  assembly.connections[1].uses = {0, "out", EndKind::name, "missing", ""};
  EXPECT_THAT(error_of(request(assembly), domain), HasSubstr("connection 'from' cannot be made"));
  EXPECT_THAT(domain.world.left(), IsEmpty());
}

TEST(Deployment41, SaysThatADeviceOf41HasNoCapacities) {
  FakeDomain domain;
  domain.candidates[0].is_sca41 = true;  // an object without the interfaces of 4.1
  const Assembly assembly = AssemblyBuilder().add("a").assembly;
  EXPECT_THAT(error_of(request(assembly), domain), HasSubstr("it is no CF::CapacityManagement"));
}

}  // namespace
}  // namespace orbweaver::sca
