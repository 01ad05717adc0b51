#include "snippetsS.h"

using Servant = CORBA::servant_traits<Test::Hello>::ref_type;
using PoaRef = IDL::traits<PortableServer::POA>::ref_type;

// part
void server(int argc, char* argv[], const Servant& servant) {
  // snippet
  // snippet
  // snippet
  // snippet
  // snippet
  // snippet
  // snippet
  // snippet
}

void queue_requests(const PoaRef& root, const Servant& servant) {
  // snippet
}

void combine_policies(const PoaRef& root) {
  // snippet
}

void end(const PoaRef& root, const PoaRef& single, const Servant& servant) {
  // snippet
}

// part
// snippet

// part
void name(const IDL::traits<CORBA::ORB>::ref_type& orb, const IDL::traits<Test::Hello>::ref_type& hello) {
  // snippet
  // snippet
}
