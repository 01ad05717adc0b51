#include "naming/hosted_names.h"

#include <orbweaver/poa.h>

#include <memory>
#include <utility>

namespace orbweaver::naming {

HostedNames host_names(const IDL::traits<CORBA::ORB>::ref_type& orb, NamingFile file,
                       std::function<void()> bound) {
  const auto poa = [&](const char* name) {
    return IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references(name));
  };
  ServiceOptions service;
  service.root_id = kRootKey;
  service.store = std::move(file.store);
  service.state = std::move(file.state);
  service.bound = std::move(bound);
  service.contexts = poa("CorbalocPOA");
  service.iterators = poa("RootPOA");
  HostedNames hosted{std::make_shared<NamingService>(std::move(service)), nullptr};
  hosted.root = hosted.service->start();
  return hosted;
}

}  // namespace orbweaver::naming
