// Takes a reading at every tick of its own timer and shows it on a display, in one thread:
//   loop-meter -ORBThreads single
#include <iostream>

#include "loop.h"
#include "meterS.h"

using DisplayRef = IDL::traits<Lab::Display>::ref_type;

class Meter final : public virtual CORBA::servant_traits<Lab::Meter>::base_type {
 public:
  void watch(DisplayRef new_display) override { display = new_display; }
  std::string unit() override { return "mV"; }

  DisplayRef display;
};

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  auto meter = CORBA::make_reference<Meter>();
  std::cout << orb->object_to_string(meter->_this()) << std::endl;

  Loop loop;
  loop.serve(orb);
  std::int32_t reading = 0;
  loop.every_ms(5, [&] {
    if (!meter->display) return;
    // While this thread waits for the reply it serves requests: the display calls unit().
    if (!meter->display->show(++reading)) loop.stop();
  });
  loop.run();
  orb->destroy();
} catch (const CORBA::Exception& e) {
  std::cerr << "loop-meter: " << e << '\n';
  return 1;
}
