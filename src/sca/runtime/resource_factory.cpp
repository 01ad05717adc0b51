#include "sca/runtime/resource_factory.h"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include <orbweaver/sca/component_process.h>
#include "sca/component/exception_text.h"

namespace orbweaver::sca {
namespace {

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

IDL::traits<CF::Resource>::ref_type ResourceFactoryServant::createResource(const std::string& resourceId,
                                                                           const CF::Properties& qualifiers) {
  try {
    return find_or_create(resourceId, qualifiers);
  } catch (const CreationFailure& e) {
    throw CF::ResourceFactory::CreateResourceFailure(e.number, e.message);
  }
}

IDL::traits<CF::Resource>::ref_type ResourceFactoryServant::find_or_create(const std::string& id,
                                                                           const CF::Properties& qualifiers) {
  Context values = read_qualifiers(id, qualifiers);
  const std::lock_guard lock(mutex_);
  const std::string type = classes_->class_of(values);
  if (const auto found = resources_.find(id); found != resources_.end()) {
    if (found->second.type != type)
      throw CreationFailure{CF::ErrorNumberType::CF_EEXIST,
                            "there is a resource '" + id + "' of another class"};
    if (found->second.count == 0 || found->second.servant->is_released())
      throw CreationFailure{CF::ErrorNumberType::CF_EBUSY, "the resource '" + id + "' is being released"};
    ++found->second.count;
    return found->second.reference;
  }
  if (created_ == kMaxCreatedComponents) {
    throw CreationFailure{
        CF::ErrorNumberType::CF_ENOSPC,
        "the factory has created " + std::to_string(kMaxCreatedComponents) + " components, its limit"};
  }
  Resource resource = create(type, id, values);
  auto reference = resource.reference;
  resources_.emplace(id, std::move(resource));
  return reference;
}

ResourceFactoryServant::Resource ResourceFactoryServant::create(const std::string& type,
                                                                const std::string& id, Context& context) {
  try {
    Component& component = host_.keep(classes_->create(context));
    const std::size_t serial = ++created_;
    warn_of_unused_qualifiers(context, id);
    auto servant = CORBA::make_reference<ComponentServant>(component, host_.poa(),
                                                           [this, id, serial] { released(id, serial); });
    auto reference = IDL::traits<CF::Resource>::narrow(servant->activate());
    return {type, 1, serial, std::move(servant), std::move(reference)};
  } catch (...) {
    rethrow_as_creation_failure();
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
        host, context.identifier(),
        std::make_unique<LibraryClasses>(lines(libraries != nullptr ? *libraries : ""), load));
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
