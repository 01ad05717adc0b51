#include "failing_domain.h"

#include <signal.h>

#include <algorithm>
#include <utility>

#include "CosLwLogC.h"
#include "platform/testing/becomes_true.h"
#include "platform/testing/marked_processes.h"
#include "sca/cf41/facade.h"
#include "sca/deployment/deployment.h"
#include "sca/deployment/device_object.h"

namespace orbweaver::sca {
namespace {

namespace fs = std::filesystem;
using platform::testing::becomes_true;

constexpr const char* kChannel = "alarms";

/// `program`: in the folder of the profiles, of an executed part; empty: a factory creates it.
std::string spd(const std::string& name, const std::string& scd, bool has_properties,
                const std::string& program) {
  const std::string memory =
      "<dependency type='memory'><propertyref refid='memory_mb' value='16'/></dependency>";
  return "<softpkg id='DCE:failing_" + name + "' name='" + name + "'><author/>" +
         (has_properties ? "<propertyfile type='PRF'><localfile name='" + name + ".prf.xml'/></propertyfile>"
                         : "") +
         "<descriptor><localfile name='" + scd + "'/></descriptor>" +
         "<implementation id='i'><code type='Executable'><localfile name='" +
         (program.empty() ? "run_test_component_factory" : program) + "'/></code>" + "<os name='Linux'/>" +
         (program.empty() ? "" : memory) + "</implementation></softpkg>";
}

std::string file_of(const std::string& part) {
  return "<componentfile id='" + part + "' type='SPD'><localfile name='" + part +
         ".spd.xml'/></componentfile>";
}

std::string placement_of(const std::string& part, const std::string& factory = {}) {
  return "<componentplacement><componentfileref refid='" + part + "'/>" + "<componentinstantiation id='" +
         part + "_1'>" + factory + "</componentinstantiation></componentplacement>";
}

std::string stream(const std::string& id, const std::string& from, const std::string& to) {
  return "<connectinterface id='" + id + "'>" + "<usesport><usesidentifier>out</usesidentifier>" +
         "<componentinstantiationref refid='" + from + "'/></usesport>" +
         "<providesport><providesidentifier>in</providesidentifier>" + "<componentinstantiationref refid='" +
         to + "'/></providesport></connectinterface>";
}

}  // namespace

/// Gets the events of the channel, over a connection of each application.
class FailingDomain::Consumer final
    : public virtual CORBA::servant_traits<CosEventComm::PushConsumer>::base_type {
 public:
  void push(const CORBA::Any&) override {}
  void disconnect_push_consumer() override {}
};

FailingDomain::FailingDomain(bool is_sca41, const NodeWatchOptions& watch, Filter filter)
    : limits{std::chrono::minutes(2), std::chrono::minutes(2), std::chrono::minutes(2),
             std::chrono::minutes(2)},
      is_sca41_(is_sca41), watch_(watch), filter_(filter),
      mark_("ORBWEAVER_FAILING_TEST=" + folder_.path().string()),
      naming_(naming::make_naming_service(orb_.poa)),
      model_(std::move(*DomainModel::open(std::make_unique<testing::DiskStore>(disk_)))) {
  environment_ = {mark_,
                  "XDG_CACHE_HOME=" + folder_.path().string(),
                  "XDG_STATE_HOME=" + folder_.path().string(),
                  "LD_PRELOAD=" ORBWEAVER_FAILING_CALLS,
                  "ASAN_OPTIONS=verify_asan_link_order=0",
                  "ORBWEAVER_FAILING_CALL=" + folder_.path("failure").string()};
  consumer_ = client_.orb->object_to_string(
      client_.poa->id_to_reference(client_.poa->activate_object(CORBA::make_reference<Consumer>())));
  write_profiles();
  domain_ = std::make_unique<Domain>(orb_.orb, naming_, *model_, options());
  manager_ = client_.use(domain_->start());
  left_ = start_node("left");
  right_ = start_node("right");
  manager_->installApplication("/radio.sad.xml");
  CF::DeviceAssignmentSequence all_left;
  for (const std::string& component : {std::string("source_1"), failing_part(), std::string("sink_1")})
    all_left.emplace_back(component, "executable_device:left");
  other_ = IDL::traits<framework::DomainApplication>::narrow(
      client_.use(client_.use(manager_->applicationFactories().at(0))->create("other", {}, all_left)));
  other_->start();
  const Application other = model_->applications().at(0);
  for (const DeployedComponent& each : other.components)
    if (each.factory.empty()) other_processes_.push_back(static_cast<int>(each.process));
  idle_memory_ = query(*model_->device("executable_device:left"), "memory_mb");
  idle_memory_right_ = query(*model_->device("executable_device:right"), "memory_mb");
}

FailingDomain::~FailingDomain() {
  end_failure();
  left_.reset();
  right_.reset();
  domain_->end();
  EXPECT_TRUE(becomes_true([&] { return processes("").empty(); }));
}

DomainOptions FailingDomain::options() {
  DomainOptions options;
  options.root = files_.path().string();
  options.facades = {facade_of_sca41()};
  options.watch = watch_;
  options.functions = {
      [this](const DeploymentRequest& request, DeploymentDomain& domain) {
        return deploy({request.assembly, request.id, request.name, request.installed, request.configuration,
                       request.assignments, limits},
                      domain);
      },
      [this](Application& record, DeploymentDomain& domain) { return undeploy(record, domain, limits); },
      [this](const Application& record, DeploymentDomain& domain) {
        start_components(record, domain, limits);
      },
      [this](const Application& record, DeploymentDomain& domain) {
        stop_components(record, domain, limits);
      }};
  return options;
}

void FailingDomain::write_profiles() const {
  const fs::path programs = ORBWEAVER_RUN_TEST_FOLDER;
  for (const char* const part : {"source", "filter", "sink", "component_factory"}) {
    const fs::path program = files_.path("run_test_" + std::string(part));
    fs::copy_file(programs / program.filename(), program);
    // A device copies a file again that has been written within the last seconds.
    fs::last_write_time(program, fs::file_time_type::clock::now() - std::chrono::hours(1));
  }
  for (const char* const part : {"source", "filter", "sink"})
    fs::copy_file(programs / (part + std::string(".scd.xml")), files_.path(part + std::string(".scd.xml")));
  for (const char* const part : {"filter", "sink"}) {
    const std::string name = "run_test_" + std::string(part) + "41.scd.xml";
    fs::copy_file(programs / name, files_.path(name));
  }
  const auto descriptor = [&](const std::string& part) {
    return is_sca41_ ? "run_test_" + part + "41.scd.xml" : part + ".scd.xml";
  };
  const bool is_created = filter_ == Filter::created;
  files_.write("source.spd.xml", spd("source", "source.scd.xml", true, "run_test_source"));
  files_.write("filter.spd.xml",
               spd("filter", descriptor("filter"), true, is_created ? "" : "run_test_filter"));
  files_.write("sink.spd.xml", spd("sink", descriptor("sink"), false, "run_test_sink"));
  files_.write("factory.spd.xml", spd("factory", "factory.scd.xml", false, "run_test_component_factory"));
  const std::string interface = is_sca41_ ? "ComponentFactory" : "ResourceFactory";
  files_.write("factory.scd.xml",
               "<softwarecomponent><componentrepid repid='IDL:CF/" + interface + ":1.0'/><componenttype>" +
                   (is_sca41_ ? "applicationcomponentfactory" : "resourcefactory") +
                   "</componenttype><componentfeatures><supportsinterface repid='IDL:CF/" + interface +
                   ":1.0' supportsname='" + interface + "'/><ports/></componentfeatures>" +
                   "<interfaces><interface repid='IDL:CF/" + interface + ":1.0' name='" + interface +
                   "'/></interfaces></softwarecomponent>");
  files_.write(
      "source.prf.xml",
      "<properties>"
      "<simple id='packets' type='ulong'><value>100000000</value><kind kindtype='execparam'/></simple>"
      "<simple id='realtime' type='boolean'><value>true</value><kind kindtype='execparam'/></simple>"
      "</properties>");
  const std::string component_class =
      "<simple id='COMPONENT_CLASS' type='string'><value>filter</value><kind "
      "kindtype='factoryparam'/></simple>";
  files_.write("filter.prf.xml",
               "<properties>"
               "<simple id='trouble' type='string'><value>none</value><kind kindtype='configure'/></simple>" +
                   (is_created ? component_class : "") + "</properties>");
  const std::string channel = std::string("<domainfinder type='eventchannel' name='") + kChannel + "'/>";
  const std::string alarms =
      "<connectinterface id='alarms'>"
      "<usesport><usesidentifier>push</usesidentifier><findby>" +
      channel +
      "</findby></usesport>"
      "<providesport><providesidentifier>push</providesidentifier><findby><stringifiedobjectref>" +
      consumer_ + "</stringifiedobjectref></findby></providesport></connectinterface>";
  const std::string reference =
      is_sca41_ ? "<componentfactoryref refid='factory_1'/>"
                : "<findcomponent><componentresourcefactoryref refid='factory_1'/></findcomponent>";
  files_.write("radio.sad.xml",
               "<softwareassembly id='DCE:radio' name='radio'><componentfiles>" + file_of("source") +
                   file_of("filter") + file_of("sink") + (is_created ? file_of("factory") : "") +
                   "</componentfiles><partitioning>" + placement_of("source") +
                   placement_of("filter", is_created ? reference : "") + placement_of("sink") +
                   (is_created ? placement_of("factory") : "") +
                   "</partitioning><assemblycontroller><componentinstantiationref refid='source_1'/>" +
                   "</assemblycontroller><connections>" + stream("source_to_filter", "source_1", "filter_1") +
                   stream("filter_to_sink", "filter_1", "sink_1") + alarms +
                   "</connections></softwareassembly>");
}

std::unique_ptr<Command> FailingDomain::start_node(const std::string& name) const {
  auto node = std::make_unique<Command>(
      std::vector<std::string>{"node", "--name", name, "--naming", orb_.orb->object_to_string(naming_),
                               "--domain", is_sca41_ ? "orbweaver/DomainManager41" : "orbweaver/orbweaver"},
      environment_);
  node->until("all its devices and services are registered");
  return node;
}

void FailingDomain::fail(const std::string& process, const std::string& operation, const std::string& point,
                         const std::string& action, int number) const {
  // Complete when it becomes visible.
  folder_.write("failure.new",
                process + " " + operation + " " + point + " " + action + " " + std::to_string(number) + "\n");
  fs::rename(folder_.path("failure.new"), folder_.path("failure"));
}

void FailingDomain::end_failure() const { fs::remove(folder_.path("failure")); }

FailingDomain::ApplicationRef FailingDomain::create(const std::string& name) const {
  const auto factory = client_.use(manager_->applicationFactories().at(0));
  return IDL::traits<framework::DomainApplication>::narrow(
      client_.use(factory->create(name, {},
                                  {CF::DeviceAssignmentType("source_1", "executable_device:left"),
                                   CF::DeviceAssignmentType(failing_part(), "executable_device:right"),
                                   CF::DeviceAssignmentType("sink_1", "executable_device:left")})));
}

std::unique_ptr<Command> FailingDomain::command(const std::vector<std::string>& arguments) const {
  std::vector<std::string> words = arguments;
  words.insert(words.end(), {"--naming", orb_.orb->object_to_string(naming_)});
  return std::make_unique<Command>(words, std::vector<std::string>{mark_});
}

FailingDomain::ApplicationRef FailingDomain::find(const std::string& name) const {
  for (const auto& each : manager_->applications()) {
    const auto application = client_.use(each);
    if (application->name() == name) return IDL::traits<framework::DomainApplication>::narrow(application);
  }
  return nullptr;
}

void FailingDomain::expect_nothing_left() const {
  std::string left;
  EXPECT_TRUE(becomes_true([&] {
    release_completely();
    return (left = left_behind()).empty();
  })) << left;
  EXPECT_EQ(damage_to_other(), "");
}

void FailingDomain::release_completely() const {
  EXPECT_TRUE(becomes_true([&] {
    try {
      const auto application = find("radio");
      if (!application) return true;
      application->releaseObject();
    } catch (const CORBA::Exception&) {
    }
    return false;
  }));
}

std::string FailingDomain::query(const RegisteredDevice& device, const std::string& property) const {
  CF::Properties asked{CF::DataType(property, CORBA::Any())};
  DeviceObject(limited<CORBA::Object>(orb_.orb, device.reference, std::chrono::minutes(1)), device.is_sca41)
      .query(asked);
  return text_of(asked.at(0).value()).value_or("?");
}

std::string FailingDomain::left_on(const RegisteredDevice& device) const {
  std::string left;
  try {
    const bool is_right = device.id == "executable_device:right";
    const std::string memory = query(device, "memory_mb");
    if (memory != (is_right ? idle_memory_right_ : idle_memory_)) left += "memory " + memory + "; ";
    for (const char* const property : {"processes", "loaded_files"}) {
      const std::string text = query(device, property);
      const auto lines =
          std::count(text.begin(), text.end(), '\n') + (text.empty() || text.back() == '\n' ? 0 : 1);
      const bool is_twice = text.find("2 /") != std::string::npos;
      if (lines != (is_right ? 0 : 3) || is_twice) left += std::string(property) + " " + text + "; ";
    }
  } catch (const CORBA::Exception& e) {
    left += std::string("no answer: ") + e.what() + "; ";
  }
  return left.empty() ? "" : "on " + device.id + ": " + left;
}

std::string FailingDomain::left_behind() const {
  std::string left;
  for (const Application& each : model_->applications())
    if (each.name != "other") left += "application " + each.name + "; ";
  for (const Application& each : model_->orphans())
    if (has_device("right")) left += "orphan " + each.name + "; ";
  for (const RegisteredDevice& each : model_->devices()) left += left_on(each);
  try {
    naming_->resolve_str("orbweaver/radio");
    left += "naming context; ";
  } catch (const CosNaming::NamingContext::NotFound&) {
  }
  if (const std::size_t consumers = domain_->channels().counts(kChannel).consumer_proxies; consumers != 1)
    left += std::to_string(consumers) + " consumers; ";
  const std::string filter = filter_ == Filter::created ? "run_test_component_factory" : "run_test_filter";
  for (const std::string& program : {std::string("run_test_source"), filter, std::string("run_test_sink")}) {
    if (const std::size_t count = processes(program).size(); count != 1)
      left += std::to_string(count) + " " + program + "; ";
  }
  return left;
}

std::string FailingDomain::damage_to_other() const {
  for (const Application& each : model_->applications())
    if (each.name == "other" && each.state != ApplicationState::started) return "its state: " + each.failure;
  for (const int process : other_processes_)
    if (kill(process, 0) != 0) return "process " + std::to_string(process) + " has ended";
  try {
    CF::Properties all;
    other_->query(all);
  } catch (const CORBA::Exception& e) {
    return std::string("it does not answer: ") + e.what();
  }
  return {};
}

bool FailingDomain::has_logged(const std::string& text) const {
  const auto log = IDL::traits<CosLwLog::Log>::narrow(domain_->find_log(""));
  CosLwLog::RecordId next = log->get_record_id_from_time({});
  std::uint32_t count = 1000;
  const auto records = log->retrieve_records(next, count);
  return std::any_of(records.begin(), records.end(), [&](const CosLwLog::LogRecord& record) {
    return record.info().logData().find(text) != std::string::npos;
  });
}

bool FailingDomain::has_device(const std::string& node) const {
  return model_->device("executable_device:" + node).has_value();
}

int FailingDomain::process_of(const std::string& application, const std::string& component) const {
  for (const Application& each : model_->applications()) {
    if (each.name != application) continue;
    for (const DeployedComponent& part : each.components)
      if (part.instantiation == component) return static_cast<int>(part.process);
  }
  return -1;
}

std::vector<int> FailingDomain::processes(const std::string& program) const {
  return platform::testing::marked_processes(mark_, program);
}

}  // namespace orbweaver::sca
