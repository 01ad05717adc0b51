// Connections of an assembly to devices and services of several nodes, made by the real deployment.
#include <atomic>

#include "sca/cf222/testing/domain_fixture.h"
#include "sca/deployment/deployment.h"

namespace orbweaver::sca {
namespace {

using namespace orbweaver::sca::testing;
using ::testing::IsEmpty;

DeploymentFunctions real_functions() {
  return {deploy, [](Application& record, DeploymentDomain& domain) { return undeploy(record, domain); },
          [](const Application& record, DeploymentDomain& domain) { start_components(record, domain); },
          [](const Application& record, DeploymentDomain& domain) { stop_components(record, domain); }};
}

/// Two nodes: node-1 executes the component `a`, which uses the device of node-2, the one with 8 cores.
struct TwoNodes : DomainTest {
  TwoNodes() {
    functions = real_functions();
    start();
    other.devices[0]->set("cores", "ulong", "8");
    other.devices[0]->set_port("status", other.activate(device_port));
    node->devices[0]->on_execute = [this](const CF::Properties& parameters) { return execute(parameters); };
    join();
    client->registerDeviceManager(use(other.manager()));
    clock = other.activate(CORBA::make_reference<TestComponent>("clock"));
    client->registerService(use(clock), use(other.manager()), "clock");
    component->set_port("out", components.activate(port));
    component->set_port("in", input);
  }

  /// The component binds itself, as a process that node-1 has started.
  std::int32_t execute(const CF::Properties& parameters) {
    std::string context, binding;
    for (const CF::DataType& each : parameters) {
      if (each.id() == "NAMING_CONTEXT_IOR") each.value() >>= context;
      if (each.id() == "NAME_BINDING") each.value() >>= binding;
    }
    IDL::traits<CosNaming::NamingContext>::narrow(components.orb().orb->string_to_object(context))
        ->bind({CosNaming::NameComponent(binding, "")}, components.activate(executed));
    return 4711;
  }

  /// An application of `a` with these connections.
  IDL::traits<CF::Application>::ref_type create_with(const std::string& connections) {
    root.write(
        "linked.scd.xml",
        "<softwarecomponent><corbaversion>2.2</corbaversion><componentrepid repid=\"IDL:CF/Resource:1.0\"/>"
        "<componenttype>resource</componenttype><componentfeatures><supportsinterface "
        "repid=\"IDL:CF/Resource:1.0\" supportsname=\"Resource\"/><ports><provides "
        "repid=\"IDL:CF/Resource:1.0\" providesname=\"in\"/><uses repid=\"IDL:CF/Resource:1.0\" "
        "usesname=\"out\"/></ports></componentfeatures><interfaces><interface "
        "repid=\"IDL:CF/Resource:1.0\" name=\"Resource\"/></interfaces></softwarecomponent>");
    root.write(
        "linked.spd.xml",
        "<softpkg id=\"DCE:linked.part\" name=\"part\"><author/><descriptor><localfile "
        "name=\"linked.scd.xml\"/></descriptor><implementation id=\"i\"><code type=\"Executable\">"
        "<localfile name=\"part\"/></code><os name=\"Linux\"/></implementation><usesdevice id=\"tuner\" "
        "type=\"tuner\"><propertyref refid=\"cores\" value=\"4\"/></usesdevice></softpkg>");
    root.write(
        "linked.sad.xml",
        "<softwareassembly id=\"DCE:linked\" name=\"Linked\"><componentfiles><componentfile id=\"part\" "
        "type=\"SPD\"><localfile name=\"linked.spd.xml\"/></componentfile></componentfiles><partitioning>"
        "<componentplacement><componentfileref refid=\"part\"/><componentinstantiation id=\"a\"/>"
        "</componentplacement></partitioning><assemblycontroller><componentinstantiationref refid=\"a\"/>"
        "</assemblycontroller><connections>" +
            connections + "</connections></softwareassembly>");
    client->installApplication("/linked.sad.xml");
    return use(use(client->applicationFactories().at(0))
                   ->create("rx", {}, {CF::DeviceAssignmentType("a", "node-1/gpp")}));
  }
  /// A connection of the component's uses port.
  static std::string from_a(const std::string& id, const std::string& provides) {
    return "<connectinterface id=\"" + id +
           "\"><usesport><usesidentifier>out</usesidentifier><componentinstantiationref "
           "refid=\"a\"/></usesport>" +
           provides + "</connectinterface>";
  }
  static std::string device(const std::string& reference) {
    return "<componentsupportedinterface><supportedidentifier>IDL:CF/Device:1.0</supportedidentifier>" +
           reference + "</componentsupportedinterface>";
  }
  static std::string found(const std::string& attributes) {
    return "<findby><domainfinder " + attributes + "/></findby>";
  }
  bool is_connected(const std::string& id, const IDL::traits<CORBA::Object>::ref_type& object) {
    return object && port->object(id) && port->object(id)->_is_equivalent(object);
  }

