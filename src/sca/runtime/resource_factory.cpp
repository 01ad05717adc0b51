#include "sca/runtime/resource_factory.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <utility>

#include "sca/component/exception_text.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

[[noreturn]] void fail(CF::ErrorNumberType number, const std::string& message) {
  throw CF::ResourceFactory::CreateResourceFailure(number, message);
}

/// The lines of a text.
std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (end > begin) all.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return all;
}

}  // namespace

ResourceFactoryServant::Class ResourceFactoryServant::read_qualifiers(const std::string& resource_id,
                                                                      const CF::Properties& qualifiers,
                                                                      Context& values) const {
  if (resource_id.empty()) fail(CF::ErrorNumberType::CF_EINVAL, "the resourceId is empty");
  Class type{"", "orbweaver_make_component"};
  values.set("COMPONENT_IDENTIFIER", resource_id);
  std::set<std::string> given;
  for (const CF::DataType& qualifier : qualifiers) {
    if (!given.insert(qualifier.id()).second || qualifier.id() == "COMPONENT_IDENTIFIER")
      fail(CF::ErrorNumberType::CF_EINVAL, "qualifier '" + qualifier.id() + "' is given twice");
    auto value = value_of(qualifier.value());
    if (!value) {
      fail(CF::ErrorNumberType::CF_EINVAL,
           "qualifier '" + qualifier.id() + "': the value is of a type that no property has");
    }
    if (qualifier.id() == "COMPONENT_LIBRARY") {
      type.library = value->text;
    } else if (qualifier.id() == "COMPONENT_ENTRY_POINT") {
      type.entry_point = value->text;
    } else {
      values.set(qualifier.id(), std::move(*value));
    }
  }
  if (type.library.empty())
    fail(CF::ErrorNumberType::CF_EINVAL, "there is no qualifier COMPONENT_LIBRARY, which names its class");
  // A peer must not be able to load any other file.
  if (std::find(libraries_.begin(), libraries_.end(), type.library) == libraries_.end()) {
    fail(CF::ErrorNumberType::CF_EACCES,
         "'" + type.library + "' is not among the libraries of the factory (COMPONENT_LIBRARIES)");
  }
  return type;
}

IDL::traits<CF::Resource>::ref_type ResourceFactoryServant::createResource(const std::string& resourceId,
                                                                           const CF::Properties& qualifiers) {
  Context values;
  Class type = read_qualifiers(resourceId, qualifiers, values);
  const std::lock_guard lock(mutex_);
  if (const auto found = resources_.find(resourceId); found != resources_.end()) {
    if (found->second.type != type)
      fail(CF::ErrorNumberType::CF_EEXIST, "there is a resource '" + resourceId + "' of another class");
    if (found->second.count == 0 || found->second.servant->is_released())
      fail(CF::ErrorNumberType::CF_EBUSY, "the resource '" + resourceId + "' is being released");
    ++found->second.count;
    return found->second.reference;
  }
  if (created_ == kMaxCreated) {
    fail(CF::ErrorNumberType::CF_ENOSPC,
         "the factory has created " + std::to_string(kMaxCreated) + " components, its limit");
  }
  Resource resource = create(type, resourceId, values);
  auto reference = resource.reference;
  resources_.emplace(resourceId, std::move(resource));
  return reference;
}

ResourceFactoryServant::Resource ResourceFactoryServant::create(const Class& type, const std::string& id,
                                                                Context& context) {
  MakeComponent make = nullptr;
  try {
    make = load_(type.library, type.entry_point);
  } catch (...) {
    fail(CF::ErrorNumberType::CF_ENOENT, current_exception_text());
  }
  const std::size_t serial = ++created_;
  try {
    Component& component = host_.make(make, context);
    for (const char* const word : {"STREAMS_EXPECTED", "DIRECT_INPUTS"}) context.find(word);
    for (const std::string& unused : context.unknown()) {
      std::fprintf(stderr, "warning: qualifier '%s' of component %s is not a property of its class\n",
                   unused.c_str(), id.c_str());
    }
    auto servant = CORBA::make_reference<ComponentServant>(component, host_.poa(),
                                                           [this, id, serial] { released(id, serial); });
    auto reference = IDL::traits<CF::Resource>::narrow(servant->activate());
    return {type, 1, serial, std::move(servant), std::move(reference)};
  } catch (...) {
    fail(CF::ErrorNumberType::CF_NOTSET, current_exception_text());
  }
}

void ResourceFactoryServant::released(const std::string& id, std::size_t serial) {
  const std::lock_guard lock(mutex_);
  const auto found = resources_.find(id);
  if (found != resources_.end() && found->second.serial == serial) resources_.erase(found);
}

void ResourceFactoryServant::releaseResource(const std::string& resourceId) {
  CORBA::servant_reference<ComponentServant> last;
  {
    const std::lock_guard lock(mutex_);
    const auto found = resources_.find(resourceId);
    if (found == resources_.end() || found->second.count == 0) throw CF::ResourceFactory::InvalidResourceId();
    if (--found->second.count > 0) return;
    last = found->second.servant;
  }
  last->releaseObject();  // calls released(), which removes the entry
}

void ResourceFactoryServant::shutdown() {
  const std::lock_guard lock(mutex_);
  if (!resources_.empty()) {
    std::string ids;
    for (const auto& [id, resource] : resources_) ids += (ids.empty() ? "" : ", ") + id;
    throw CF::ResourceFactory::ShutdownFailure("these resources have not been released: " + ids);
  }
  host_.end();
}

int run_resource_factory(int argc, char** argv, const LoadComponent& load) {
  try {
    ComponentHost host(argc, argv);
    Context context = Context::from_arguments({argv + 1, argv + argc});
    const std::string* const libraries = context.find("COMPONENT_LIBRARIES");
    const auto servant = CORBA::make_reference<ResourceFactoryServant>(
        host, context.identifier(), lines(libraries != nullptr ? *libraries : ""), load);
    host.bind(context, host.poa()->id_to_reference(host.poa()->activate_object(servant)));
    for (const std::string& id : context.unknown())
      std::fprintf(stderr, "warning: '%s' is set, but the factory has no such property\n", id.c_str());
    host.serve();
    return 0;
  } catch (...) {
    std::fprintf(stderr, "%s\n", current_exception_text().c_str());
    return 2;
  }
}

}  // namespace orbweaver::sca
