// foreign-server PORT: serves a machine over TCP and the transports of the environment variable
// FOREIGN_TRANSPORTS ("unix,mqueue"). Prints its IOR and a line that begins with "corbaloc:", as
// interop::Server expects it, and serves until it is killed.
#include <orbweaver/orb.h>
#include <orbweaver/poa.h>
#include <orbweaver/value.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "machine.h"

int main(int argc, char** argv) {
  try {
    std::string listen = std::string("tcp:127.0.0.1:") + (argc > 1 ? argv[1] : "0");
    if (const char* const more = std::getenv("FOREIGN_TRANSPORTS")) listen += std::string(",") + more;
    // An emulator does not tell the user of a TCP connection.
    std::string options[] = {"-ORBListen", "-ORBAllow", "net:127.0.0.1"};
    char* arguments[] = {argv[0], options[0].data(), listen.data(), options[1].data(), options[2].data()};
    int count = 5;
    IDL::traits<CORBA::ORB>::ref_type orb = CORBA::ORB_init(count, arguments);
    orbweaver::register_value_factory<Foreign::Node>();
    auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    poa->the_POAManager()->activate();
    const auto machine = CORBA::make_reference<foreign::Machine>();
    std::printf("%s\ncorbaloc: none\n", orb->object_to_string(machine->_this()).c_str());
    std::fflush(stdout);
    orb->run();
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "foreign-server: %s\n", problem.what());
    return 1;
  }
}
