#include "sca/runtime/registering_component.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <stdexcept>
#include <vector>

#include "CF41S.h"
#include "platform/testing/becomes_true.h"
#include "sca/runtime/component_host.h"

namespace orbweaver::sca {
namespace {

using Accessor = CF::PortAccessor;
using platform::testing::becomes_true;
using ::testing::HasSubstr;

class Source : public Component {
 public:
  using Component::Component;
  ~Source() override { shut_down(); }

 protected:
  bool produce() override {
    out_.push(std::vector<float>(4));
    return false;
  }

 private:
  Output<float> out_{*this, "out"};
  Output<std::int16_t> other_{*this, "other"};
};

class Sink : public Component {
 public:
  using Component::Component;
  ~Sink() override { shut_down(); }

 private:
  Counter packets_{*this, "packets"};
  Input<float> in_{*this, "in", [this](const Packet<float>&) { ++packets_; }};
};

/// A registry that keeps what is registered, or rejects it.
class Registry final : public virtual CORBA::servant_traits<CF::ComponentRegistry>::base_type {
 public:
  void registerComponent(const CF::ComponentType& component) override {
    if (rejects) throw RegisterError(CF::ErrorNumberType::CF_EEXIST, "registered already");
    registered.push_back(component);
  }
  bool rejects = false;
  std::vector<CF::ComponentType> registered;

 private:
  using RegisterError = CF::ComponentRegistry::RegisterError;
};

/// A source and a sink in one process with a registry.
class RegisteringComponentTest : public ::testing::Test {
 protected:
  RegisteringComponentTest() {
    static char program[] = "test";
    static char* argv[] = {program, nullptr};
    int argc = 1;
    host_ = std::make_unique<ComponentHost>(argc, argv);
    registry_reference_ = host_->poa()->id_to_reference(host_->poa()->activate_object(registry_));
    source_ = add([](Context& context) -> Component* { return new Source(context); }, "source_1");
    sink_ = add([](Context& context) -> Component* { return new Sink(context); }, "sink_1");
  }
  ~RegisteringComponentTest() override {
    source_ = sink_ = nullptr;
    registry_->registered.clear();
    registry_reference_ = nullptr;
    host_.reset();
  }

  using Ref = IDL::traits<::orbweaver::framework::ObservableComponent>::ref_type;
  Ref add(MakeComponent make, const std::string& id) {
    const std::string ior = registry_reference_->_get_orb()->object_to_string(registry_reference_);
    contexts_[id] = Context::with({{"COMPONENT_IDENTIFIER", id}, {"COMPONENT_REGISTRY_IOR", ior}});
    Component& component = host_->make(make, contexts_[id]);
    const auto servant =
        CORBA::make_reference<RegisteringComponent>(component, host_->poa(), [this] { ++released_; });
    const auto reference = servant->activate();
    host_->register_component(contexts_[id], servant->registration(reference, "/" + id + ".spd.xml"));
    return IDL::traits<::orbweaver::framework::ObservableComponent>::narrow(reference);
  }
  Accessor::ConnectionType connection(const std::string& id, const std::string& port,
                                      const IDL::traits<CORBA::Object>::ref_type& target) {
    return {Accessor::ConnectionIdType(id, port), target};
  }
  IDL::traits<CORBA::Object>::ref_type input() {
    Accessor::Connections ports{connection("", "in", nullptr)};
    sink_->getProvidesPorts(ports);
    return ports.front().portReference();
  }
  /// "c1 out 2": the connection, port and error of the InvalidPort that `call` raises.
  template <class Call>
  static std::string invalid_port(Call&& call) {
    try {
      call();
      return "";
    } catch (const Accessor::InvalidPort& e) {
      const auto& invalid = e.invalidConnections();
      return invalid.portConnectionId().connectionId() + " " + invalid.portConnectionId().portName() + " " +
             std::to_string(invalid.errorCode());
    }
  }
  std::size_t connections() { return source_->uses_port("out")->connections().size(); }