  TestNode other{"node-2"};
  const CORBA::servant_reference<TestComponent> component = CORBA::make_reference<TestComponent>("a:rx");
  CORBA::servant_reference<TestComponent> executed = component;  // the next one
  const CORBA::servant_reference<TestPort> port = CORBA::make_reference<TestPort>();
  const CORBA::servant_reference<TestPort> device_port = CORBA::make_reference<TestPort>();
  const IDL::traits<CORBA::Object>::ref_type input =
      components.activate(CORBA::make_reference<TestComponent>("input"));
  IDL::traits<CORBA::Object>::ref_type clock;
};

TEST_F(TwoNodes, AreConnectedByAnAssembly) {
  const auto application =
      create_with(from_a("loader", device("<devicethatloadedthiscomponentref refid=\"a\"/>")) +
                  from_a("used", device("<deviceusedbythiscomponentref refid=\"a\" usesrefid=\"tuner\"/>")) +
                  from_a("service", found("type=\"servicename\" name=\"clock\"")) +
                  from_a("domain", found("type=\"domainmanager\"")) +
                  from_a("channel", found("type=\"eventchannel\" name=\"made\"")) +
                  from_a("unnamed", found("type=\"eventchannel\"")) +
                  "<connectinterface id=\"status\"><usesport><usesidentifier>status</usesidentifier>"
                  "<deviceusedbythiscomponentref refid=\"a\" usesrefid=\"tuner\"/></usesport><providesport>"
                  "<providesidentifier>in</providesidentifier><componentinstantiationref refid=\"a\"/>"
                  "</providesport></connectinterface>");
  EXPECT_EQ(application->componentDevices().at(0).assignedDeviceId(), "node-1/gpp");
  EXPECT_TRUE(is_connected("loader", node->device()));
  EXPECT_TRUE(is_connected("used", other.device())) << "of the other node";
  EXPECT_TRUE(is_connected("service", clock));
  EXPECT_TRUE(is_connected("domain", domain->manager));
  EXPECT_TRUE(is_connected("channel", domain->domain.channels().find("made"))) << "it has been created";
  EXPECT_TRUE(is_connected("unnamed", domain->domain.channels().find("IDM_Channel")));
  ASSERT_TRUE(device_port->object("status"));
  EXPECT_TRUE(device_port->object("status")->_is_equivalent(input)) << "the device of the other node sends";
  EXPECT_EQ(component->initialized, 1);
  EXPECT_EQ(component->started, 0) << "it is created, not started";
  EXPECT_TRUE(use(domain->naming->resolve_str("orbweaver/rx")));

  application->releaseObject();
  EXPECT_EQ(port->calls().size(), 12u) << "each connection has been undone";
  EXPECT_EQ(device_port->calls().size(), 2u);
  EXPECT_EQ(component->released, 1);
  EXPECT_THROW(domain->naming->resolve_str("orbweaver/rx"), CosNaming::NamingContext::NotFound);
}

// A device's port that several applications use has a connection for each, and the end of one leaves the
// others.
TEST_F(TwoNodes, HaveAnIdForEachApplicationAtADevice) {
  const auto first = create_with(
      "<connectinterface id=\"status\"><usesport><usesidentifier>status</usesidentifier>"
      "<deviceusedbythiscomponentref refid=\"a\" usesrefid=\"tuner\"/></usesport><providesport>"
      "<providesidentifier>in</providesidentifier><componentinstantiationref refid=\"a\"/></providesport>"
      "</connectinterface>");
  executed = CORBA::make_reference<TestComponent>("a:rx2");
  executed->set_port("in", input);
  const auto second = use(use(client->applicationFactories().at(0))
                              ->create("rx2", {}, {CF::DeviceAssignmentType("a", "node-1/gpp")}));
  const std::string renamed = second->identifier() + "/status";
  EXPECT_THAT(device_port->calls(), ::testing::ElementsAre("+status", "+" + renamed));
  second->releaseObject();
  EXPECT_THAT(device_port->calls(), ::testing::ElementsAre("+status", "+" + renamed, "-" + renamed));
  first->releaseObject();
  EXPECT_EQ(device_port->calls().back(), "-status");
}

TEST_F(TwoNodes, AreConnectedToTheServiceOfATypeThatWasRegisteredFirst) {
  const auto manager = use(other.manager());
  client->unregisterService(use(clock), "clock");
  client->registerService(components.orb().orb->string_to_object("corbaloc:iiop:127.0.0.1:1/none"), manager,
                          "silent");
  client->registerService(use(clock), manager, "clock");
  client->registerService(use(node->activate(CORBA::make_reference<TestComponent>("alarm"))), manager,
                          "alarm");
  create_with(from_a("same", found("type=\"servicetype\" name=\"IDL:CF/Resource:1.0\"")) +
              from_a("base", found("type=\"servicetype\" name=\"IDL:CF/LifeCycle:1.0\"")));
  EXPECT_TRUE(is_connected("same", clock));
  EXPECT_TRUE(is_connected("base", clock));
}

TEST_F(TwoNodes, AreNotConnectedToAServiceOfAnotherType) {
  EXPECT_THAT(message_of([&] {
                create_with(from_a("other", found("type=\"servicetype\" name=\"IDL:CF/FileSystem:1.0\"")));
              }),
              ::testing::HasSubstr("servicetype 'IDL:CF/FileSystem:1.0' of the domain: there is none"));
}

TEST_F(TwoNodes, AreNotConnectedToWhatDoesNotExist) {
  const std::string message =
      message_of([&] { create_with(from_a("service", found("type=\"servicename\" name=\"none\""))); });
  EXPECT_THAT(message, ::testing::HasSubstr("connection 'service' cannot be made"));
  EXPECT_THAT(message, ::testing::HasSubstr("servicename 'none' of the domain: there is none"));
  EXPECT_THAT(port->calls(), IsEmpty());
  EXPECT_EQ(component->released, 1);
  EXPECT_THAT(domain->model->applications(), IsEmpty());
}

}  // namespace
}  // namespace orbweaver::sca
