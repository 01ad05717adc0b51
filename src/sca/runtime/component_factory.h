#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "CF41S.h"
#include "sca/runtime/component_host.h"
#include "sca/runtime/factory_classes.h"
#include "sca/runtime/registering_component.h"

namespace orbweaver::sca {

/// Servant of a component factory (SCA 4.1, 3.1.3.2) that creates components in its own process. Any thread.
class ComponentFactoryServant final : public virtual CORBA::servant_traits<CF::ComponentFactory>::base_type {
 public:
  /// `host` exists longer than the servant. `set_up` is what initialize() calls; it throws std::exception
  /// with a message.
  ComponentFactoryServant(ComponentHost& host, std::unique_ptr<FactoryClasses> classes,
                          std::function<void()> set_up)
      : host_(host), classes_(std::move(classes)), set_up_(std::move(set_up)) {}

  /// Raises InitializeError.
  void initialize() override;
  /// Creates a component of that id, one at a time. Raises CreateComponentFailure if there is one
  /// (CF_EEXIST), or the factory has been released (CF_EBUSY).
  CF::ComponentType createComponent(const std::string& componentId,
                                    const CF::Properties& qualifiers) override;
  /// Releases the components that are left, and ends the process.
  void releaseObject() override;

  /// Ends the process if components have been created, all of them released, and none is created within
  /// `limit`, as if the factory had been released: for core frameworks that do not release a factory. Returns
  /// then, and after end_wait().
  void end_when_unused(std::chrono::milliseconds limit);
  void end_wait();

 private:
  struct Created {
    std::size_t serial = 0;                                  // of the creation
    CORBA::servant_reference<RegisteringComponent> servant;  // null: being created
  };

  /// Adds an entry for a component to be created. Throws CreationFailure. Returns its serial.
  std::size_t reserve(const std::string& id);
  CF::ComponentType create(const std::string& id, std::size_t serial, Context& context);
  /// Forgets a component that has been released, or could not be created.
  void forget(const std::string& id, std::size_t serial);

  ComponentHost& host_;
  std::mutex creating_;  // for the next: a component that is being created does not keep others from release
  const std::unique_ptr<FactoryClasses> classes_;
  const std::function<void()> set_up_;
  std::mutex mutex_;  // for the following
  std::condition_variable changed_;
  std::map<std::string, Created> components_;
  std::size_t reserved_ = 0, created_ = 0;
  bool is_released_ = false, wait_ended_ = false;
};

}  // namespace orbweaver::sca
