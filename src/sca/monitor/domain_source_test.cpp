// A domain of two components in this process, as the web monitor sees it.
#include "sca/monitor/domain_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "CFS.h"
#include "platform/resolver.h"
#include "platform/socket.h"
#include "platform/testing/becomes_true.h"
#include "sca/runtime/component_host.h"
#include "sca/runtime/component_servant.h"

namespace orbweaver::sca {
namespace {

using platform::testing::becomes_true;
using ::testing::HasSubstr;

class Source : public Component {
 public:
  using Component::Component;

 private:
  bool produce() override {
    const std::vector<float> samples(10);
    out_.push(samples, 8000);
    return ++packets_ < 100;
  }
  Property<double> level_{*this, "level", 0.5};
  Property<std::string> label_{*this, "label", "first"};
  Property<std::vector<float>> taps_{*this, "taps", {0.5F}};
  Output<float> out_{*this, "out"};
  int packets_ = 0;
};

class Sink : public Component {
 public:
  using Component::Component;

 private:
  Input<float> in_{*this, "in", [this](const Packet<float>& packet) {
                     samples_ += static_cast<double>(packet.samples.size());
                   }};
  Counter samples_{*this, "samples"};
};

/// A store in memory.
class MemoryStore : public state::RecordStore {
 public:
  Result<std::map<std::string, std::string>> read_all() override { return records_; }
  Result<void> commit(const std::vector<state::RecordChange>& changes, Durability) override {
    for (const state::RecordChange& change : changes) {
      records_.erase(change.key);
      if (change.value) records_[change.key] = *change.value;
    }
    return {};
  }

 private:
  std::map<std::string, std::string> records_;
};

/// A device, of which only the states matter.
class StatesDevice final : public virtual CORBA::servant_traits<CF::Device>::base_type {
 public:
  CF::Device::UsageType usage = CF::Device::UsageType::IDLE;
  CF::Device::AdminType admin = CF::Device::AdminType::UNLOCKED;
  CF::Device::OperationalType operation = CF::Device::OperationalType::ENABLED;

  CF::Device::UsageType usageState() override { return usage; }
  CF::Device::AdminType adminState() override { return admin; }
  void adminState(CF::Device::AdminType state) override { admin = state; }
  CF::Device::OperationalType operationalState() override { return operation; }
  std::string identifier() override { return "gpp_1"; }
  std::string softwareProfile() override { return {}; }
  std::string label() override { return {}; }
  IDL::traits<CF::AggregateDevice>::ref_type compositeDevice() override { return nullptr; }
  bool allocateCapacity(const CF::Properties&) override { return false; }
  void deallocateCapacity(const CF::Properties&) override {}
  void initialize() override {}
  void releaseObject() override {}
  void start() override {}
  void stop() override {}
  void runTest(std::uint32_t, CF::Properties&) override {}
  void configure(const CF::Properties&) override {}
  void query(CF::Properties&) override {}
  IDL::traits<CORBA::Object>::ref_type getPort(const std::string&) override { return nullptr; }
};

class DomainSourceTest : public ::testing::Test {
 protected:
  DomainSourceTest() {
    static char program[] = "test";
    static char* argv[] = {program, nullptr};
    int argc = 1;
    host_ = std::make_unique<ComponentHost>(argc, argv);
    host_->poa()->the_POAManager()->activate();
    source_ = add<Source>("source_1", source_context_);
    sink_ = add<Sink>("sink_1", sink_context_);
    orb_ = source_->_get_orb();
    auto opened = DomainModel::open(std::make_unique<MemoryStore>());
    model_ = std::move(*opened);
    EXPECT_TRUE(model_->put(Node{"node_1", "First node", "IOR:00", "/node.dcd.xml"}));
    RegisteredDevice device;
    device.id = "gpp_1";
    device.label = "processor";
    device.node = "node_1";
    device.reference = ior(host_->poa()->id_to_reference(host_->poa()->activate_object(device_)));
    EXPECT_TRUE(model_->put(device));
    domain_ = std::make_unique<DomainSource>(orb_, *model_, "orbweaver", commands());
    EXPECT_TRUE(model_->put(application()));
  }
  ~DomainSourceTest() override {
    source_ = nullptr;
    sink_ = nullptr;
    domain_.reset();
    host_.reset();
  }

