#pragma once

#include <orbweaver/poa.h>

#include <functional>
#include <string>

namespace orbweaver::sca {

class Domain;

/// Further objects for a domain, its factories and its applications: those of another edition of the SCA. The
/// functions make their servants, each with a ServantCount::Entry of the domain, which waits for them at its
/// end.
struct DomainFacade {
  using Servant = CORBA::servant_reference<PortableServer::Servant>;

  std::string name;  ///< Of its domain manager in the context of the domain; part of the keys of its objects.
  std::function<Servant(Domain&)> manager;
  std::function<Servant(Domain&, const std::string&id)> factory, application;
};

}  // namespace orbweaver::sca
