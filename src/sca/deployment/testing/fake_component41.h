#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "CF41S.h"
#include "sca/deployment/testing/fake_components.h"

namespace orbweaver::sca::testing {

/// A component of SCA 4.1 without code of Orbweaver. CF::ApplicationManager has all interfaces that one can
/// have.
class FakeComponent41 final : public virtual CORBA::servant_traits<CF::ApplicationManager>::base_type {
 public:
  using Accessor = CF::PortAccessor;

  FakeComponent41(World& world, const std::string& id, std::string process, const TestOrb& orb)
      : world_(world), name_(id.substr(0, id.find(':'))), process_(std::move(process)), orb_(orb) {}
  std::string name() override { return name_; }
  void initialize() override { world_.call(name_ + " initialize"); }
  void releaseObject() override {
    world_.call(name_ + " release");
    world_.remove(process_);
  }
  void configure(const CF::Properties& properties) override {
    world_.call(name_ + " configure " + text_of_properties(properties));
  }
  /// The value of each is "a.gain".
  void query(CF::Properties& properties) override {
    for (CF::DataType& each : properties) each.value(any_of("string", name_ + "." + each.id()));
  }
  void runTest(std::uint32_t, CF::Properties&) override { throw CF::TestableInterface::UnknownTest(); }
  void start() override {
    const std::string call = name_ + " start";
    if (world_.fails(call))
      throw CF::ControllableInterface::StartError(CF::ErrorNumberType::CF_EIO, "no antenna");
    world_.call(call);
  }
  void stop() override { world_.call(name_ + " stop"); }
  bool started() override { return false; }

  void connectUsesPorts(const Accessor::Connections& connections) override {
    std::string text = name_ + " connect";
    for (const auto& each : connections) text += " " + text_of_connection(each.portConnectionId());
    if (world_.fails(text))
      throw Accessor::InvalidPort(Accessor::ConnectionErrorType(connections.back().portConnectionId(), 3));
    world_.call(text);
    for (const auto& each : connections) world_.add("connection " + each.portConnectionId().connectionId());
  }
  void disconnectPorts(const Accessor::Disconnections& ports) override {
    for (const auto& each : ports) {
      world_.call(name_ + " disconnect " + text_of_connection(each));
      if (!world_.remove((each.portName() == "in" ? "port of " : "connection ") + each.connectionId()))
        throw Accessor::InvalidPort(Accessor::ConnectionErrorType(each, 4));
    }
  }
  /// Makes a port for each connection.
  void getProvidesPorts(Accessor::Connections& connections) override {
    for (auto& each : connections) {
      world_.call(name_ + " getProvidesPorts " + text_of_connection(each.portConnectionId()));
      if (world_.fails(name_ + " nil")) continue;
      world_.add("port of " + each.portConnectionId().connectionId());
      each.portReference(make_port(each.portConnectionId().portName()));
    }
  }

  IDL::traits<CORBA::Object>::ref_type make_port(const std::string& port) {
    return orb_.poa->id_to_reference(
        orb_.poa->activate_object(CORBA::make_reference<FakePort>(world_, name_ + "." + port)));
  }

 private:
  static std::string text_of_connection(const Accessor::ConnectionIdType& id) {
    return id.portName() + ":" + id.connectionId();
  }

  World& world_;
  const std::string name_, process_;
  const TestOrb& orb_;
};

/// A component factory with classes of its own. The component "misnamed" gets another identifier.
class FakeComponentFactory final : public virtual CORBA::servant_traits<CF::ComponentFactory>::base_type {
 public:
  FakeComponentFactory(World& world, std::string process, const TestOrb& orb)
      : world_(world), process_(std::move(process)), orb_(orb) {}
  void initialize() override { world_.call("factory initialize"); }
  void releaseObject() override {
    if (world_.fails("factory release")) {  // as one that has ended
      world_.remove(process_);
      throw CORBA::OBJECT_NOT_EXIST();
    }
    world_.call("factory release");
    world_.remove(process_);
  }
  CF::ComponentType createComponent(const std::string& id, const CF::Properties& qualifiers) override {
    const std::string call = "factory create " + id + " " + text_of_properties(qualifiers);
    if (world_.fails(call))
      throw CF::ComponentFactory::CreateComponentFailure(CF::ErrorNumberType::CF_ENOENT, "no such class");
    world_.call(call);
    world_.add("component " + id);
    const auto servant = CORBA::make_reference<FakeComponent41>(world_, id, "component " + id, orb_);
    return {id.starts_with("misnamed") ? "x" : id,
            "",
            CF::ComponentEnumType::APPLICATION_COMPONENT,
            orb_.poa->id_to_reference(orb_.poa->activate_object(servant)),
            {{"in", servant->make_port("in")}},
            {}};
  }

 private:
  World& world_;
  const std::string process_;
  const TestOrb& orb_;
};

/// Registers a component at the registry of this reference. `kind` is the file that the device has executed:
/// "/impostor" registers as the component a, "/twice" twice, "/nil" without an object, "/service" as another
/// type, and "/asked" without its provides port; "/factory" registers a component factory.
inline void register_fake(const std::string& kind, const std::string& id, const std::string& registry,
                          World& world, const std::string& process, const TestOrb& orb) {
  const auto servant = CORBA::make_reference<FakeComponent41>(world, id, process, orb);
  IDL::traits<CORBA::Object>::ref_type object;
  if (kind == "/factory") {
    object = orb.poa->id_to_reference(
        orb.poa->activate_object(CORBA::make_reference<FakeComponentFactory>(world, process, orb)));
  } else if (kind != "/nil") {
    object = orb.poa->id_to_reference(orb.poa->activate_object(servant));
  }
  CF::Ports ports;
  if (kind != "/asked") ports = {{"in", servant->make_port("in")}};
  const auto type = kind == "/service"   ? CF::ComponentEnumType::SERVICE_COMPONENT
                    : kind == "/factory" ? CF::ComponentEnumType::APPLICATION_COMPONENT_FACTORY_COMPONENT
                                         : CF::ComponentEnumType::APPLICATION_COMPONENT;
  const std::string identifier = kind == "/impostor" ? "a" + id.substr(id.find(':')) : id;
  const auto target = IDL::traits<CF::ComponentRegistry>::narrow(orb.orb->string_to_object(registry));
  for (int i = 0; i < (kind == "/twice" ? 2 : 1); ++i) {
    try {
      target->registerComponent({identifier, "", type, object, ports, {}});
    } catch (const CF::ComponentRegistry::RegisterError& e) {
      world.call("RegisterError: " + e.msg());
    } catch (const CF::InvalidObjectReference& e) {
      world.call("InvalidObjectReference: " + e.msg());
    }
  }
}

}  // namespace orbweaver::sca::testing
