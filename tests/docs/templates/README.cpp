#include "snippetsS.h"

void server(int argc, char* argv[]) {
  // snippet
}

void client(int argc, char* argv[]) {
  // snippet
}
