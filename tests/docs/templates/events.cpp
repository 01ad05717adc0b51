#include <iostream>

namespace host {
// snippet
}  // namespace host

namespace consumer {
// snippet
}  // namespace consumer

void supplier(const IDL::traits<CORBA::ORB>::ref_type& orb, char* argv[], const CORBA::Any& event) {
  // snippet
}

void log(const IDL::traits<CORBA::ORB>::ref_type& orb,
         const IDL::traits<PortableServer::POA>::ref_type& poa) {
  // snippet
}

void log_client(const IDL::traits<CORBA::ORB>::ref_type& orb, char* argv[]) {
  // snippet
}
