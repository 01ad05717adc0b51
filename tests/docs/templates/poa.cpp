#include <iostream>

#include "snippetsS.h"

using Servant = CORBA::servant_traits<Test::Hello>::ref_type;

void server(int argc, char* argv[], const Servant& servant) {
  // snippet
  // snippet
  // snippet
  // snippet
  // snippet
  // snippet
  // snippet
  // snippet
  // snippet
  // snippet
  // snippet
  // snippet
  // snippet
  // snippet
}
