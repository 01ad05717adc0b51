#pragma once

#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <string>

/// ORBs of tests of ports: each object is called over a transport.
namespace orbweaver::sca::testing {

/// `endpoints` as -ORBListen.
inline IDL::traits<CORBA::ORB>::ref_type make_orb(std::string endpoints) {
  std::string program = "test", option = "-ORBListen";
  char* argv[] = {program.data(), option.data(), endpoints.data(), nullptr};
  int argc = 3;
  return CORBA::ORB_init(argc, argv);
}

/// An ORB that serves one object, until the destructor.
class ObjectServer {
 public:
  explicit ObjectServer(const CORBA::servant_reference<PortableServer::Servant>& servant,
                        const std::string& endpoints = "tcp:127.0.0.1:0")
      : orb_(make_orb(endpoints)) {
    const auto poa = IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
    poa->the_POAManager()->activate();
    ior_ = orb_->object_to_string(poa->id_to_reference(poa->activate_object(servant)));
  }
  ~ObjectServer() { orb_->destroy(); }
  ObjectServer(const ObjectServer&) = delete;
  ObjectServer& operator=(const ObjectServer&) = delete;
  const std::string& ior() const { return ior_; }

 private:
  IDL::traits<CORBA::ORB>::ref_type orb_;
  std::string ior_;
};

/// An ORB that calls objects, until the destructor.
class ObjectClient {
 public:
  ObjectClient() : orb_(make_orb("tcp:127.0.0.1:0")) {}
  ~ObjectClient() { orb_->destroy(); }
  ObjectClient(const ObjectClient&) = delete;
  ObjectClient& operator=(const ObjectClient&) = delete;
  IDL::traits<CORBA::Object>::ref_type object(const ObjectServer& server) const {
    return orb_->string_to_object(server.ior());
  }

 private:
  IDL::traits<CORBA::ORB>::ref_type orb_;
};

}  // namespace orbweaver::sca::testing
