// interop-omniorb-server [PORT]: omniORB serves a workshop named "peer", over TCP and over a Unix socket whose
// file lies in the working directory (its length allowing) and is named by the port. Prints its IOR, then a corbaloc of
// the same object, and serves until it is killed.
#include <cstdio>
#include <filesystem>
#include <string>

#include "omniorb_workshop.h"

int main(int argc, char** argv) {
  try {
    const std::string port = argc > 1 ? argv[1] : "";
    const std::string endpoint = "giop:tcp:127.0.0.1:" + port;
    const std::string file = std::filesystem::current_path().string() + "/omniorb-" + port + ".socket";
    const std::string socket = "giop:unix:" + (file.size() < 108 ? file : "/tmp/interop-omniorb-" + port + ".socket");
    const char* options[][2] = {{"endPoint", endpoint.c_str()},
                                {"endPoint", socket.c_str()},
                                {"unixTransportPermission", "0600"},
                                {"giopMaxMsgSize", "67108864"},
                                // One thread for a connection, or one-way calls could overtake each other.
                                {"maxServerThreadPerConnection", "1"},
                                {nullptr, nullptr}};
    int none = 0;
    const CORBA::ORB_var orb = CORBA::ORB_init(none, nullptr, "omniORB4", options);

    // Objects of omniORB's INS POA have their id for a key, so that a corbaloc can be written by hand.
    const CORBA::Object_var ins = orb->resolve_initial_references("omniINSPOA");
    const PortableServer::POA_var poa = PortableServer::POA::_narrow(ins);
    const PortableServer::ObjectId_var id = PortableServer::string_to_ObjectId("workshop");
    PortableServer::Servant_var<interop::OmniWorkshop> servant = new interop::OmniWorkshop("peer");
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
