#include "sca/deployment/deployment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <orbweaver/services/event_service.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <future>
#include <thread>
#include <utility>

#include "CosEventCommS.h"
#include "platform/testing/becomes_true.h"
#include "sca/deployment/late_calls.h"
#include "sca/deployment/testing/assembly_builder.h"
#include "sca/deployment/testing/fake_domain.h"
#include "sca/deployment/undeployment.h"

namespace orbweaver::sca {
namespace {

using platform::testing::becomes_true;
using ::testing::AllOf;
using testing::AssemblyBuilder;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::FakeDomain;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// Limit of calls one of which hangs; the others reply within it on a busy machine.
constexpr std::chrono::milliseconds kHangingCall{2'000};

/// Short where a test waits for the limit, long where it must not be reached.
DeploymentLimits limits(int ms = 120'000) {
  const std::chrono::milliseconds all(ms);
  return {all, all, all, all};
}

DeploymentRequest request(const Assembly& assembly) {
  return {assembly, "app_1", "radio", "DCE:radio", {}, {}, limits()};
}

/// The message of the CreateApplicationError that a deployment raises; "" if it raises none.
std::string error_of(const DeploymentRequest& request, FakeDomain& domain) {
  try {
    deploy(request, domain);
  } catch (const CF::ApplicationFactory::CreateApplicationError& e) {
    return e.msg();
  }
  return "";
}

CF::Properties ulongs(const std::string& id, const std::string& value) {
  return {CF::DataType(id, any_of("ulong", value))};
}

Assembly chain() { return AssemblyBuilder().add("a").add("b", "/dom/other").connect(0, 1).assembly; }

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
    limited.limits.call = limited.limits.release = kHangingCall;
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
    limited.limits.call = limited.limits.load = limited.limits.release = kHangingCall;
    domain.world.hang(late.call);
    EXPECT_THAT(error_of(limited, domain), HasSubstr("no reply within the time limit"));
    EXPECT_THAT(domain.world.calls(), Not(Contains(late.undone_by)));
    domain.world.release_hanging();
    EXPECT_TRUE(becomes_true([&] {
      const auto calls = domain.world.calls();
      return std::count(calls.begin(), calls.end(), late.undone_by) == 1;
    })) << late.call;
    // What the rollback has asked for meanwhile was not performed: it is left in the record.
    Application rest = domain.stored;
    EXPECT_THAT(undeploy(rest, domain, limits()), IsEmpty());
    EXPECT_THAT(domain.world.left(), IsEmpty()) << late.call;
  }
}

TEST(Deployment, CallsADeviceOnceThatDoesNotAnswer) {
  FakeDomain domain;
  const auto count = [&](const std::string& call) {
    const auto calls = domain.world.calls();
    return std::count(calls.begin(), calls.end(), call);
  };
  Assembly assembly = AssemblyBuilder().add("a").add("b").add("c").assembly;
  auto& implementations = assembly.packages[0].implementations;
  implementations.push_back(implementations[0]);
  implementations[1].id = "other";
  DeploymentRequest limited = request(assembly);
  limited.limits.call = limited.limits.release = kHangingCall;
  domain.world.hang("gpp_1 allocate memory=64");
  EXPECT_THAT(error_of(limited, domain),
              AllOf(HasSubstr("no reply within the time limit"), HasSubstr("has not answered another call")));
  EXPECT_EQ(count("gpp_1 allocate memory=64"), 1);
  domain.world.release_hanging();
  EXPECT_TRUE(becomes_true([&] { return count("gpp_1 deallocate memory=64") == 1; })) << "it was late";

  Application record = deploy(request(assembly), domain);
  domain.world.hang("gpp_1 deallocate memory=64");
  const auto left = undeploy(record, domain, limited.limits, RecordedStart::exact);
  EXPECT_EQ(count("gpp_1 deallocate memory=64"), 2);
  EXPECT_EQ(record.allocations.size(), 2u) << "for the next release; the one that may be returned is not";
  EXPECT_THAT(left, Contains(HasSubstr("of device gpp_1 cannot be given back: the device has not answered")));
  domain.world.release_hanging();
}

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
  configured.configuration = ulongs("bad", "1");
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

TEST(Deployment, ConnectsObjectsOutsideTheAssembly) {
  FakeDomain domain;
  domain.objects["channel"] = domain.root;
  Assembly assembly = chain();
  for (const auto& [kind, name, type] :
       {std::tuple(EndKind::domain_finder, "channel", "eventchannel"),
        std::tuple(EndKind::name, "channel", ""), std::tuple(EndKind::loading_device, "", "")}) {
    Connection connection = assembly.connections.front();
    connection.id = "c" + std::to_string(assembly.connections.size() + 1);
    connection.provides = {1, "", kind, name, type};
    assembly.connections.push_back(connection);
  }
  const Application record = deploy(request(assembly), domain);
  EXPECT_EQ(record.connections.size(), 4u);
  EXPECT_THAT(domain.world.left(), Contains("connection c4"));

  assembly.connections[1].provides.name = "none";
  EXPECT_THAT(
      error_of({assembly, "app_2", "radio 2", "", {}, {}, limits()}, domain),
      HasSubstr("connection 'c2' cannot be made (): eventchannel 'none' of the domain: there is none"));
}

TEST(Deployment, ConnectsTheDevicesThatLoadAndThatAreUsed) {
  FakeDomain domain(3);
  for (const std::size_t i : {1, 2})
    domain.candidates[i].candidate.properties.push_back(
        {"band", "band", "ulong", MatchAction::equal, std::to_string(i)});
  Assembly assembly = chain();
  assembly.packages[0].implementations[0].devices = {{"tuner", {{"band", "1"}}, {}}};
  assembly.devices = {{"tuner", {{"band", "2"}}, {}}};
  for (const auto& [kind, name] : {std::pair(EndKind::loading_device, ""),
                                   {EndKind::component_device, "tuner"},
                                   {EndKind::application_device, "tuner"}}) {
    Connection connection = assembly.connections.front();
    connection.id = "c" + std::to_string(assembly.connections.size() + 1);
    connection.provides = {0, "", kind, name, ""};
    assembly.connections.push_back(connection);
  }
  const Application record = deploy(request(assembly), domain);
  ASSERT_EQ(record.connections.size(), 4u);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(record.connections[i + 1].provides,
              domain.own.orb->object_to_string(domain.candidates[i].reference))
        << "device " << i + 1;
}

/// A port that gets the events of a channel.
class Consumer final : public virtual CORBA::servant_traits<CosEventComm::PushConsumer>::base_type {
 public:
  explicit Consumer(testing::World& world) : world_(world) {}
  void push(const CORBA::Any& event) override {
    std::string text;
    if (event >>= text) world_.call("consumer " + text);
  }
  void disconnect_push_consumer() override { world_.call("consumer disconnected"); }

