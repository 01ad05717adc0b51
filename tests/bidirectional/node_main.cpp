// bidirectional-test-node server | client REFERENCE: a process with one node, which is killed. It prints the
// reference of the node.
//
// A server accepts offers. A client offers its connection to the node at REFERENCE, attaches its own node
// there, calls wait_at_gate there, and tells the other node by `note` that its own `twice`, which does not
// return, has been called.
#include <iostream>
#include <thread>

#include "node.h"

int main(int argc, char* argv[]) try {
  using namespace bidirtest;
  const std::vector<std::string> words(argv + 1, argv + argc);
  const bool is_client = words.at(0) == "client";
  NodeOrb here(is_client ? listening_nowhere({"-ORBCallTimeout", "0"}) : accepting(),
               is_client ? BiDirPolicy::BOTH : BiDirPolicy::NORMAL);
  std::thread call;
  if (is_client) {
    const NodeRef there = here.offering(words.at(1));
    here.node->in_twice = [&here, there] {
      there->note(1);
      here.node->gate.pass(1);
    };
    there->attach(here.reference());
    call = std::thread([there] { there->wait_at_gate(1); });
  }
  std::cout << here.stringified() << std::endl;
  here.broker.orb->run();
  return 1;
} catch (const std::exception& e) {
  std::cerr << "bidirectional-test-node: " << e.what() << '\n';
  return 1;
}
