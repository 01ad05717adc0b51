#include "sca/device/device_program.h"

#include <orbweaver/orb.h>
#include <orbweaver/poa.h>
#include <orbweaver/sca/context.h>

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "DomainC.h"
#include "base/printable.h"
#include "base/temporary_folder.h"
#include "platform/file_size_signal.h"
#include "platform/freed_memory.h"
#include "platform/last_message.h"
#include "platform/line_writer.h"
#include "platform/pipe.h"
#include "platform/process.h"
#include "sca/device/cache_folder.h"
#include "sca/device/device_servant41.h"
#include "sca/device/executable_device.h"
#include "sca/device/failure_log.h"
#include "sca/own_device/call_limit.h"
#include "sca/own_device/device_allocation.h"
#include "sca/own_device/device_registration.h"
#include "sca/own_device/domain_events.h"
#include "sca/profile/property.h"

namespace orbweaver::sca {
namespace {

namespace fs = std::filesystem;
using DeviceRef = IDL::traits<CF::Device>::ref_type;

/// Of a call that has no other limit: a file system or naming service that hangs.
constexpr const char* kCallTimeoutMs = "10000";
/// The device manager initializes and configures the device meanwhile.
constexpr int kRegistrationMs = 60'000;
constexpr int kUnregistrationMs = 2000;
constexpr int kLastEventsMs = 1000;

IDL::traits<CORBA::ORB>::ref_type make_orb(std::vector<std::string>& words) {
  words.insert(words.begin() + 1, {"-ORBCallTimeout", kCallTimeoutMs});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  auto orb = CORBA::ORB_init(argc, argv.data());
  words.assign(argv.begin(), argv.begin() + argc);
  return orb;
}

double number_param(Context& context, const char* id) {
  const std::string* const text = context.find(id);
  if (text == nullptr || text->empty()) return 0;
  const auto number = number_of(*text);
  if (!number || *number < 0) throw std::invalid_argument(std::string(id) + " is not a number from 0");
  return *number;
}

std::string text_param(Context& context, const char* id) {
  const std::string* const text = context.find(id);
  return text == nullptr ? "" : *text;
}

/// `own_cache` becomes the folder of the code if neither a property nor the environment names one.
DeviceOptions read_options(Context& context, std::optional<TemporaryFolder>& own_cache) {
  DeviceOptions options;
  const bool is_sca41 = context.find("COMPONENT_REGISTRY_IOR") != nullptr;
  options.id = context.required(is_sca41 ? "COMPONENT_IDENTIFIER" : "DEVICE_ID");
  options.label = text_param(context, "DEVICE_LABEL");
  if (options.label.empty()) options.label = options.id;
  options.profile = text_param(context, "PROFILE_NAME");
  options.processors = number_param(context, "processors");
  options.memory_mb = static_cast<std::uint64_t>(number_param(context, "memory_mb"));
  options.cache_folder = text_param(context, "cache_folder");
  if (options.cache_folder.empty()) options.cache_folder = default_cache_folder(options.id);
  if (options.cache_folder.empty()) {
    options.cache_folder = own_cache.emplace("orbweaver-device").path().string();
    if (options.cache_folder.empty())
      throw std::runtime_error(
          "there is no folder for the code: HOME is not set, and a temporary one cannot "
          "be made; set the property cache_folder");
  }
  const std::string scheduling = text_param(context, "scheduling");
  if (!scheduling.empty() && scheduling != "fifo" && scheduling != "rr")
    throw std::invalid_argument("scheduling is neither fifo nor rr");
  options.round_robin = scheduling == "rr";
  options.has_parts = text_param(context, "HAS_PARTS") == "true";
  options.host_program = (fs::path(platform::executable_path()).parent_path() / "orbweaver-host").string();
  return options;
}

CORBA::Any event_of(const std::string& id, const DeviceProcesses::End& end) {
  CORBA::Any event;
  event <<= ::orbweaver::framework::ProcessEnded(id, end.pid, platform::describe(end.status));
  return event;
}

/// The device, its ORB and its registration.
class DeviceProgram {
 public:
  DeviceProgram(std::vector<std::string> words)
      : ended_(platform::make_pipe()), orb_(make_orb(words)),
        context_(Context::from_arguments({words.begin() + 1, words.end()})),
        options_(read_options(context_, own_cache_)), domain_{text_param(context_, "NAMING_SERVICE"),
                                                              text_param(context_, "DOMAIN_NAME")},
        events_(orb_, domain_), log_(orb_, domain_, {options_.id, options_.label}) {
    poa_ = IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
    poa_->the_POAManager()->activate();
  }
  ~DeviceProgram() { orb_->destroy(); }
  DeviceProgram(const DeviceProgram&) = delete;
  DeviceProgram& operator=(const DeviceProgram&) = delete;

