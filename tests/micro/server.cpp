// micro-server, micro-full-server [-ORB…]: serves a bench named "peer" under the key "workshop". Prints its
// IOR and serves until `stop` is called.
#include <cstdio>

#include "bench_servant.h"

int main(int argc, char** argv) {
  try {
    const auto orb = CORBA::ORB_init(argc, argv);
    const auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    const auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("CorbalocPOA"));
    const auto servant = CORBA::make_reference<BenchServant>(orb, "peer");
    const auto id = PortableServer::string_to_ObjectId("workshop");
    poa->activate_object_with_id(id, servant);
    root->the_POAManager()->activate();
    poa->the_POAManager()->activate();
    std::printf("%s\n", orb->object_to_string(poa->id_to_reference(id)).c_str());
    std::fflush(stdout);
    orb->run();
    orb->destroy();
    return 0;
  } catch (const CORBA::Exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