 private:
  testing::World& world_;
};

TEST(Deployment, ConnectsConsumersToAnEventChannel) {
  FakeDomain domain;
  orbweaver::services::EventService service(domain.own.poa);
  auto channel = service.create_channel();
  domain.objects["events"] = channel.reference();
  const auto consumer = domain.components.poa->id_to_reference(
      domain.components.poa->activate_object(CORBA::make_reference<Consumer>(domain.world)));
  Assembly assembly = chain();
  Connection connection;
  connection.uses = {0, "", EndKind::domain_finder, "events", "eventchannel"};
  connection.provides = {0, "", EndKind::reference, domain.own.orb->object_to_string(consumer)};
  for (const char* const id : {"e1", "e2"}) {
    connection.id = id;
    assembly.connections.push_back(connection);
  }
  Application record = deploy(request(assembly), domain);
  const auto push = [&](const std::string& text) {
    CORBA::Any event;
    event <<= text;
    channel.push(event);
  };
  push("first");
  const auto count = [&](const std::string& call) {
    const auto calls = domain.world.calls();
    return std::count(calls.begin(), calls.end(), call);
  };
  EXPECT_TRUE(becomes_true([&] { return count("consumer first") == 2; })) << "one event over each connection";
  EXPECT_THAT(undeploy(record, domain, limits()), IsEmpty());
  EXPECT_TRUE(becomes_true([&] { return count("consumer disconnected") == 2; }));

  assembly.connections.back().provides = {1, "in"};
  EXPECT_THAT(error_of({assembly, "app_2", "radio 2", "", {}, {}, limits()}, domain),
              HasSubstr("the provides port is no CosEventComm::PushConsumer"));
  assembly.connections.back().provides = {0, "", EndKind::domain_finder, "none", "eventchannel"};
  EXPECT_THAT(error_of({assembly, "app_3", "radio 3", "", {}, {}, limits()}, domain),
              HasSubstr("eventchannel 'none' of the domain: there is none"));
  EXPECT_EQ(channel.counts().consumer_proxies, 0u) << "a failed deployment gives its proxies back";
  service.shutdown();
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
            "PROCESS_COLLOCATION=together:radio");
  EXPECT_EQ(domain.servants[0]->options("b:radio"), "ENTRY_POINT=make,PROCESS_COLLOCATION=together:radio");
}

