#include "sca/runtime/component_host.h"

#include <stdexcept>

#include "CosNamingC.h"

namespace orbweaver::sca {

ComponentHost::ComponentHost(int& argc, char** argv) : orb_(CORBA::ORB_init(argc, argv)) {
  poa_ = IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
  poa_->the_POAManager()->activate();
}

ComponentHost::~ComponentHost() {
  // shut_down() ends the calls in progress; the components that they use may be destroyed only after it.
  for (const auto& component : components_) component->shut_down();
  orb_->destroy();
}

Component& ComponentHost::make(MakeComponent function, Context& context) {
  components_.emplace_back(function(context));
  return *components_.back();
}

void ComponentHost::bind(Context& context, const IDL::traits<CORBA::Object>::ref_type& object) {
  const std::string& ior = context.required("NAMING_CONTEXT_IOR");
  const auto naming = IDL::traits<CosNaming::NamingContext>::narrow(orb_->string_to_object(ior));
  if (!naming) throw std::invalid_argument("NAMING_CONTEXT_IOR does not lead to a naming context");
  naming->bind({CosNaming::NameComponent(context.required("NAME_BINDING"), "")}, object);
}

}  // namespace orbweaver::sca
