#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "CFS.h"
#include "sca/runtime/component_host.h"
#include "sca/runtime/component_servant.h"
#include "sca/runtime/factory_classes.h"

namespace orbweaver::sca {

/// Servant of a resource factory (SCA 2.2.2, 3.1.3.1.7) that creates components in its own process. Any
/// thread.
class ResourceFactoryServant final : public virtual CORBA::servant_traits<CF::ResourceFactory>::base_type {
 public:
  /// `host` exists longer than the servant.
  ResourceFactoryServant(ComponentHost& host, std::string identifier, std::unique_ptr<FactoryClasses> classes)
      : host_(host), identifier_(std::move(identifier)), classes_(std::move(classes)) {}

  std::string identifier() override { return identifier_; }
  /// Qualifiers: those that name the class (FactoryClasses), and the exec params of the component. Those of
  /// an existing resource must name the same class, and it must not be about to be released (CF_EBUSY).
  IDL::traits<CF::Resource>::ref_type createResource(const std::string& resourceId,
                                                     const CF::Properties& qualifiers) override;
  void releaseResource(const std::string& resourceId) override;
  /// Raises ShutdownFailure while there are resources, also those being released. Ends the process otherwise.
  void shutdown() override;

 private:
  struct Resource {
    std::string type;        // of FactoryClasses
    std::size_t count = 1;   // 0: being released by releaseResource()
    std::size_t serial = 0;  // of the creation
    CORBA::servant_reference<ComponentServant> servant;
    IDL::traits<CF::Resource>::ref_type reference;
  };

  IDL::traits<CF::Resource>::ref_type find_or_create(const std::string& id, const CF::Properties& qualifiers);
  Resource create(const std::string& type, const std::string& id, Context& context);
  /// Forgets a resource whose releaseObject() has been called.
  void released(const std::string& id, std::size_t serial);

  ComponentHost& host_;
  const std::string identifier_;
  std::mutex mutex_;  // for the following
  const std::unique_ptr<FactoryClasses> classes_;
  std::map<std::string, Resource> resources_;
  std::size_t created_ = 0;
};

}  // namespace orbweaver::sca
