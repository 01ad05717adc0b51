#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <iostream>

#include "snippetsS.h"

using Servant = CORBA::servant_traits<Test::Hello>::ref_type;

void server(const IDL::traits<CORBA::ORB>::ref_type& orb, const Servant& servant) {
  // snippet
  // snippet
  // snippet
  // snippet
  // snippet
  // snippet
  // snippet
  // snippet
}
