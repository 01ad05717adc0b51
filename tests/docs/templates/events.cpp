#include <iostream>

namespace example {
// snippet
}  // namespace example

// snippet

void consumer(const IDL::traits<CORBA::ORB>::ref_type& orb, char* argv[], const CORBA::Any& event) {
  // snippet
  // snippet
}

void log(const IDL::traits<CORBA::ORB>::ref_type& orb,
         const IDL::traits<PortableServer::POA>::ref_type& poa) {
  // snippet
}
