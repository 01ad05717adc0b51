// blocks-test-stage [-ORB…]: serves a stage and prints its reference.
#include <orbweaver/orb.h>

#include <iostream>

#include "stage.h"

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  auto stage = CORBA::make_reference<blocktest::StageServant>();
  std::cout << orb->object_to_string(stage->_this()) << std::endl;
  orb->run();
} catch (const std::exception& e) {
  std::cerr << "blocks-test-stage: " << e.what() << '\n';
  return 1;
}
