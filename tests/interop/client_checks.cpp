// interop-client-checks SERVER NAME CLIENT [GROUP…]: starts the server program, whose ORB is called NAME,
// runs the checks of the client program against it (CLIENT NAME IOR CORBALOC [GROUP…]), and prints their
// output. Both end with this process. Exit status: that of the client; 1: it was killed, or the server did
// not start.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "server.h"

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  try {
    const interop::Server server(argv[1]);
    std::vector<std::string> arguments = {argv[2], server.ior(), server.corbaloc()};
    arguments.insert(arguments.end(), argv + 4, argv + argc);
    const interop::ProgramResult client =
        interop::run_program(argv[3], arguments, std::chrono::seconds(1000));
    std::fputs(client.output.c_str(), stdout);
    return client.status < 0 ? 1 : client.status;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "interop-client-checks: %s\n", problem.what());
    return 1;
  }
}
