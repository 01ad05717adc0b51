// orb-test-server [-ORB…]: serves a Servant, and prints its persistent and its transient reference.
#include <iostream>

#include "testing/test_orb.h"

int main(int argc, char* argv[]) try {
  using namespace orbtest;
  TestOrb broker(Options(argv + 1, argv + argc));
  const PoaRef persistent = make_persistent_poa(broker.root, "kept");
  const auto kept = CORBA::make_reference<Servant>("kept"),
             passing = CORBA::make_reference<Servant>("passing");
  kept->shut_orb_down = passing->shut_orb_down = [&](bool waiting) { broker.orb->shutdown(waiting); };
  persistent->activate_object_with_id(PortableServer::string_to_ObjectId("one"), kept);
  std::cout << broker.reference(persistent, kept) << '\n' << broker.serve(passing) << std::endl;
  broker.orb->run();
} catch (const std::exception& e) {
  std::cerr << "orb-test-server: " << e.what() << '\n';
  return 1;
}
