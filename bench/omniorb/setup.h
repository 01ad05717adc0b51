// Beginning and end of both omniORB programs: an ORB from options, an active servant, and exceptions
// with a text.
#pragma once

#include <omniORB4/CORBA.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace orbweaver::bench {

/// Initialises the ORB with `options` (-ORB…), and without time limits of calls.
inline CORBA::ORB_var omniorb_with(std::vector<std::string> options) {
  options.insert(options.begin(),
                 {"bench-omniorb", "-ORBmaxGIOPConnectionPerServer", "1", "-ORBoneCallPerConnection", "1",
                  "-ORBclientCallTimeOutPeriod", "0", "-ORBserverCallTimeOutPeriod", "0"});
  std::vector<char*> argv;
  for (std::string& option : options) argv.push_back(option.data());
  int argc = static_cast<int>(argv.size());
  return CORBA::ORB_init(argc, argv.data());
}

/// Activates the servant in the root POA, and the POA manager. Returns the servant's reference, which the
/// caller owns. The servant must outlive the ORB.
template <class Servant>
auto activated(CORBA::ORB_ptr orb, Servant& servant) {
  const CORBA::Object_var root = orb->resolve_initial_references("RootPOA");
  const PortableServer::POA_var poa = PortableServer::POA::_narrow(root);
  const PortableServer::ObjectId_var id = poa->activate_object(&servant);
  const PortableServer::POAManager_var manager = poa->the_POAManager();
  manager->activate();
  return servant._this();
}

/// Returns a function that calls `f` and converts omniORB's exceptions, which are not derived from
/// std::exception.
template <class F>
auto translated(F f) {
  return [f](const auto&... arguments) {
    try {
      return f(arguments...);
    } catch (const CORBA::Exception& problem) {
      throw std::runtime_error(std::string("CORBA exception ") + problem._name());
    }
  };
}

}  // namespace orbweaver::bench
