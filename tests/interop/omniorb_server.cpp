// interop-omniorb-server [PORT]: serves a workshop named "peer" with omniORB, over TCP and over a Unix socket
// named after the port, in the working directory or, if its path is too long, in /tmp. Prints its IOR, then a
// corbaloc of the same object, and serves until it is killed.
#include <cstdio>
#include <filesystem>
#include <string>

#include "omniorb_workshop.h"

int main(int argc, char** argv) {
  try {
    const std::string port = argc > 1 ? argv[1] : "";
    const std::string endpoint = "giop:tcp:127.0.0.1:" + port;
    const std::string file = std::filesystem::current_path().string() + "/omniorb-" + port + ".socket";
    const std::string socket =
        "giop:unix:" + (file.size() < 108 ? file : "/tmp/interop-omniorb-" + port + ".socket");
    const char* options[][2] = {{"endPoint", endpoint.c_str()},
                                {"endPoint", socket.c_str()},
                                {"unixTransportPermission", "0600"},
                                {"giopMaxMsgSize", "67108864"},
                                {"nativeCharCodeSet", "UTF-8"},
                                // One thread per connection; otherwise one-way calls can overtake each other.
                                {"maxServerThreadPerConnection", "1"},
                                {nullptr, nullptr}};
    int none = 0;
    const CORBA::ORB_var orb = CORBA::ORB_init(none, nullptr, "omniORB4", options);

    // The object key in omniORB's INS POA is the object id, which a corbaloc can name.
    const CORBA::Object_var ins = orb->resolve_initial_references("omniINSPOA");
    const PortableServer::POA_var poa = PortableServer::POA::_narrow(ins);
    const PortableServer::ObjectId_var id = PortableServer::string_to_ObjectId("workshop");
    PortableServer::Servant_var<interop::OmniOrbWorkshop> servant = new interop::OmniOrbWorkshop("peer");
    poa->activate_object_with_id(id, servant);
    const PortableServer::POAManager_var manager = poa->the_POAManager();
    manager->activate();
    // Branches are activated in the root POA.
    const CORBA::Object_var root = orb->resolve_initial_references("RootPOA");
    const PortableServer::POA_var root_poa = PortableServer::POA::_narrow(root);
    const PortableServer::POAManager_var root_manager = root_poa->the_POAManager();
    root_manager->activate();

    const CORBA::Object_var object = poa->id_to_reference(id);
    const CORBA::String_var ior = orb->object_to_string(object);
    std::printf("%s\n", ior.in());
    if (!port.empty()) std::printf("corbaloc::127.0.0.1:%s/workshop\n", port.c_str());
    std::fflush(stdout);
    orb->run();
  } catch (const CORBA::Exception& problem) {
    std::fprintf(stderr, "interop-omniorb-server: %s\n", problem._name());
    return 1;
  }
}
