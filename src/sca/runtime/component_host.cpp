#include "sca/runtime/component_host.h"

#include <orbweaver/messaging.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "CosNamingC.h"
#include "sca/runtime/listen_options.h"

namespace orbweaver::sca {

namespace {

/// ORB_init with the options of listen_options() before those of the command line.
IDL::traits<CORBA::ORB>::ref_type make_orb(int& argc, char** argv) {
  std::vector<std::string> options = listen_options({argv + 1, argv + argc});
  std::vector<char*> words{argv[0]};
  for (std::string& option : options) words.push_back(option.data());
  words.insert(words.end(), argv + 1, argv + argc);
  int count = static_cast<int>(words.size());
  words.push_back(nullptr);
  auto orb = CORBA::ORB_init(count, words.data());
  argc = count;
  std::copy_n(words.begin(), count, argv);
  return orb;
}

/// Time limit of a registration.
constexpr std::chrono::seconds kRegistrationTime{30};

/// A reference to the same object, whose calls raise TIMEOUT after kRegistrationTime.
IDL::traits<CORBA::Object>::ref_type with_limit(const IDL::traits<CORBA::ORB>::ref_type& orb,
                                                const IDL::traits<CORBA::Object>::ref_type& object) {
  if (!object) return nullptr;
  CORBA::Any limit;
  limit <<= static_cast<TimeBase::TimeT>(kRegistrationTime / std::chrono::nanoseconds(100));
  return object->_set_policy_overrides(
      {orb->create_policy(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, limit)},
      CORBA::SetOverrideType::ADD_OVERRIDE);
}

/// The object as a context; nil if it is none. The context of a naming service as Orbweaver's is not called.
IDL::traits<CosNaming::NamingContext>::ref_type naming_context(
    const IDL::traits<CORBA::Object>::ref_type& object) {
  if (object && object->_repository_id() == CosNaming::NamingContextExt::_interface_id())
    return IDL::traits<CosNaming::NamingContextExt>::narrow(object);
  return IDL::traits<CosNaming::NamingContext>::narrow(object);
}

}  // namespace

ComponentHost::ComponentHost(int& argc, char** argv) : orb_(make_orb(argc, argv)) {
  poa_ = IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
  poa_->the_POAManager()->activate();
}

ComponentHost::~ComponentHost() {
  // shut_down() ends the calls in progress; the components that they use may be destroyed only after it.
  for (const auto& component : components_) component->shut_down();
  orb_->destroy();
}

Component& ComponentHost::make(MakeComponent function, Context& context) {
  return keep(std::unique_ptr<Component>(function(context)));
}

Component& ComponentHost::keep(std::unique_ptr<Component> component) {
  components_.push_back(std::move(component));
  return *components_.back();
}

void ComponentHost::bind(Context& context, const IDL::traits<CORBA::Object>::ref_type& object) {
  const std::string& ior = context.required("NAMING_CONTEXT_IOR");
  IDL::traits<CosNaming::NamingContext>::ref_type naming;
  try {
    naming = naming_context(orb_->string_to_object(ior));
  } catch (const CORBA::SystemException& e) {
    throw std::invalid_argument(std::string("NAMING_CONTEXT_IOR: ") + e.what());
  }
  if (!naming) throw std::invalid_argument("NAMING_CONTEXT_IOR does not lead to a naming context");
  naming->bind({CosNaming::NameComponent(context.required("NAME_BINDING"), "")}, object);
}

void ComponentHost::register_component(Context& context, const CF::ComponentType& component) {
  const std::string& ior = context.required("COMPONENT_REGISTRY_IOR");
  try {
    const auto registry =
        IDL::traits<CF::ComponentRegistry>::narrow(with_limit(orb_, orb_->string_to_object(ior)));
    if (!registry) throw std::invalid_argument("COMPONENT_REGISTRY_IOR is no CF::ComponentRegistry");
    registry->registerComponent(component);
  } catch (const CF::ComponentRegistry::RegisterError& e) {
    throw std::runtime_error("the component registry rejects component " + component.identifier() + ": " +
                             e.msg());
  } catch (const CF::InvalidObjectReference& e) {
    throw std::runtime_error("the component registry rejects component " + component.identifier() + ": " +
                             e.msg());
  } catch (const CORBA::SystemException& e) {
    throw std::invalid_argument(std::string("COMPONENT_REGISTRY_IOR: ") + e.what());
  }
}

}  // namespace orbweaver::sca
