// micro-omniorb-server: serves a bench with omniORB over TCP. Prints its IOR and serves until `stop` is
// called.
#include "omniorb_bench.h"

int main() {
  try {
    const char* options[][2] = {{"endPoint", "giop:tcp:127.0.0.1:"},
                                {"nativeCharCodeSet", "UTF-8"},
                                {"maxServerThreadPerConnection", "1"},  // else one-way calls overtake others
                                {nullptr, nullptr}};
    int none = 0;
    const CORBA::ORB_var orb = CORBA::ORB_init(none, nullptr, "omniORB4", options);
    const PortableServer::POA_var poa = active_root_poa(orb);
    auto* const servant = new OmniOrbBench(orb, "peer");
    const MicroTest::Bench_var bench = servant->_this();
    servant->_remove_ref();  // the object adapter has a reference
    const CORBA::String_var ior = orb->object_to_string(bench);
    std::printf("%s\n", ior.in());
    std::fflush(stdout);
    orb->run();
    orb->destroy();
    return 0;
  } catch (const CORBA::Exception& problem) {
    std::fprintf(stderr, "micro-omniorb-server: %s\n", problem._name());
    return 1;
  }
}
