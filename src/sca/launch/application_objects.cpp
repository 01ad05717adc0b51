// The objects of an application's components: found in the naming service or created by factories,
// and released at the end.
#include <algorithm>
#include <set>

#include "sca/launch/application.h"
#include "sca/launch/component_error.h"
#include "sca/profile/edition.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {

using ::orbweaver::framework::ObservableResource;

void LaunchedAssembly::adopt(std::size_t component, const IDL::traits<CORBA::Object>::ref_type& object) {
  DeployedComponent& member = members_[component];
  member.resource = IDL::traits<CF::Resource>::narrow(object);
  if (!member.resource) throw std::runtime_error("component " + id(component) + " is not a CF::Resource");
  member.observable = IDL::traits<ObservableResource>::narrow(object);
  if (member.observable) member.with_timeout = with_call_timeout<ObservableResource>(object);
}

std::string LaunchedAssembly::text_of_factory(std::size_t factory) const {
  return factory_kind(assembly_.package_of_factory(factory).component) + " " +
         assembly_.factories[factory].id;
}

bool LaunchedAssembly::find_components() {
  const auto bound = [&](const std::string& name) -> IDL::traits<CORBA::Object>::ref_type {
    try {
      return naming_->resolve({CosNaming::NameComponent(name, "")});
    } catch (const CosNaming::NamingContext::NotFound&) {
      return nullptr;
    }
  };
  for (std::size_t f = 0; f < factories_.size(); ++f) {
    if (factories_[f]) continue;
    const Instantiation& factory = assembly_.factories[f];
    try {
      const auto object = bound(factory.naming);
      if (!object) continue;
      factories_[f] = IDL::traits<CF::ResourceFactory>::narrow(object);
      if (!factories_[f])
        throw std::runtime_error(text_of_factory(f) + " is not a CF::ResourceFactory (" +
                                 factory.where.text() + ")");
    } catch (const CORBA::Exception&) {
      fail_call(text_of_factory(f) + " cannot be reached");
    }
  }
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (members_[i].resource || assembly_.components[i].factory) continue;
    try {
      if (const auto object = bound(assembly_.components[i].naming)) adopt(i, object);
    } catch (const CORBA::Exception&) {
      fail_call("component " + id(i) + " cannot be reached");
    }
  }
  return missing_processes().empty();
}

std::vector<std::string> LaunchedAssembly::missing() const {
  std::vector<std::string> found;
  for (std::size_t f = 0; f < factories_.size(); ++f) {
    if (!factories_[f]) found.push_back(assembly_.factories[f].id);
  }
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (!members_[i].resource && !assembly_.components[i].factory) found.push_back(id(i));
  }
  return found;
}

std::vector<std::size_t> LaunchedAssembly::missing_processes() const {
  std::set<std::size_t> found;
  for (std::size_t f = 0; f < factories_.size(); ++f) {
    if (!factories_[f]) found.insert(plan_.factories[f].process);
  }
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (!members_[i].resource && !assembly_.components[i].factory) found.insert(plan_.components[i].process);
  }
  return {found.begin(), found.end()};
}

void LaunchedAssembly::create_components() {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (assembly_.components[i].factory) create(i);
  }
}

void LaunchedAssembly::create(std::size_t component) {
  const FactoryReference& reference = *assembly_.components[component].factory;
  const std::string where = text_of_factory(reference.factory) + ", " + reference.where.text();
  CF::Properties qualifiers;
  for (const Setting& setting : plan_.components[component].qualifiers)
    qualifiers.emplace_back(setting.id, any_of(setting.type, setting.value));
  const ActiveCall calling(*this, component);
  IDL::traits<CF::Resource>::ref_type object;
  try {
    object = factories_[reference.factory]->createResource(id(component), qualifiers);
    if (!object)
      throw std::runtime_error("component " + id(component) +
                               " cannot be created: no reference is returned (" + where + ")");
    members_[component].created = true;
    adopt(component, object);
  } catch (const CF::ResourceFactory::CreateResourceFailure& e) {
    throw std::runtime_error("component " + id(component) + " cannot be created: " + e.msg() + " (" + where +
                             ")");
  } catch (const CORBA::Exception&) {
    fail_call("component " + id(component) + " cannot be created (" + where + ")");
  }
}

void LaunchedAssembly::expect_streams() {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (!members_[i].observable) continue;
    ::orbweaver::framework::ExpectedStreamsList streams;
    for (const auto& [port, count] : plan_.components[i].fan_in)
      streams.emplace_back(port, static_cast<std::uint32_t>(count));
    const ActiveCall calling(*this, i);
    try {
      members_[i].observable->expect_streams(streams);
    } catch (const CORBA::Exception&) {
      fail_call("component " + id(i) + " cannot be connected");
    }
  }
}

void LaunchedAssembly::release() {
  std::string failure;
  const auto failed = [&](const std::string& text) { failure += (failure.empty() ? "" : "; ") + text; };
  for (auto i = plan_.start_order.rbegin(); i != plan_.start_order.rend(); ++i) {
    const ActiveCall calling(*this, *i);
    const auto& reference = assembly_.components[*i].factory;
    try {
      if (members_[*i].created)
        factories_[reference->factory]->releaseResource(id(*i));
      else if (members_[*i].resource)
        members_[*i].resource->releaseObject();
    } catch (const CF::ResourceFactory::InvalidResourceId&) {
      failed("component " + id(*i) + " cannot be released: " + text_of_factory(reference->factory) +
             " has no resource of this id (" + reference->where.text() + ")");
    } catch (const CORBA::Exception&) {
    }
  }
  for (std::size_t f = 0; f < factories_.size(); ++f) {
    const auto& components = plan_.processes[plan_.factories[f].process].components;
    const ActiveCall calling(*this, components.empty() ? kNoComponent : components.front());
    try {
      if (factories_[f]) factories_[f]->shutdown();
    } catch (const CF::ResourceFactory::ShutdownFailure& e) {
      failed(text_of_factory(f) + " cannot be shut down: " + e.msg() + " (" +
             assembly_.factories[f].where.text() + ")");
    } catch (const CORBA::Exception&) {
    }
  }
  if (!failure.empty()) throw std::runtime_error(failure);
}

}  // namespace orbweaver::sca
