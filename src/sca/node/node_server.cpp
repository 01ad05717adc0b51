#include "sca/node/node_server.h"

#include <orbweaver/deadline.h>
#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "base/printable.h"
#include "platform/freed_memory.h"
#include "platform/line_writer.h"
#include "platform/process.h"
#include "sca/device/failure_log.h"
#include "sca/device/machine.h"
#include "sca/files/file_system.h"
#include "sca/launch/supervisor.h"
#include "sca/node/device_manager.h"
#include "sca/node/device_manager41.h"
#include "sca/node/domain_link.h"
#include "sca/node/node_processes.h"
#include "sca/own_device/call_limit.h"
#include "services/naming/service_addresses.h"

namespace orbweaver::sca {
namespace {

namespace fs = std::filesystem;

constexpr int kPollMs = 100;
/// After this time a process that has not registered is named in a message.
constexpr int kFirstRegistrationMs = 10'000;
constexpr int kReleaseMs = 5000;
constexpr int kExitMs = 2000;
constexpr int kLastRecordsMs = 500;
constexpr const char* kCallTimeoutMs = "30000";

IDL::traits<CORBA::ORB>::ref_type make_orb(const std::vector<std::string>& options) {
  std::vector<std::string> words{"orbweaver", "-ORBCallTimeout", kCallTimeoutMs};
  words.insert(words.end(), options.begin(), options.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  auto orb = CORBA::ORB_init(argc, argv.data());
  if (argc == 1) return orb;
  orb->destroy();
  throw CORBA::BAD_PARAM(0, CORBA::CompletionStatus::COMPLETED_NO,
                         std::string("'") + argv[1] + "' is not an ORB option");
}

std::string counted(std::size_t number, const char* noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

/// "1 device and 2 services"; services only if there are some.
std::string contents_of(const NodeConfiguration& node) {
  const auto devices = static_cast<std::size_t>(std::count_if(
      node.components.begin(), node.components.end(), [](const auto& each) { return each.is_device; }));
  const std::size_t services = node.components.size() - devices;
  return counted(devices, "device") + (services == 0 ? "" : " and " + counted(services, "service"));
}

/// "orbweaver" of "orbweaver/orbweaver"
std::string context_of(const std::string& name) {
  const auto slash = name.rfind('/');
  return slash == std::string::npos ? name : name.substr(0, slash);
}

/// A node while it runs: its processes, on the main thread.
class Node {
 public:
  Node(NodeConfiguration configuration, const NodeOptions& options)
      : node_(std::move(configuration)), options_(options),
        supervisor_([this](const std::string& name, const std::string& line) {
          print(printable(name) + ": " + printable(line));
        }) {
    if (!options.listen.empty()) orb_options_ = {"-ORBListen", "inproc," + options.listen};
    if (!options.publish_host.empty())
      orb_options_.insert(orb_options_.end(), {"-ORBPublishHost", options.publish_host});
    orb_options_.insert(orb_options_.end(), options.orb.begin(), options.orb.end());
    address_ = {options.naming, options.domain.empty() ? node_.domain : options.domain,
                options.domain.empty() ? node_.domain_reference : ""};
  }
  ~Node() {
    if (orb_) orb_->destroy();
  }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  Result<void> begin() {
    const std::string root =
        options_.root.empty() ? fs::absolute(node_.file).parent_path().string() : options_.root;
    const auto profile = name_in_folder(node_.file, root);
    if (!profile) return Error{ErrorKind::invalid, profile.error().message};
    DeviceManagerOptions manager;
    manager.id = id_of(node_.id);
    manager.label = options_.name.empty() ? node_.name : options_.name;
    manager.profile = *profile;
    const std::string programs = fs::path(platform::executable_path()).parent_path().string();
    for (const NodeComponent& component : node_.components) {
      const auto chosen = choose_implementation(node_.package_of(component), programs);
      if (!chosen) return Error{ErrorKind::invalid, chosen.error().message};
      manager.implementations[component.id] = chosen->id;
      manager.component_ids[component.id] = id_of(component.id);
      const auto spd = name_in_folder(node_.package_of(component).file, root);
      if (!spd) return Error{ErrorKind::invalid, spd.error().message};
      manager.profiles[component.id] = *spd;
      processes_.push_back(
          {&component, chosen->program, chosen->limits, std::nullopt, {}, false, false, false});
    }
    orb_ = make_orb(orb_options_);
    if (auto checked = check_naming(); !checked) return checked;
    const auto poa = IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
    poa->the_POAManager()->activate();
    FileSystemOptions files;
    files.names = FileNameRules::ascii;
    files.read_only = options_.root.empty();
    manager.files = make_file_system(root, poa, files);
    label_ = manager.label;
    log_.emplace(orb_, DomainContext{address_.naming, context_of(address_.name)},
                 FailureLog::Producer{manager.id, label_});
    manager.failed = [this](const std::string& text) { log_->write("node '" + label_ + "': " + text); };
    manager.log_port = poa->id_to_reference(poa->activate_object(CORBA::make_reference<LogPort>(*log_)));
    servant_ = CORBA::make_reference<DeviceManagerServant>(
        node_, std::move(manager), orb_, [this](const std::string& line) { print(line); },
        [this] { shutdown_ = true; });
    const auto self =
        IDL::traits<CF::DeviceManager>::narrow(poa->id_to_reference(poa->activate_object(servant_)));
    const auto self41 =
        poa->id_to_reference(poa->activate_object(CORBA::make_reference<DeviceManagerServant41>(servant_)));
    servant_->set_sca41_object(self41);
    process_options_ = {orb_->object_to_string(self),
                        orb_->object_to_string(self41),
                        address_.naming,
                        context_of(address_.name),
                        root,
                        programs,
                        orb_options_};
    if (!options_.listen.empty()) process_options_.orb[1] = "inproc," + without_ports(options_.listen);
    // A mistake in a profile is found before any process is started.
    for (const Process& process : processes_) {
      const auto arguments = arguments_of(node_, *process.component, "", "", process_options_);
      if (!arguments) return Error{ErrorKind::invalid, arguments.error().message};
    }
    for (const std::string& warning : node_.warnings) print("warning: " + warning);
    std::printf("orbweaver node: node %s with %s, domain %s\n", printable(label_).c_str(),
                contents_of(node_).c_str(),
                printable(address_.name.empty() ? address_.reference : address_.name, 200).c_str());
    std::fflush(stdout);
    link_.emplace(orb_, address_, *servant_, NodeObjects{self, self41},
                  [this](const std::string& line) { print(line); });
    return {};
  }

  int run() {
    while (!shutdown_ && supervisor_.take_stop_signal() == 0) {
      start_processes();
      supervisor_.handle_events(kPollMs);
      check_processes();
    }
    end();
    return 0;
  }

 private:
  /// A naming service that does not run yet is waited for. A malformed reference to it never becomes valid.
  Result<void> check_naming() const {
    for (const std::string& service : naming::service_addresses(address_.naming)) {
      // These are read or resolved when they are used.
      if (service.starts_with("file://") || service.starts_with("corbaname:")) continue;
      try {
        orb_->string_to_object(service);
      } catch (const CORBA::BAD_PARAM& e) {
        return Error{ErrorKind::invalid, "--naming " + address_.naming + ": " + e.detail()};
      }
    }
    return {};
  }

  struct Process {
    const NodeComponent* component;
    std::string program;
    platform::ProcessLimits limits;
    std::optional<std::size_t> index;  // in the supervisor, once it has been started
    Deadline registration;
    bool was_registered, ended, reported;
  };

  void print(const std::string& line) { output_.write("orbweaver node: " + line); }

  std::string id_of(const std::string& id) const {
    return options_.name.empty() ? id : id + ":" + options_.name;
  }

  bool is_registered(const NodeComponent& component) const {
    return component.is_device ? servant_->device(component.id).has_value()
                               : servant_->has_service(component.name);
  }

  /// Starts the processes that have not been started and whose parents are there.
  void start_processes() {
    for (Process& process : processes_) {
      if (process.index || process.ended) continue;
      const NodeComponent& component = *process.component;
      std::string parent;
      if (!component.parent.empty()) {
        const auto device = servant_->device(component.parent);
        if (!device) continue;
        parent = aggregate_of(device->reference, component);
      }
      start(process, parent);
    }
  }

  std::string aggregate_of(const IDL::traits<CF::Device>::ref_type& device, const NodeComponent& component) {
    try {
      const auto calls = with_call_limit<CF::Device>(orb_, device, kReleaseMs);  // nil: one of SCA 4.1
      const auto aggregate = calls ? calls->compositeDevice() : nullptr;
      if (aggregate) return orb_->object_to_string(aggregate);
      print("device '" + component.parent + "' is no aggregate device: '" + component.id +
            "' is started without a parent");
    } catch (const CORBA::Exception& e) {
      print("device '" + component.parent +
            "' cannot be asked for its aggregate device: " + printable(e.what(), 400));
    }
    return {};
  }

  void start(Process& process, const std::string& parent) {
    const NodeComponent& component = *process.component;
    process.registration = Deadline::in_ms(kFirstRegistrationMs);
    auto arguments = arguments_of(node_, component, id_of(component.id), parent, process_options_);
    platform::SpawnRequest request{process.program, {}, {}};
    if (arguments) request.arguments = std::move(*arguments);
    request.limits = process.limits;
    request.limits.cores = component.cores;
    const auto started = supervisor_.start(component.name, request);
    if (started) {
      process.index = *started;
    } else {
      process.ended = true;
      print(started.error().message);
    }
  }

  void check_processes() {
    for (Process& process : processes_) {
      if (!process.index || process.ended) continue;
      const NodeComponent& component = *process.component;
      const std::string subject = (component.is_device ? "device '" : "service '") + component.id +
                                  "' (process " + std::to_string(supervisor_.pid(*process.index)) + ")";
      if (is_registered(component)) process.was_registered = true;
      if (const auto& end = supervisor_.end(*process.index)) {
        process.ended = true;
        servant_->forget(component);
        print(subject + " " + platform::describe(*end) +
              (process.was_registered ? "" : ", before it had registered") + ": the node goes on without it");
      } else if (!process.was_registered && !process.reported && process.registration.passed()) {
        process.reported = true;
        print(subject + " has not registered within " + std::to_string(kFirstRegistrationMs / 1000) +
              " s: the node goes on without it");
      }
    }
  }

  /// Unregisters the node, releases its devices, the last one first, and ends all processes.
  void end() {
    link_->stop();
    for (auto process = processes_.rbegin(); process != processes_.rend(); ++process) {
      if (!process->index || process->ended) continue;
      const auto device =
          process->component->is_device ? servant_->device(process->component->id) : std::nullopt;
      if (device) release(*process, *device);
      if (!device) supervisor_.terminate(*process->index);
      supervisor_.handle_events(0);
    }
    supervisor_.shut_down_all(kExitMs, kExitMs);
    link_.reset();
    log_->flush(kLastRecordsMs);
  }

  void release(const Process& process, const DeviceManagerServant::Device& device) {
    try {
      const auto calls = with_call_limit<CF::LifeCycle>(orb_, device.object(), kReleaseMs);
      if (!calls) throw CORBA::OBJECT_NOT_EXIST();
      calls->releaseObject();
    } catch (const CORBA::Exception& e) {
      print("device '" + process.component->id + "' cannot be released: " + printable(e.what(), 400));
      supervisor_.terminate(*process.index);
    }
  }

  const NodeConfiguration node_;
  const NodeOptions options_;
  platform::LineWriter output_{platform::kStandardError};  // destroyed after what prints
  Supervisor supervisor_;
  std::vector<std::string> orb_options_;
  DomainAddress address_;
  std::string label_;
  NodeProcessOptions process_options_;
  std::vector<Process> processes_;  // in the order of the DCD
  std::atomic<bool> shutdown_{false};
  IDL::traits<CORBA::ORB>::ref_type orb_;
  std::optional<FailureLog> log_;
  CORBA::servant_reference<DeviceManagerServant> servant_;
  std::optional<DomainLink> link_;
};

}  // namespace

std::string default_dcd() {
  return (fs::path(platform::executable_path()).parent_path().parent_path() /
          "share/orbweaver/profiles/node.dcd.xml")
      .string();
}

std::string without_ports(const std::string& listen) {
  std::string result;
  for (std::size_t begin = 0; begin <= listen.size();) {
    const std::size_t end = std::min(listen.find(',', begin), listen.size());
    std::string one = listen.substr(begin, end - begin);
    const auto colon = one.rfind(':');
    const bool has_port = one.starts_with("tcp:") && colon > 3 && colon + 1 < one.size() &&
                          one.find_first_not_of("0123456789", colon + 1) == std::string::npos;
    if (has_port) one.replace(colon + 1, std::string::npos, "0");
    result += (result.empty() ? "" : ",") + one;
    begin = end + 1;
  }
  return result;
}

Result<int> run_node(const NodeOptions& given) {
  platform::return_freed_memory();
  NodeOptions options = given;
  if (options.dcd.empty()) {
    options.dcd = default_dcd();
    if (options.name.empty()) options.name = read_machine().host;
  }
  auto node = load_node(options.dcd, options.root);
  if (!node) return node.take_error();
  try {
    Node running(std::move(*node), options);
    auto begun = running.begin();
    if (!begun) return begun.take_error();
    return running.run();
  } catch (const CORBA::INITIALIZE& e) {
    return Error{ErrorKind::unavailable, "cannot listen: " + e.detail()};
  } catch (const CF::FileException& e) {
    return Error{ErrorKind::unavailable, "the folder of the node's file system: " + e.msg()};
  } catch (const CORBA::SystemException& e) {
    return Error{ErrorKind::invalid, e.detail()};
  }
}

}  // namespace orbweaver::sca
