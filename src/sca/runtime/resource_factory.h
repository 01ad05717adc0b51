#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <orbweaver/sca/component_process.h>
#include "CFS.h"
#include "sca/runtime/component_host.h"
#include "sca/runtime/component_servant.h"

namespace orbweaver::sca {

/// Servant of a resource factory (SCA 2.2.2, 3.1.3.1.7) that creates the components of shared libraries in
/// its own process. Any thread.
class ResourceFactoryServant final : public virtual CORBA::servant_traits<CF::ResourceFactory>::base_type {
 public:
  /// Limit of components created in the life of a factory, because released ones stay in memory.
  static constexpr std::size_t kMaxCreated = 4096;

  /// `libraries`: the only libraries that it loads. `host` outlives the servant.
  ResourceFactoryServant(ComponentHost& host, std::string identifier, std::vector<std::string> libraries,
                         LoadComponent load)
      : host_(host), identifier_(std::move(identifier)), libraries_(std::move(libraries)),
        load_(std::move(load)) {}

  std::string identifier() override { return identifier_; }
  /// Qualifiers: COMPONENT_LIBRARY, COMPONENT_ENTRY_POINT (by default orbweaver_make_component), and the exec
  /// params of the component. Those of an existing resource must name the same library and entry point, and
  /// it must not be about to be released (CF_EBUSY).
  IDL::traits<CF::Resource>::ref_type createResource(const std::string& resourceId,
                                                     const CF::Properties& qualifiers) override;
  void releaseResource(const std::string& resourceId) override;
  /// Raises ShutdownFailure while there are resources, also those being released. Ends the process otherwise.
  void shutdown() override;

 private:
  struct Class {
    std::string library;
    std::string entry_point;
    bool operator==(const Class&) const = default;
  };
  struct Resource {
    Class type;
    std::size_t count = 1;   // 0: being released by releaseResource()
    std::size_t serial = 0;  // of the creation
    CORBA::servant_reference<ComponentServant> servant;
    IDL::traits<CF::Resource>::ref_type reference;
  };

  /// Splits the qualifiers into class and exec params. Raises CreateResourceFailure.
  Class read_qualifiers(const std::string& resource_id, const CF::Properties& qualifiers,
                        Context& values) const;
  Resource create(const Class& type, const std::string& id, Context& context);
  /// Forgets a resource whose releaseObject() has been called.
  void released(const std::string& id, std::size_t serial);

  ComponentHost& host_;
  const std::string identifier_;
  const std::vector<std::string> libraries_;
  const LoadComponent load_;
  std::mutex mutex_;  // for the following
  std::map<std::string, Resource> resources_;
  std::size_t created_ = 0;
};

}  // namespace orbweaver::sca
