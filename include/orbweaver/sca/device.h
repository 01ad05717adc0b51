#pragma once

#include <map>
#include <memory>
#include <string>
#include <type_traits>

#include <orbweaver/sca/component.h>

namespace orbweaver::sca {

class DeviceServant;
namespace detail {
struct DeviceParts;
}

/// Base class of devices of a program's own, such as receivers and transmitters (CF::Device, SCA 2.2.2
/// 3.1.3.3.1). A device is a component with ports, properties and a thread of its own that a node starts, and
/// whose capacities applications allocate. docs/sca.md has a complete device.
class Device : public Component {
 public:
  /// Amounts by the ids of capacities.
  using Amounts = std::map<std::string, double>;

  /// `context` provides the exec params, and is used during construction only.
  explicit Device(Context& context);
  /// The most derived class must have called shut_down() before.
  ~Device() override;

 protected:
  /// A capacity of the device: a member of the derived class. Its PRF has a property with the same id, of
  /// kind allocation and action external.
  ///
  ///     Capacity channels_{*this, "channels", 2};
  class Capacity {
   public:
    /// `total` is finite and not negative, and `id` unique in the device, else std::invalid_argument is
    /// thrown. `type`: the type of the property.
    Capacity(Device& device, const std::string& id, double total, const std::string& type = "ulong");
    Capacity(const Capacity&) = delete;
    Capacity& operator=(const Capacity&) = delete;

    /// What is not allocated. Any thread.
    double left() const;

   private:
    Device& device_;
    const std::string id_;
  };

  /// Called when so much has been allocated: prepares the hardware. False, or std::exception with a message
  /// for the log, if that is not possible: the amounts are given back then. Any thread, beside the device's
  /// own thread, one call of this function and the next one at a time.
  virtual bool on_allocate(const Amounts& amounts);
  /// Called before so much can be allocated again. Threads as above.
  virtual void on_deallocate(const Amounts& amounts);

  /// Sets the operational state (CF::Device::OperationalType): the hardware works, or has failed. Nothing can
  /// be allocated while it is disabled. Any thread.
  void set_enabled(bool enabled);

 private:
  friend class DeviceServant;

  const std::unique_ptr<detail::DeviceParts> parts_;
};

/// Function that creates the device of a program: orbweaver_make_device.
using MakeDevice = Device* (*)(Context& context);

/// The main() of a program with a device of its own class. Creates it, registers it with the device manager
/// given by its argument DEVICE_MGR_IOR (SCA 2.2.2, 3.1.3.2.5), starts it, and serves until it is released or
/// SIGINT, SIGTERM or SIGHUP arrives. Returns the exit status: 0, or 2, with a message on standard error, if
/// it could not be created or registered.
int run_device(int argc, char** argv, MakeDevice make);

}  // namespace orbweaver::sca

/// Makes a class derived from Device the device of a program: orbweaver_device() compiles its main(). Once in
/// a program.
#define ORBWEAVER_DEVICE(Class)                                                                          \
  static_assert(std::is_base_of_v<orbweaver::sca::Device, Class>, #Class " is not derived from Device"); \
  orbweaver::sca::Device* orbweaver_make_device(orbweaver::sca::Context& context) {                      \
    return new Class(context);                                                                           \
  }

/// Defined by ORBWEAVER_DEVICE.
orbweaver::sca::Device* orbweaver_make_device(orbweaver::sca::Context& context);
