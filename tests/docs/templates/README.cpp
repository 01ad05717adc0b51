#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <iostream>

#include "snippetsS.h"

void server(int argc, char* argv[]) {
  // snippet
}

void client(int argc, char* argv[]) {
  // snippet
}