  template <class T>
  IDL::traits<CF::Resource>::ref_type add(const char* id, Context& context) {
    context = Context::with({{"COMPONENT_IDENTIFIER", id}});
    Component& component = host_->make([](Context& made) -> Component* { return new T(made); }, context);
    auto servant = CORBA::make_reference<ComponentServant>(component, host_->poa(), [] {});
    servants_.push_back(servant);
    return IDL::traits<CF::Resource>::narrow(servant->activate());
  }

  std::string ior(const IDL::traits<CORBA::Object>::ref_type& object) {
    return orb_->object_to_string(object);
  }

  Application application() {
    Application result;
    result.id = "app";
    result.name = "radio";
    result.state = ApplicationState::stopped;
    for (const auto& [name, object] : {std::pair{"source_1", source_}, std::pair{"sink_1", sink_}}) {
      DeployedComponent component;
      component.id = std::string(name) + ":radio";
      component.instantiation = name;
      component.device = "gpp_1";
      component.process = 4711;
      component.reference = ior(object);
      result.components.push_back(component);
    }
    DeployedConnection connection;
    connection.id = "hop";
    connection.component = "source_1:radio";
    connection.uses = ior(source_->getPort("out"));
    connection.provides = ior(sink_->getPort("in"));
    result.connections.push_back(connection);
    return result;
  }

  DomainCommands commands() {
    DomainCommands result;
    result.start = [this](const std::string& id) { called_ = "start " + id; };
    result.stop = [](const std::string&) {
      throw CF::Resource::StopError(CF::ErrorNumberType::CF_EBUSY, "it is being released");
    };
    result.release = [](const std::string&) { throw CORBA::TIMEOUT(); };
    result.log = [this](std::uint64_t after, std::size_t most) {
      asked_ = "after " + std::to_string(after) + ", at most " + std::to_string(most);
      return records_;
    };
    result.create = [this](const std::string& installed, const std::string& name) {
      if (name == "too large")
        throw CF::ApplicationFactory::CreateApplicationError(CF::ErrorNumberType::CF_ENOSPC, "no device");
      if (installed == "none") throw CORBA::OBJECT_NOT_EXIST();
      called_ = "create " + installed + " " + name;
    };
    return result;
  }

