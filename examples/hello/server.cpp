// Serves one Test::Hello and prints its reference for the client.
#include <iostream>

#include <orbweaver/orb.h>

#include "helloS.h"

class Hello final : public virtual CORBA::servant_traits<Test::Hello>::base_type {
 public:
  explicit Hello(IDL::traits<CORBA::ORB>::ref_type orb) : orb_(orb) {}

  std::string greet(const std::string& name) override {
    if (name.empty()) throw Test::Refused("empty name");
    return "Hello, " + name + "!";
  }
  double energy(orbweaver::span<const float> samples) override {
    double sum = 0;
    for (const float sample : samples) sum += double{sample} * double{sample};
    return sum;
  }
  void stop() override { orb_->shutdown(false); }

 private:
  IDL::traits<CORBA::ORB>::ref_type orb_;
};

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  auto hello = CORBA::make_reference<Hello>(orb);
  std::cout << orb->object_to_string(hello->_this()) << std::endl;
  orb->run();
  orb->destroy();
} catch (const CORBA::Exception& e) {
  std::cerr << "hello-server: " << e << '\n';
  return 1;
}
