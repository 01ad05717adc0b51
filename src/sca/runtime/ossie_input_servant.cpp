#include "sca/runtime/ossie_input_servant.h"

namespace orbweaver::sca {

CORBA::servant_reference<PortableServer::Servant> make_ossie_input_servant(InputPort& port,
                                                                           const Component& owner) {
  return with_ossie_sample(
      port.type(),
      [&]<class Sample>(std::type_identity<Sample>) -> CORBA::servant_reference<PortableServer::Servant> {
        return CORBA::make_reference<OssieInputServant<Sample>>(static_cast<Input<Sample>&>(port), owner);
      });
}

}  // namespace orbweaver::sca
