// What Orbweaver's programs do to begin: an ORB from options, and an active root POA.
#pragma once

#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orbweaver::bench {

using OrbRef = IDL::traits<CORBA::ORB>::ref_type;

/// Options for a wait strategy; "default": none.
inline std::vector<std::string> wait_options(std::string_view wait) {
  if (wait == "default") return {};
  return {"-ORBWait", std::string(wait)};
}

/// Initialises the ORB `id`, which listens on `endpoint` (of -ORBListen) and calls over `transport` only,
/// with further `options` (-ORB…). Throws std::runtime_error for an invalid option.
inline OrbRef orb_listening_on(const std::string& endpoint, const std::string& transport,
                               std::vector<std::string> options, const std::string& id = "") {
  options.insert(options.begin(),
                 {"bench-orbweaver", "-ORBListen", endpoint, "-ORBTransportPreference", transport});
  std::vector<char*> argv;
  for (std::string& option : options) argv.push_back(option.data());
  int argc = static_cast<int>(argv.size());
  try {
    return CORBA::ORB_init(argc, argv.data(), id);
  } catch (const CORBA::BAD_PARAM& e) {
    throw std::runtime_error(e.detail());
  }
}

/// The same, listening on a free address of `transport`.
inline OrbRef orb_over(const std::string& transport, std::vector<std::string> options,
                       const std::string& id = "") {
  return orb_listening_on(transport == "tcp" ? "tcp:127.0.0.1:0" : transport, transport, std::move(options),
                          id);
}

/// Activates the manager of the root POA, which it returns.
inline IDL::traits<PortableServer::POA>::ref_type active_root_poa(const OrbRef& orb) {
  auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  root->the_POAManager()->activate();
  return root;
}

}  // namespace orbweaver::bench