TEST(Deployment, LoadsDependenciesFirstAndEachFileOnce) {
  FakeDomain domain;
  Assembly assembly = AssemblyBuilder().add("a").add("b").assembly;
  SoftwarePackage library;
  library.implementations.push_back({});
  library.implementations[0].id = "so";
  library.implementations[0].code = CodeType::shared_library;
  library.implementations[0].file = "/dom/libfilter.so";
  assembly.dependencies["lib.spd.xml"] = library;
  for (const std::size_t i : {0u, 1u})
    assembly.packages[i].implementations[0].dependencies = {{"lib.spd.xml", "", {}}};
  const Application record = deploy(request(assembly), domain);
  EXPECT_EQ(record.loads.size(), 2u);
  EXPECT_THAT(record.loads, Contains(DeployedLoad{"gpp_1", "/libfilter.so"}));
  const auto calls = domain.world.calls();
  EXPECT_EQ(std::count(calls.begin(), calls.end(), "gpp_1 load /part"), 1);

  assembly.dependencies["lib.spd.xml"].implementations[0].systems = {"VxWorks"};
  domain.candidates[0].candidate.system = "Linux";
  EXPECT_THAT(error_of({assembly, "app_2", "radio 2", "", {}, {}, limits()}, domain),
              HasSubstr("no implementation of lib.spd.xml, which it depends on, runs there"));
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
  const auto unloads = [&] {
    const auto calls = domain.world.calls();
    return std::count(calls.begin(), calls.end(), "gpp_1 unload /part");
  };
  EXPECT_THAT(undeploy(record, domain, limits()), IsEmpty());
  EXPECT_EQ(unloads(), 1);
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
    const auto calls = domain.world.calls();
    EXPECT_EQ(std::count(calls.begin(), calls.end(), "gpp_1 deallocate " + capacities), has_id ? 2 : 1);
  }
}

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
    EXPECT_TRUE(becomes_true([&] {
      const auto calls = domain.world.calls();
      return std::count(calls.begin(), calls.end(), call) == 1;
    })) << call;
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

TEST(LateCalls, TellWhenThoseOfAnApplicationAreSettled) {
  EXPECT_EQ(late_orders_of("app late"), LateOrders::unknown);
  for (const bool is_answered : {true, false}) {
    std::promise<void> answer;
    EXPECT_THROW(call_within(std::chrono::milliseconds(1),
                             {"app late", "load() of device late",
                              [&] {
                                answer.get_future().wait();
                                if (!is_answered)
                                  throw CORBA::COMM_FAILURE(0, CORBA::CompletionStatus::COMPLETED_MAYBE);
                                return 0;
                              },
                              [](std::int32_t) {}}),
                 CORBA::TIMEOUT);
    EXPECT_EQ(late_orders_of("app late"), LateOrders::pending);
    answer.set_value();
    LateOrders last = LateOrders::pending;
    EXPECT_TRUE(becomes_true([&] { return (last = late_orders_of("app late")) != LateOrders::pending; }));
    EXPECT_EQ(last, is_answered ? LateOrders::settled : LateOrders::unknown);
  }
}

TEST(LateCalls, AreAwaitedForALimitedTime) {
  using std::chrono::milliseconds;
  std::promise<void> answer;
  std::atomic<bool> undone{false};
  EXPECT_THROW(call_within(milliseconds(1), {"app", "load() of device test",
                                             [&] {
                                               answer.get_future().wait();
                                               return 7;
                                             },
                                             [&](std::int32_t result) { undone = result == 7; }}),
               CORBA::TIMEOUT);
  EXPECT_THAT(wait_for_late_calls(milliseconds(1)), Contains("load() of device test"));
  answer.set_value();
  EXPECT_THAT(wait_for_late_calls(std::chrono::minutes(2)), Not(Contains("load() of device test")));
  EXPECT_TRUE(undone);
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
  EXPECT_EQ(domain.servants[0]->options("a:radio"), "PROCESS_COLLOCATION=factory f:radio");
  EXPECT_EQ(domain.servants[0]->parameters("b:radio").at("bands"), "4");
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
