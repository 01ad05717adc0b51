#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "FrameworkS.h"
#include "sca/deployment/testing/fake_components.h"

namespace orbweaver::sca::testing {

/// A component with the interface of Orbweaver's, and ports in, out and out_2. It makes the first `connects`
/// connections of connect_ports().
class FakeOwnComponent final : public FakeComponentOf<framework::ObservableResource> {
 public:
  /// `is_earlier`: it is of a version without the operations for deployments.
  FakeOwnComponent(World& world, const std::string& id, std::string process, const TestOrb& orb,
                   bool is_earlier, std::uint32_t connects)
      : FakeComponentOf(world, id, std::move(process), orb), is_earlier_(is_earlier), connects_(connects) {}

  framework::PortObjectList initialize_with(const framework::ExpectedStreamsList& streams) override {
    if (is_earlier_) throw CORBA::BAD_OPERATION(0, CORBA::CompletionStatus::COMPLETED_NO);
    if (world_.fails(name_ + " initialize")) throw CF::LifeCycle::InitializeError({"no licence"});
    std::string text = name_ + " initialize_with";
    for (const auto& each : streams) text += " " + each.port() + "=" + std::to_string(each.count());
    world_.call(text);
    framework::PortObjectList ports;
    for (const char* const name : {"in", "out", "out_2"}) ports.emplace_back(name, port(name));
    return ports;
  }
  std::uint32_t connect_ports(const framework::PortConnectionList& connections) override {
    if (is_earlier_) throw CORBA::BAD_OPERATION(0, CORBA::CompletionStatus::COMPLETED_NO);
    if (world_.fails(name_ + " connect_ports")) throw CORBA::TRANSIENT();
    std::string text = name_ + " connect_ports";
    std::uint32_t made = 0;
    for (const auto& each : connections) {
      if (made == connects_) break;
      text += " " + each.port() + ":" + each.connection_id();
      world_.add("connection " + each.connection_id());
      ++made;
    }
    world_.call(text);
    return made;
  }

  framework::CounterList counters() override { return {}; }
  std::uint64_t thread_cpu_ns() override { return 0; }
  bool finished() override { return false; }
  framework::ComponentDescription description() override { return {}; }
  framework::ComponentActivity activity() override { return {}; }
  void end_streams() override {}
  void close_inputs() override {}
  void expect_streams(const framework::ExpectedStreamsList& streams) override {
    world_.call(name_ + " expect_streams " + std::to_string(streams.size()));
  }

 private:
  const bool is_earlier_;
  const std::uint32_t connects_;
};

}  // namespace orbweaver::sca::testing
