// What the monitor reads of components that describe many ports, or hang.
#include "sca/monitor/component_reader.h"

#include <gtest/gtest.h>
#include <orbweaver/poa.h>

#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "FrameworkS.h"

namespace orbweaver::sca {
namespace {

namespace idl = ::orbweaver::framework;

/// A component with many uses ports.
class Ports final : public virtual CORBA::servant_traits<idl::ObservableResource>::base_type {
 public:
  int asked = 0;                              ///< Calls of getPort().
  std::function<void()> on_question = [] {};  ///< Called by each.
  int many_counters = 0;
  bool has_long_names = false;  ///< Of the first port, and of its interface.

  idl::ComponentDescription description() override {
    idl::PortDescriptionList ports;
    if (has_long_names) ports.emplace_back(std::string(10'000, 'n'), false, std::string(10'000, 'r'));
    for (int i = 0; i < 1000; ++i) ports.emplace_back("p" + std::to_string(i), false, "IDL:CF/Port:1.0");
    return idl::ComponentDescription(ports, {});
  }
  IDL::traits<CORBA::Object>::ref_type getPort(const std::string&) override {
    ++asked;
    on_question();
    return nullptr;
  }
  idl::CounterList counters() override {
    idl::CounterList counters;
    for (int i = 0; i < many_counters; ++i) counters.emplace_back(std::string(10'000, 'n'), 1.0);
    return counters;
  }
  idl::PortObjectList initialize_with(const idl::ExpectedStreamsList&) override { return {}; }
  std::uint32_t connect_ports(const idl::PortConnectionList&) override { return 0; }
  std::uint64_t thread_cpu_ns() override { return 0; }
  bool finished() override { return false; }
  idl::ComponentActivity activity() override { return {}; }
  void end_streams() override {}
  void close_inputs() override {}
  void expect_streams(const idl::ExpectedStreamsList&) override {}
  std::string identifier() override { return "many"; }
  void initialize() override {}
  void releaseObject() override {}
  void start() override {}
  void stop() override {}
  void runTest(std::uint32_t, CF::Properties&) override {}
  void configure(const CF::Properties&) override {}
  void query(CF::Properties&) override {}
};

struct ComponentReaderTest : ::testing::Test {
  ComponentReaderTest() {
    int argc = 1;
    char program[] = "test";
    char* argv[] = {program, nullptr};
    orb = CORBA::ORB_init(argc, argv, "component reader");
    poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    poa->the_POAManager()->activate();
    record.id = "many:rx";
    record.reference = orb->object_to_string(poa->id_to_reference(poa->activate_object(servant)));
    reader.emplace(orb);
  }
  ~ComponentReaderTest() override {
    reader.reset();
    poa = nullptr;
    orb->destroy();
  }
  /// Returns the number of ports that are shown.
  std::size_t read(platform::Deadline deadline) {
    monitor::Component component;
    reader->begin(deadline);
    reader->read(record, component);
    reader->end();
    return component.ports.size();
  }

  const CORBA::servant_reference<Ports> servant = CORBA::make_reference<Ports>();
  const CORBA::servant_reference<Ports> later = CORBA::make_reference<Ports>();
  IDL::traits<CORBA::ORB>::ref_type orb;
  IDL::traits<PortableServer::POA>::ref_type poa;
  DeployedComponent record;
  std::optional<ComponentReader> reader;
};

TEST_F(ComponentReaderTest, AsksForAFewHundredPortsOnly) {
  EXPECT_EQ(read(platform::Deadline::never()), 256u);
  EXPECT_EQ(servant->asked, 256);
  read(platform::Deadline::never());
  EXPECT_EQ(servant->asked, 256) << "once";
}

/// A component of a later application has the same id if that has the same name.
TEST_F(ComponentReaderTest, ForgetsAComponentThatAnotherOneOfItsIdReplaces) {
  const auto owner_of = [&](const std::string& reference) {
    DeployedConnection connection;
    connection.provides = reference;
    monitor::Connection read;
    reader->read(connection, read);
    return read.to;
  };
  read(platform::Deadline::never());
  const std::string earlier = record.reference;
  EXPECT_EQ(owner_of(earlier), "many:rx");
  record.reference = orb->object_to_string(poa->id_to_reference(poa->activate_object(later)));
  read(platform::Deadline::never());
  EXPECT_EQ(owner_of(record.reference), "many:rx");
  EXPECT_EQ(owner_of(earlier), "");
}

TEST_F(ComponentReaderTest, KeepsAPartOfALargeReport) {
  servant->many_counters = 1000;
  servant->has_long_names = true;
  monitor::Component component;
  reader->begin(platform::Deadline::never());
  reader->read(record, component);
  reader->end();
  EXPECT_EQ(component.counters.size(), 256u);
  for (const auto& [name, value] : component.counters) EXPECT_LT(name.size(), 300u);
  ASSERT_EQ(component.ports.size(), 255u) << "but the one that cannot be shown";
  EXPECT_EQ(component.ports[0].name, "p0");
  read(platform::Deadline::never());
  EXPECT_EQ(servant->asked, 255) << "once";
}

TEST_F(ComponentReaderTest, AsksForNoFurtherPortAfterTheDeadline) {
  const auto deadline = platform::Deadline::in_ms(200);
  servant->on_question = [&] {
    while (!deadline.passed()) std::this_thread::yield();
  };
  read(deadline);
  EXPECT_LE(servant->asked, 1);
  read(platform::Deadline::never());
  EXPECT_EQ(servant->asked, 256) << "it has continued";
}

}  // namespace
}  // namespace orbweaver::sca
