#include "sca/runtime/factory_classes.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <utility>

#include "sca/component/exception_text.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

using enum CF::ErrorNumberType;

/// Library and function.
std::pair<std::string, std::string> library_of(Context& qualifiers) {
  const std::string* const library = qualifiers.find("COMPONENT_LIBRARY");
  const std::string* const entry_point = qualifiers.find("COMPONENT_ENTRY_POINT");
  return {library != nullptr ? *library : "",
          entry_point != nullptr ? *entry_point : "orbweaver_make_component"};
}

}  // namespace

void rethrow_as_creation_failure() {
  try {
    throw;
  } catch (const CreationFailure&) {
    throw;
  } catch (...) {
    throw CreationFailure{CF_NOTSET, current_exception_text()};
  }
}

std::string LibraryClasses::class_of(Context& qualifiers) const {
  const auto [library, entry_point] = library_of(qualifiers);
  if (library.empty())
    throw CreationFailure{CF_EINVAL, "there is no qualifier COMPONENT_LIBRARY, which names its class"};
  // A peer must not be able to load any other file.
  if (std::find(libraries_.begin(), libraries_.end(), library) == libraries_.end()) {
    throw CreationFailure{
        CF_EACCES, "'" + library + "' is not among the libraries of the factory (COMPONENT_LIBRARIES)"};
  }
  return library + "\n" + entry_point;
}

std::unique_ptr<Component> LibraryClasses::create(Context& qualifiers) {
  class_of(qualifiers);  // throws if the library may not be loaded
  const auto [library, entry_point] = library_of(qualifiers);
  MakeComponent make = nullptr;
  try {
    make = load_(library, entry_point);
  } catch (...) {
    throw CreationFailure{CF_ENOENT, current_exception_text()};
  }
  try {
    return std::unique_ptr<Component>(make(qualifiers));
  } catch (...) {
    rethrow_as_creation_failure();
  }
}

std::string ComponentFactoryClasses::class_of(Context& qualifiers) const {
  const std::string* const name = qualifiers.find(ComponentFactory::kClass);
  return name != nullptr ? *name : "";
}

std::unique_ptr<Component> ComponentFactoryClasses::create(Context& qualifiers) {
  try {
    auto component = factory_.make(qualifiers);
    if (!component) throw CreationFailure{CF_NOTSET, "the factory has created no component"};
    return component;
  } catch (...) {
    rethrow_as_creation_failure();
  }
}

Context read_qualifiers(const std::string& id, const CF::Properties& qualifiers) {
  if (id.empty()) throw CreationFailure{CF_EINVAL, "the id of the component is empty"};
  Context values;
  values.set("COMPONENT_IDENTIFIER", id);
  std::set<std::string> given{"COMPONENT_IDENTIFIER"};
  for (const CF::DataType& qualifier : qualifiers) {
    if (!given.insert(qualifier.id()).second)
      throw CreationFailure{CF_EINVAL, "qualifier '" + qualifier.id() + "' is given twice"};
    auto value = value_of(qualifier.value());
    if (!value) {
      throw CreationFailure{
          CF_EINVAL, "qualifier '" + qualifier.id() + "': the value is of a type that no property has"};
    }
    values.set(qualifier.id(), std::move(*value));
  }
  return values;
}

void warn_of_unused_qualifiers(Context& context, const std::string& id) {
  for (const char* const word : {"COMPONENT_CLASS", "STREAMS_EXPECTED", "DIRECT_INPUTS"}) context.find(word);
  for (const std::string& unused : context.unknown()) {
    std::fprintf(stderr, "warning: qualifier '%s' of component %s is not a property of its class\n",
                 unused.c_str(), id.c_str());
  }
}

}  // namespace orbweaver::sca
