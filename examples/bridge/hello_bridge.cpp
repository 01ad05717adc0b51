// Serves a Test::Hello that forwards each call to another one: hello-bridge REFERENCE [ORB options]. It
// prints its reference, and serves until it is killed.
#include <iostream>
#include <map>

#include <orbweaver/orb.h>

#include "bridge.h"
#include "helloC.h"

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  if (argc < 2) {
    std::cerr << "usage: hello-bridge REFERENCE\n";
    return 2;
  }
  const auto samples = orb->create_sequence_tc(0, CORBA::_tc_float);
  const std::map<std::string, Signature> signatures = {
      {"greet", {CORBA::_tc_string, {{"name", CORBA::ARG_IN, CORBA::_tc_string}}, {Test::_tc_Refused}}},
      {"energy", {CORBA::_tc_double, {{"samples", CORBA::ARG_IN, samples}}}},
      {"stop", {CORBA::_tc_void, {}, {}, true}}};
  const auto find = [&signatures](const std::string& operation) -> const Signature* {
    const auto found = signatures.find(operation);
    return found == signatures.end() ? nullptr : &found->second;
  };

  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  auto bridge = CORBA::make_reference<Bridge>(orb->string_to_object(argv[1]), "IDL:Test/Hello:1.0", find);
  std::cout << orb->object_to_string(bridge->_this()) << std::endl;
  orb->run();
  orb->destroy();
} catch (const CORBA::Exception& e) {
  std::cerr << "hello-bridge: " << e << '\n';
  return 1;
}
