// Shows five readings of a meter, in one thread:
//   loop-display IOR:… -ORBThreads single
#include <iostream>

#include "loop.h"
#include "meterS.h"

using MeterRef = IDL::traits<Lab::Meter>::ref_type;

class Display final : public virtual CORBA::servant_traits<Lab::Display>::base_type {
 public:
  Display(Loop& loop, MeterRef meter) : loop_(loop), meter_(meter) {}

  bool show(std::int32_t reading) override {
    std::cout << reading << ' ' << meter_->unit() << '\n';
    if (reading < 5) return true;
    loop_.stop();
    return false;
  }

 private:
  Loop& loop_;
  MeterRef meter_;
};

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  if (argc != 2) {
    std::cerr << "usage: loop-display REFERENCE -ORBThreads single\n";
    return 2;
  }
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  auto meter = IDL::traits<Lab::Meter>::narrow(orb->string_to_object(argv[1]));

  Loop loop;
  loop.serve(orb);
  auto display = CORBA::make_reference<Display>(loop, meter);
  meter->watch(IDL::traits<Lab::Display>::narrow(display->_this()));
  loop.run();
  orb->destroy();
} catch (const CORBA::Exception& e) {
  std::cerr << "loop-display: " << e << '\n';
  return 1;
}
