// The operations of components by which a domain manager of Orbweaver deploys them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <orbweaver/sca/component.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sca/runtime/component_host.h"
#include "sca/runtime/component_servant.h"

namespace orbweaver::sca {
namespace {

using framework::PortConnection;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Filter : public Component {
 public:
  using Component::Component;
  ~Filter() override { shut_down(); }

 private:
  Input<float> in_{*this, "in", [this](const Packet<float>& packet) { out_.push(packet.samples, 1); }};
  Output<float> out_{*this, "out"};
  Output<std::int16_t> other_{*this, "other"};
};

/// A filter, which is called through its reference.
struct DeployedComponent : ::testing::Test {
  DeployedComponent() {
    static char program[] = "test";
    static char* argv[] = {program, nullptr};
    int argc = 1;
    host = std::make_unique<ComponentHost>(argc, argv);
    component = &host->make([](Context& of) -> Component* { return new Filter(of); }, context);
    const auto servant = CORBA::make_reference<ComponentServant>(*component, host->poa(), [] {});
    filter = IDL::traits<framework::ObservableResource>::narrow(servant->activate());
  }
  ~DeployedComponent() override { filter = nullptr; }

  /// Ids of the connections of port out.
  std::vector<std::string> connections() {
    std::vector<std::string> ids;
    const auto out = IDL::traits<framework::Output>::narrow(filter->getPort("out"));
    for (const auto& each : out->connections()) ids.push_back(each.connection_id());
    return ids;
  }

  Context context = Context::with({{"COMPONENT_IDENTIFIER", "filter_1"}});
  std::unique_ptr<ComponentHost> host;
  Component* component = nullptr;
  IDL::traits<framework::ObservableResource>::ref_type filter;
};

TEST_F(DeployedComponent, ReturnsThePortsThatGetPortReturns) {
  std::vector<std::string> names;
  for (const auto& each : filter->initialize_with({framework::ExpectedStreams("in", 3)})) {
    names.push_back(each.name());
    EXPECT_TRUE(each.port()->_is_equivalent(filter->getPort(each.name())));
  }
  EXPECT_THAT(names, ElementsAre("in", "out", "other"));
}

TEST_F(DeployedComponent, MakesTheConnectionsBeforeTheFirstThatCannotBeMade) {
  const auto in = filter->getPort("in");
  EXPECT_EQ(filter->connect_ports({PortConnection("out", "c1", in), PortConnection("out", "c2", in),
                                   PortConnection("other", "c3", in), PortConnection("out", "c4", in)}),
            2u);
  EXPECT_THAT(connections(), ElementsAre("c1", "c2"));
  EXPECT_EQ(filter->connect_ports({PortConnection("out", "c1", in)}), 0u) << "exists already";
  EXPECT_EQ(filter->connect_ports({PortConnection("none", "c5", in)}), 0u);
  EXPECT_EQ(filter->connect_ports({PortConnection("out", "c5", nullptr)}), 0u);
  EXPECT_EQ(filter->connect_ports({}), 0u);
  EXPECT_THAT(connections(), ElementsAre("c1", "c2"));
}

TEST_F(DeployedComponent, DoesNotAskATargetForItsType) {
  // A call to this object would raise an exception.
  const auto unknown = host->poa()->create_reference("IDL:test/Unknown:1.0");
  EXPECT_EQ(filter->connect_ports({PortConnection("out", "c1", unknown)}), 0u);
  EXPECT_THAT(connections(), IsEmpty());
}

}  // namespace
}  // namespace orbweaver::sca
