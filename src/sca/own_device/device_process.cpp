#include <orbweaver/sca/device.h>

#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "platform/pipe.h"
#include "platform/process.h"
#include "platform/thread.h"
#include "sca/component/exception_text.h"
#include "sca/own_device/device_allocation.h"
#include "sca/own_device/device_registration.h"
#include "sca/own_device/device_servant.h"
#include "sca/own_device/domain_events.h"
#include "sca/runtime/component_host.h"

namespace orbweaver::sca {
namespace {

constexpr int kLastEventsMs = 1000;

std::string text_param(Context& context, const char* id) {
  const std::string* const text = context.find(id);
  return text == nullptr ? "" : *text;
}

/// An exec param that nodes give every device.
const std::string& param_of_node(Context& context, const char* id) {
  if (const std::string* const text = context.find(id)) return *text;
  throw std::invalid_argument(std::string("the argument '") + id +
                              "' is missing: a node starts devices, such as `orbweaver node`");
}

/// The exec params of a device. Its id is that of its component.
Context read_context(int argc, char** argv) {
  Context context = Context::from_arguments({argv + 1, argv + argc});
  if (context.find("COMPONENT_REGISTRY_IOR") != nullptr && context.find("DEVICE_MGR_IOR") == nullptr)
    throw std::invalid_argument(
        "the device is one of SCA 2.2.2, and has been started as one of SCA 4.1: its SCD names a component "
        "type "
        "of that edition");
  context.set("COMPONENT_IDENTIFIER", param_of_node(context, "DEVICE_ID"));
  return context;
}

/// A device, its ORB and its registration with a device manager.
class DeviceProcess {
 public:
  DeviceProcess(int& argc, char** argv, MakeDevice make)
      : ended_(platform::make_pipe()), host_(argc, argv), context_(read_context(argc, argv)),
        device_(keep(make(context_))),
        events_(host_.orb(), {text_param(context_, "NAMING_SERVICE"), text_param(context_, "DOMAIN_NAME")}) {
    DeviceNames names{text_param(context_, "DEVICE_LABEL"), text_param(context_, "PROFILE_NAME")};
    if (names.label.empty()) names.label = device_.identifier();
    servant_ = CORBA::make_reference<DeviceServant>(
        device_, host_.poa(), std::move(names),
        [this](const DeviceStateChange& change) { events_.push(event_of(device_.identifier(), change)); },
        [this] { platform::write_all(ended_.write, "x", 1000); });
    registration_.emplace(host_.orb(), IDL::traits<CF::Device>::narrow(servant_->activate()));
  }

  /// Waits for calls in progress, which use the members.
  ~DeviceProcess() {
    device_.shut_down();
    host_.orb()->shutdown(true);
  }
  DeviceProcess(const DeviceProcess&) = delete;
  DeviceProcess& operator=(const DeviceProcess&) = delete;

  /// Serves until the device has been released, or a signal arrives.
  void run(platform::TerminationSignals& signals) {
    registration_->register_with(param_of_node(context_, "DEVICE_MGR_IOR"));
    registration_->join(text_param(context_, "Composite_DEVICE_IOR"));
    for (const std::string& id : context_.unknown())
      std::fprintf(stderr, "warning: '%s' is set, but the device has no such property\n", id.c_str());
    device_.start();
    std::jthread watch([&] {
      platform::name_this_thread("ow-device");
      wait(signals);
      host_.end();
    });
    host_.serve();
  }

 private:
  Device& keep(Device* device) {
    host_.keep(std::unique_ptr<Component>(device));
    return *device;
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
    events_.flush(kLastEventsMs);
  }

  platform::Pipe ended_;
  ComponentHost host_;
  Context context_;
  Device& device_;
  DomainEvents events_;
  CORBA::servant_reference<DeviceServant> servant_;
  std::optional<DeviceRegistration> registration_;
};

}  // namespace

int run_device(int argc, char** argv, MakeDevice make) {
  platform::TerminationSignals signals;
  try {
    DeviceProcess(argc, argv, make).run(signals);
    return 0;
  } catch (...) {
    std::fprintf(stderr, "%s\n", current_exception_text().c_str());
    return 2;
  }
}

}  // namespace orbweaver::sca
