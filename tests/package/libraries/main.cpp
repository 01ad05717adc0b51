// Uses functions of the libraries of dynamic interfaces, interceptors and Real-time CORBA.
#include <orbweaver/any.h>
#include <orbweaver/dynamic_any.h>
#include <orbweaver/interceptors.h>
#include <orbweaver/orb.h>
#include <orbweaver/rtcorba.h>

#include <iostream>

namespace {

class Greeting final : public virtual PortableInterceptor::ORBInitializer {
 public:
  void pre_init(InfoRef) override { std::cout << "interceptors "; }
  void post_init(InfoRef) override {}
};

}  // namespace

int main(int argc, char* argv[]) {
  PortableInterceptor::register_orb_initializer(CORBA::make_reference<Greeting>());
  const auto orb = CORBA::ORB_init(argc, argv);
  if (IDL::traits<RTCORBA::RTORB>::narrow(orb->resolve_initial_references("RTORB"))) std::cout << "realtime ";
  const auto factory =
      IDL::traits<DynamicAny::DynAnyFactory>::narrow(orb->resolve_initial_references("DynAnyFactory"));
  CORBA::Any value;
  value <<= std::int32_t{42};
  const auto dynamic = factory->create_dyn_any(value);
  std::cout << "dynamic " << dynamic->get_long() << '\n';
  dynamic->destroy();
  orb->destroy();
}