  Context source_context_ = Context::with({});
  Context sink_context_ = Context::with({});
  std::unique_ptr<ComponentHost> host_;
  std::vector<CORBA::servant_reference<ComponentServant>> servants_;
  CORBA::servant_reference<StatesDevice> device_ = CORBA::make_reference<StatesDevice>();
  IDL::traits<CF::Resource>::ref_type source_, sink_;
  IDL::traits<CORBA::ORB>::ref_type orb_;
  std::unique_ptr<DomainModel> model_;
  std::unique_ptr<DomainSource> domain_;
  std::string called_, asked_;
  std::vector<services::LogEntry> records_;
};

TEST_F(DomainSourceTest, ReadsTheStatesOfDevicesEachTime) {
  const auto states = [this] {
    const monitor::Snapshot snapshot = domain_->read();
    const monitor::Device& device = snapshot.nodes.at(0).devices.at(0);
    return device.usage + ", " + device.administration + ", " + device.operation;
  };
  EXPECT_EQ(states(), "idle, unlocked, enabled");
  device_->usage = CF::Device::UsageType::BUSY;
  device_->admin = CF::Device::AdminType::SHUTTING_DOWN;
  device_->operation = CF::Device::OperationalType::DISABLED;
  EXPECT_EQ(states(), "busy, shutting down, disabled");
}

TEST_F(DomainSourceTest, ShowsTheRecords) {
  const monitor::Snapshot snapshot = domain_->read();
  EXPECT_EQ(snapshot.domain, "orbweaver");
  ASSERT_EQ(snapshot.nodes.size(), 1u);
  EXPECT_EQ(snapshot.nodes[0].devices[0].label, "processor");
  EXPECT_EQ(snapshot.nodes[0].devices[0].usage, "idle");
  ASSERT_EQ(snapshot.applications.size(), 1u);
  EXPECT_EQ(snapshot.applications[0].state, "stopped");
  ASSERT_EQ(snapshot.components.size(), 2u);
  EXPECT_EQ(snapshot.components[0].name, "source_1");
  EXPECT_EQ(snapshot.components[0].node, "node_1");
  EXPECT_EQ(snapshot.components[0].process, 4711);
}

TEST_F(DomainSourceTest, ShowsWhatComponentsAndHopsReport) {
  IDL::traits<CF::Port>::narrow(source_->getPort("out"))->connectPort(sink_->getPort("in"), "hop");
  EXPECT_EQ(domain_->read().components[0].state, "stopped");
  sink_->start();
  source_->start();
  const std::vector<std::pair<std::string, double>> all_samples{{"samples", 1000}};
  monitor::Snapshot snapshot;
  // The sink counts a packet after it has arrived. The end of the stream, a one-way call, may arrive after
  // the source has finished.
  EXPECT_TRUE(becomes_true([&] {
    snapshot = domain_->read();
    return snapshot.connections[0].packets == 100 && snapshot.connections[0].ended &&
           snapshot.components[0].state == "finished" && snapshot.components[1].counters == all_samples;
  }));
  ASSERT_EQ(snapshot.components[0].ports.size(), 1u);
  EXPECT_EQ(snapshot.components[0].ports[0].name, "out");
  EXPECT_FALSE(snapshot.components[0].ports[0].provides);
  EXPECT_TRUE(snapshot.components[0].cpu_ns);
  EXPECT_EQ(snapshot.components[1].counters, all_samples);
  const monitor::Connection& hop = snapshot.connections[0];
  EXPECT_EQ(hop.id, "hop:radio");
  EXPECT_EQ(hop.from + "." + hop.from_port, "source_1:radio.out");
  EXPECT_EQ(hop.to + "." + hop.to_port, "sink_1:radio.in");
  EXPECT_TRUE(hop.measured);
  EXPECT_TRUE(hop.ended);
  EXPECT_EQ(hop.bytes, 4000u);
  EXPECT_EQ(hop.lost, 0u);
  EXPECT_EQ(hop.queue_limit, 64u);
  EXPECT_NE(hop.transport, "");
  EXPECT_FALSE(hop.latency.empty());
}

TEST_F(DomainSourceTest, SaysThatAComponentDoesNotRespond) {
  const std::string gone = ior(source_);
  source_->releaseObject();
  const monitor::Snapshot snapshot = domain_->read();
  EXPECT_EQ(snapshot.components[0].state, "unresponsive");
  EXPECT_EQ(snapshot.components[1].state, "stopped") << "others are read";
  EXPECT_EQ(domain_->properties("source_1:radio").error().kind, ErrorKind::unavailable);
}

TEST_F(DomainSourceTest, DoesNotCallAgainAComponentThatHangs) {
  // A server that accepts the connection and never replies.
  const auto address = platform::resolve_tcp("127.0.0.1", 0, true).addresses.at(0);
  const platform::Fd listener = std::move(platform::listen_on(address, 8).fd);
  Application record = application();
  record.components[0].reference =
      "corbaloc::127.0.0.1:" + std::to_string(platform::local_address(listener).port()) + "/hangs";
  EXPECT_TRUE(model_->put(record));
  EXPECT_EQ(domain_->read().components[0].state, "unresponsive");
  const platform::Fd called = std::move(platform::accept_from(listener, platform::Deadline::never()).fd);
  std::uint8_t buffer[4096];
  std::size_t bytes = 0;
  while (const std::size_t more = platform::recv(called, buffer, platform::Blocking::no).bytes) bytes += more;
  EXPECT_GT(bytes, 0u);
  const monitor::Snapshot snapshot = domain_->read();
  EXPECT_EQ(snapshot.components[0].state, "unresponsive");
  EXPECT_EQ(snapshot.components[1].state, "stopped");
  EXPECT_EQ(platform::poll(called, platform::kReadable, platform::Deadline::in_ms(0)), 0u) << "no call";
  EXPECT_EQ(platform::poll(listener, platform::kReadable, platform::Deadline::in_ms(0)), 0u);
}

TEST_F(DomainSourceTest, ReadsAndSetsProperties) {
  const auto properties = domain_->properties("source_1:radio");
  ASSERT_TRUE(properties) << properties.error().message;
  ASSERT_EQ(properties->size(), 3u);
  EXPECT_EQ((*properties)[0].id, "level");
  EXPECT_EQ((*properties)[0].type, "double");
  EXPECT_EQ((*properties)[0].value, "0.5");
  EXPECT_TRUE(domain_->set_property("source_1:radio", "level", "0.25"));
  EXPECT_TRUE(domain_->set_property("source_1:radio", "label", "a b"));
  EXPECT_EQ((*domain_->properties("source_1:radio"))[0].value, "0.25");
  EXPECT_EQ((*domain_->properties("source_1:radio"))[1].value, "a b");
}

TEST_F(DomainSourceTest, AsksAComponentForItsPropertiesOnceInAnInterval) {
  DomainSource source(orb_, *model_, "orbweaver", commands(), std::chrono::hours(1));
  const auto level = [&] { return (*source.properties("source_1:radio"))[0].value; };
  EXPECT_EQ(level(), "0.5");
  ASSERT_TRUE(domain_->set_property("source_1:radio", "level", "0.25"))
      << "by another client of the component";
  EXPECT_EQ(level(), "0.5") << "the component is not asked";
  EXPECT_TRUE(source.set_property("source_1:radio", "label", "next"));
  EXPECT_EQ(level(), "0.25") << "a command is seen at once";
}

/// A PRF of the source.
PropertyFile rules() {
  SimpleProperty level;
  level.id = "level";
  level.name = "Level";
  level.type = PropertyType::real64;
  level.units = "dB";
  level.min = 0;
  level.max = 1;
  level.configurable = true;
  SimpleProperty label = level;
  label.id = "label";
  label.type = PropertyType::string;
  label.read_only = true;
  label.choices = {"first", "second"};
  label.labels = {"The first", "The second"};
  SimpleProperty key = level;
  key.id = "key";
  key.type = PropertyType::string;
  key.write_only = true;
  PropertyFile file;
  file.simple = {level, label, key};
  return file;
}

TEST_F(DomainSourceTest, ShowsPropertiesWithTheRulesOfTheirPrf) {
  DomainCommands with_rules = commands();
  with_rules.properties = [](const std::string& component) {
    return component == "source_1:radio" ? rules() : PropertyFile();
  };
  DomainSource source(orb_, *model_, "orbweaver", with_rules);
  const auto properties = source.properties("source_1:radio");
  ASSERT_TRUE(properties) << properties.error().message;
  ASSERT_EQ(properties->size(), 4u);
  const monitor::Property& level = (*properties)[0];
  EXPECT_EQ(level.name + " " + level.units, "Level dB");
  EXPECT_TRUE(level.writable);
  EXPECT_EQ(level.max, 1);
  const monitor::Property& label = (*properties)[1];
  EXPECT_FALSE(label.writable);
  ASSERT_EQ(label.choices.size(), 2u);
  EXPECT_EQ(label.choices[1].second, "The second");
  EXPECT_EQ((*properties)[3].id, "key") << "without a value, because it is writeonly";
  EXPECT_EQ((*properties)[3].value, "");
  EXPECT_THAT(source.set_property("source_1:radio", "level", "1.5").error().message,
              HasSubstr("property 'level' must be from 0 to 1 dB (given: '1.5')"));
  EXPECT_THAT(source.set_property("source_1:radio", "label", "second").error().message,
              HasSubstr("property 'label' is readonly"));
  EXPECT_TRUE(source.set_property("source_1:radio", "level", "0.75"));
  EXPECT_EQ((*source.properties("source_1:radio"))[0].value, "0.75");
}

TEST_F(DomainSourceTest, ReadsAndSetsSequencesAndStructsAsJson) {
  const auto properties = domain_->properties("source_1:radio");
  ASSERT_TRUE(properties) << properties.error().message;
  EXPECT_EQ((*properties)[2].type, "sequence of float");
  EXPECT_EQ((*properties)[2].value, "[0.5]");
  EXPECT_TRUE((*properties)[2].structured && (*properties)[2].writable);
  const auto set = domain_->set_property("source_1:radio", "taps", "[1, 2.5]");
  EXPECT_TRUE(set) << set.error().message;
  EXPECT_EQ((*domain_->properties("source_1:radio"))[2].value, "[1,2.5]");
  EXPECT_THAT(domain_->set_property("source_1:radio", "taps", "1").error().message, HasSubstr("form"));
  EXPECT_EQ(domain_->set_property("source_1:radio", "taps", "[\"loud\"]").error().kind, ErrorKind::invalid);
}

TEST_F(DomainSourceTest, RefusesWrongNamesAndValues) {
  EXPECT_EQ(domain_->properties("none").error().kind, ErrorKind::invalid);
  EXPECT_EQ(domain_->set_property("none", "level", "1").error().kind, ErrorKind::invalid);
  EXPECT_EQ(domain_->set_property("source_1:radio", "none", "1").error().kind, ErrorKind::invalid);
  const auto wrong = domain_->set_property("source_1:radio", "level", "loud");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().kind, ErrorKind::invalid);
  EXPECT_THAT(wrong.error().message, HasSubstr("loud"));
  EXPECT_EQ((*domain_->properties("source_1:radio"))[0].value, "0.5");
}

TEST_F(DomainSourceTest, PassesCommandsOnAndReportsTheirErrors) {
  EXPECT_TRUE(domain_->has_application("app"));
  EXPECT_FALSE(domain_->has_application("none"));
  EXPECT_TRUE(domain_->start("app"));
  EXPECT_EQ(called_, "start app");
  EXPECT_TRUE(domain_->create("DCE:radio", "second"));
  EXPECT_EQ(called_, "create DCE:radio second");
  EXPECT_THAT(domain_->stop("app").error().message, HasSubstr("it is being released"));
  EXPECT_EQ(domain_->stop("app").error().kind, ErrorKind::invalid);
  EXPECT_EQ(domain_->release("app").error().kind, ErrorKind::timed_out);
  EXPECT_EQ(domain_->create("DCE:radio", "too large").error().message, "no device");
  EXPECT_EQ(domain_->create("none", "second").error().kind, ErrorKind::invalid);
}

TEST_F(DomainSourceTest, ShowsTheRecordsOfTheLog) {
  records_ = {{1, 0, "orbweaver", "domain manager", 8, "node 'left' is registered"},
              {2, 0, "gpp_1", "processor", 2, "cannot load"}};
  const auto lines = domain_->log(0, 100);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].source + ": " + lines[0].text, "domain manager: node 'left' is registered");
  EXPECT_EQ(lines[1].level_name, "FAILURE_ALARM");
  EXPECT_EQ(asked_, "after 0, at most 100");
}

}  // namespace
}  // namespace orbweaver::sca