  void run(platform::TerminationSignals& signals) {
    DeviceEvents events;
    events.line = [this](const std::string& name, int pid, const std::string& line) {
      output_.write(subject(name, pid) + printable(line));
    };
    events.process_ended = [this](const DeviceProcesses::End& end) {
      if (!end.status.clean()) output_.write(subject(end.name, end.pid) + platform::describe(end.status));
      events_.push(event_of(options_.id, end));
    };
    events.state_changed = [this](const DeviceStateChange& change) {
      events_.push(event_of(options_.id, change));
    };
    events.released = [this] { platform::write_all(ended_.write, "x", 1000); };
    events.failed = [this](const std::string& text) { log_.write("device '" + options_.id + "': " + text); };
    events.log_port = poa_->id_to_reference(poa_->activate_object(CORBA::make_reference<LogPort>(log_)));
    servant_ = CORBA::make_reference<ExecutableDeviceServant>(options_, std::move(events), poa_);
    const auto id = poa_->activate_object(servant_);
    device_ = IDL::traits<CF::Device>::narrow(poa_->id_to_reference(id));
    device41_ =
        poa_->id_to_reference(poa_->activate_object(CORBA::make_reference<DeviceServant41>(servant_)));
    servant_->set_sca41_object(device41_);
    registration_.emplace(orb_, device_);
    if (context_.find("COMPONENT_REGISTRY_IOR") != nullptr)
      register_as_sca41();
    else
      registration_->register_with(context_.required("DEVICE_MGR_IOR"));
    registration_->join(text_param(context_, "Composite_DEVICE_IOR"));
    wait(signals);
    events_.flush(kLastEventsMs);
    log_.flush(kLastEventsMs);
    servant_ = nullptr;
  }

 private:
  /// "filter[812]: "
  static std::string subject(const std::string& process, int pid) {
    return printable(process) + "[" + std::to_string(pid) + "]: ";
  }

  /// Registers itself with a device manager of SCA 4.1 (3.1.3.3).
  void register_as_sca41() {
    registry_ = orb_->string_to_object(context_.required("COMPONENT_REGISTRY_IOR"));
    const auto registry = with_call_limit<CF::ComponentRegistry>(orb_, registry_, kRegistrationMs);
    if (!registry)
      throw std::invalid_argument("COMPONENT_REGISTRY_IOR does not lead to a CF::ComponentRegistry");
    try {
      registry->registerComponent({options_.id,
                                   options_.profile,
                                   CF::ComponentEnumType::EXECUTABLE_DEVICE_COMPONENT,
                                   device41_,
                                   {},
                                   {}});
    } catch (const CF::InvalidObjectReference& e) {
      throw std::runtime_error("the component registry rejects the device: " + printable(e.msg()));
    } catch (const CF::ComponentRegistry::RegisterError& e) {
      throw std::runtime_error("the component registry rejects the device: " + printable(e.msg()));
    }
  }

  void unregister_from_sca41() noexcept {
    try {
      if (const auto registry =
              with_call_limit<CF::FullComponentRegistry>(orb_, registry_, kUnregistrationMs))
        registry->unregisterComponent(options_.id);
    } catch (const std::exception&) {  // it has ended, or has unregistered the device itself
    }
  }

  /// Returns when the device has been released, by a call or here, and is unregistered.
  void wait(platform::TerminationSignals& signals) {
    platform::Poller poller;
    const std::size_t signal = poller.add(signals.arrived());
    poller.add(ended_.read);
    while (!poller.wait(-1)) {
    }
    if (poller.ready(signal)) servant_->releaseObject();
    registration_->leave();
    if (registry_) unregister_from_sca41();
  }

  platform::LineWriter output_{platform::kStandardError};  // destroyed last: the others write to it
  platform::Pipe ended_;
  IDL::traits<CORBA::ORB>::ref_type orb_;
  IDL::traits<PortableServer::POA>::ref_type poa_;
  Context context_;
  std::optional<TemporaryFolder> own_cache_;
  const DeviceOptions options_;
  const DomainContext domain_;
  DomainEvents events_;
  FailureLog log_;
  CORBA::servant_reference<ExecutableDeviceServant> servant_;
  DeviceRef device_;
  IDL::traits<CORBA::Object>::ref_type device41_;  // in SCA 4.1
  IDL::traits<CORBA::Object>::ref_type registry_;  // of SCA 4.1; nil: it has registered with a device manager
  std::optional<DeviceRegistration> registration_;
};

}  // namespace

int run_executable_device(int argc, char** argv) {
  platform::TerminationSignals signals;
  platform::ignore_file_size_signal();  // a limit of the size of files is a failure to load one
  platform::return_freed_memory();
  std::string message;
  try {
    DeviceProgram({argv, argv + argc}).run(signals);
    return 0;
  } catch (const CF::FileException& e) {
    message = "its cache: " + printable(e.msg());
  } catch (const std::exception& e) {
    message = printable(e.what());
  }
  // Its reader, the node, may have stopped reading: the device ends nevertheless.
  platform::write_last_message(platform::kStandardError, "orbweaver-device: " + message + "\n");
  return 2;
}

}  // namespace orbweaver::sca
