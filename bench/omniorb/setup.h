// Beginning and end of omniORB's programs: an ORB with the settings of all experiments, an active servant,
// and exceptions with a text.
#pragma once

#include <omniORB4/CORBA.h>

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/case.h"

namespace orbweaver::bench {

/// Options of omniORB's fastest documented settings: one connection to a server, no time limits of calls, no
/// scans for idle connections, no verification of references, and the largest payload of a case. The server
/// has a thread for each connection, or a pool of `pool` threads, which may reorder calls. Clients call over
/// `transport`, "tcp" or "unix".
inline std::vector<std::string> omniorb_options(const std::string& transport, unsigned pool = 0) {
  const std::string threads = std::to_string(pool ? pool : 1);
  // A thread of a pool would watch one connection after a call, and the others wait for up to 50 ms.
  const std::string immediately = pool ? "1" : "0", watch_one = pool ? "0" : "1";
  std::vector<std::string> options;
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, std::string>>{
           {"maxGIOPConnectionPerServer", "1"},
           {"oneCallPerConnection", "1"},
           {"clientCallTimeOutPeriod", "0"},
           {"serverCallTimeOutPeriod", "0"},
           {"supportPerThreadTimeOut", "0"},
           {"scanGranularity", "0"},
           {"outConScanPeriod", "0"},
           {"inConScanPeriod", "0"},
           {"verifyObjectExistsAndType", "0"},
           {"giopMaxMsgSize", std::to_string(2 * kMaxPayloadBytes)},
           {"threadPerConnectionPolicy", pool ? "0" : "1"},
           {"maxServerThreadPerConnection", threads},
           {"maxServerThreadPoolSize", threads},
           {"connectionWatchImmediate", immediately},
           {"threadPoolWatchConnection", watch_one},
           {"clientTransportRule", "* " + transport}}) {
    options.push_back(std::string("-ORB") + name);
    options.push_back(value);
  }
  return options;
}

/// Initialises an ORB with omniorb_options(), and `more` options (-ORB…) after them.
inline CORBA::ORB_var tuned_orb(const std::string& transport, const std::vector<std::string>& more = {},
                                unsigned pool = 0) {
  std::vector<std::string> options = omniorb_options(transport, pool);
  options.insert(options.begin(), "bench-omniorb");
  options.insert(options.end(), more.begin(), more.end());
  std::vector<char*> argv;
  for (std::string& option : options) argv.push_back(option.data());
  int argc = static_cast<int>(argv.size());
  return CORBA::ORB_init(argc, argv.data());
}

/// Options of a server that listens at a free address of `transport`: a file in `folder`, or at 127.0.0.1.
inline std::vector<std::string> omniorb_endpoint(const std::string& transport,
                                                 const std::string& folder = {}) {
  return {"-ORBendPoint", transport == "unix" ? "giop:unix:" + folder + "/omniorb" : "giop:tcp:127.0.0.1:"};
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