  std::unique_ptr<ComponentHost> host_;
  CORBA::servant_reference<Registry> registry_ = CORBA::make_reference<Registry>();
  IDL::traits<CORBA::Object>::ref_type registry_reference_;
  std::map<std::string, Context> contexts_;
  Ref source_, sink_;
  int released_ = 0;
};

TEST_F(RegisteringComponentTest, RegistersItselfWithItsProvidesPorts) {
  ASSERT_EQ(registry_->registered.size(), 2u);
  const CF::ComponentType& sink = registry_->registered[1];
  EXPECT_EQ(sink.identifier(), "sink_1");
  EXPECT_EQ(sink.profile(), "/sink_1.spd.xml");
  EXPECT_EQ(sink.type(), CF::ComponentEnumType::MANAGEABLE_APPLICATION_COMPONENT);
  EXPECT_TRUE(sink.componentObject()->_is_equivalent(sink_));
  ASSERT_EQ(sink.providesPorts().size(), 1u);
  EXPECT_EQ(sink.providesPorts()[0].portName(), "in");
  EXPECT_TRUE(sink.providesPorts()[0].portReference()->_is_equivalent(input()));
  EXPECT_TRUE(registry_->registered[0].providesPorts().empty());
}

TEST_F(RegisteringComponentTest, HasTheInterfacesOfSca41AndIsNoResource) {
  for (const char* const id :
       {"IDL:CF/ComponentIdentifier:1.0", "IDL:CF/LifeCycle:1.0", "IDL:CF/PropertySet:1.0",
        "IDL:CF/PortAccessor:1.0", "IDL:CF/ControllableInterface:1.0", "IDL:CF/TestableInterface:1.0"})
    EXPECT_TRUE(source_->_is_a(id)) << id;
  EXPECT_FALSE(source_->_is_a("IDL:CF/Resource:1.0"));
  EXPECT_EQ(source_->identifier(), "source_1");
}

TEST_F(RegisteringComponentTest, ReportsARejectedRegistration) {
  registry_->rejects = true;
  try {
    add([](Context& context) -> Component* { return new Sink(context); }, "sink_2");
    FAIL() << "no exception";
  } catch (const std::runtime_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("rejects component sink_2: registered already"));
  }
}

TEST_F(RegisteringComponentTest, SendsOverTheConnectionsOfOneCall) {
  source_->connectUsesPorts({connection("c1", "out", input()), connection("c2", "out", input())});
  sink_->expect_streams({{"in", 2}});
  EXPECT_FALSE(source_->started());
  sink_->start();
  source_->start();
  EXPECT_TRUE(source_->started());
  EXPECT_TRUE(becomes_true([&] { return sink_->finished(); }));
  EXPECT_EQ(sink_->counters()[0].value(), 2);
  source_->stop();
  EXPECT_FALSE(source_->started());
}

TEST_F(RegisteringComponentTest, MakesAllConnectionsOfACallOrNone) {
  source_->connectUsesPorts({connection("c1", "out", input())});
  const auto connect = [&](const Accessor::ConnectionType& last) {
    return invalid_port([&] { source_->connectUsesPorts({connection("c2", "out", input()), last}); });
  };
  EXPECT_EQ(connect(connection("c3", "out", nullptr)), "c3 out 1");
  EXPECT_EQ(connect(connection("c3", "other", input())), "c3 other 2");
  EXPECT_EQ(connect(connection("c1", "out", input())), "c1 out 3");
  EXPECT_EQ(connect(connection("c3", "in", input())), "c3 in 5");
  EXPECT_EQ(connections(), 1u) << "c1 is left, c2 is not";
}

TEST_F(RegisteringComponentTest, EndsConnectionsAlsoIfOneDoesNotExist) {
  source_->connectUsesPorts({connection("c1", "out", input()), connection("c2", "out", input())});
  EXPECT_EQ(invalid_port([&] {
              source_->disconnectPorts({{"c9", "out"}, {"c1", "out"}, {"c2", "no"}});
            }),
            "c9 out 4");
  EXPECT_EQ(connections(), 1u);
  EXPECT_EQ(invalid_port([&] { source_->disconnectPorts({{"c2", "no"}}); }), "c2 no 5");
  sink_->disconnectPorts({{"c1", "in"}});
}

TEST_F(RegisteringComponentTest, BreaksAConnectionOfAPortOfSca222) {
  const auto port = IDL::traits<CF::Port>::narrow(source_->uses_port("out"));
  ASSERT_TRUE(port);
  port->connectPort(input(), "c1");
  port->connectPort(input(), "c2");
  EXPECT_THROW(port->connectPort(input(), "c2"), CF::Port::InvalidPort);
  port->disconnectPort("c1");
  const auto left = source_->uses_port("out")->connections();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].connection_id(), "c2");
  EXPECT_THROW(port->disconnectPort("c1"), CF::Port::InvalidPort);
}

TEST_F(RegisteringComponentTest, HasALimitOfTheConnectionsOfAPort) {
  const auto port = IDL::traits<CF::Port>::narrow(source_->uses_port("out"));
  const auto target = input();
  for (std::size_t i = 0; i < kMaxOutputConnections; ++i) port->connectPort(target, std::to_string(i));
  EXPECT_THROW(port->connectPort(target, "another"), CF::Port::OccupiedPort);
  EXPECT_EQ(invalid_port([&] { source_->connectUsesPorts({connection("another", "out", target)}); }),
            "another out 6");
  port->disconnectPort("0");
  port->connectPort(target, "another");
}

TEST_F(RegisteringComponentTest, RejectsTheNamesOfPortsThatItDoesNotProvide) {
  for (const char* const name : {"out", "none"}) {
    Accessor::Connections ports{connection("c1", name, nullptr)};
    EXPECT_EQ(invalid_port([&] { source_->getProvidesPorts(ports); }), std::string("c1 ") + name + " 5");
  }
  EXPECT_FALSE(source_->uses_port("none"));
}

TEST_F(RegisteringComponentTest, EndsWithItsRelease) {
  source_->releaseObject();
  EXPECT_EQ(released_, 1);
  EXPECT_TRUE(source_->_non_existent());
}

}  // namespace
}  // namespace orbweaver::sca
