// interop-orbweaver-server PORT: serves a workshop named "peer" with Orbweaver over TCP. Prints its IOR, then
// a corbaloc of the same object, and serves until it is killed. interop-orbweaver-real-time-server serves it
// by Real-time CORBA: the threads of a lane execute its requests, and its reference has a priority model.
#include <orbweaver/orb.h>
#include <orbweaver/poa.h>
#ifdef INTEROP_REAL_TIME
#include <orbweaver/rtcorba.h>
#endif

#include <cstdio>
#include <stdexcept>
#include <string>

#include "giop/ior.h"
#include "orbweaver_workshop.h"
#include "server.h"

namespace {

/// The object key of the first IIOP profile, escaped for a corbaloc.
std::string escaped_key(const std::string& ior_text) {
  using namespace orbweaver;
  const auto ior = giop::parse_ior(ior_text);
  Bytes key;
  if (!ior || ior->profiles.empty() || !giop::find_object_key(ior->profiles.front().data, key))
    throw std::runtime_error("the server's reference has no object key");
  std::string text;
  for (const std::uint8_t octet : key) {
    char escaped[4];
    std::snprintf(escaped, sizeof escaped, "%%%02x", octet);
    text += escaped;
  }
  return text;
}

/// The POA of the workshop.
IDL::traits<PortableServer::POA>::ref_type workshops(const IDL::traits<CORBA::ORB>::ref_type& orb) {
  const auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  root->the_POAManager()->activate();
#ifdef INTEROP_REAL_TIME
  const auto rt = IDL::traits<RTCORBA::RTORB>::narrow(orb->resolve_initial_references("RTORB"));
  constexpr RTCORBA::Priority kLow = 1000, kHigh = 20000;
  const auto pool = rt->create_threadpool_with_lanes(0, {{kLow, 2, 2}, {kHigh, 1, 0}}, false, true, 64, 0);
  return root->create_POA("real-time", root->the_POAManager(),
                          {rt->create_priority_model_policy(RTCORBA::PriorityModel::CLIENT_PROPAGATED, kLow),
                           rt->create_threadpool_policy(pool)});
#else
  return root;
#endif
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string port = argc > 1 ? argv[1] : "0";
    std::vector<std::string> args = {"interop-orbweaver-server", "-ORBListen", "tcp:127.0.0.1:" + port};
    for (const std::string& option : interop::options_from_environment()) args.push_back(option);
    std::vector<char*> arguments;
    for (std::string& arg : args) arguments.push_back(arg.data());
    int count = static_cast<int>(arguments.size());
    IDL::traits<CORBA::ORB>::ref_type orb = CORBA::ORB_init(count, arguments.data());

    const auto poa = workshops(orb);
    auto servant = CORBA::make_reference<interop::OrbweaverWorkshop>("peer");
    const std::string ior = orb->object_to_string(poa->id_to_reference(poa->activate_object(servant)));
    std::printf("%s\ncorbaloc:iiop:1.2@127.0.0.1:%s/%s\n", ior.c_str(), port.c_str(),
                escaped_key(ior).c_str());
    std::fflush(stdout);
    orb->run();
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "interop-orbweaver-server: %s\n", problem.what());
    return 1;
  }
}
