#include "sca/deploy/overrides.h"

#include <algorithm>
#include <optional>

#include "sca/profile/check.h"
#include "sca/profile/xml.h"

namespace orbweaver::sca {
namespace {

/// Finds a component by id, or by usage name if exactly one component has it.
std::optional<std::size_t> find_component(const Assembly& assembly, const std::string& name) {
  if (const auto found = assembly.find(name)) return found;
  std::optional<std::size_t> only;
  for (std::size_t i = 0; i < assembly.components.size(); ++i) {
    if (assembly.components[i].name != name) continue;
    if (only) return std::nullopt;
    only = i;
  }
  return only;
}

void set(Instantiation& component, const std::string& property, const std::string& value) {
  auto& settings = component.settings;
  const auto found =
      std::find_if(settings.begin(), settings.end(), [&](auto& each) { return each.id == property; });
  if (found == settings.end()) {
    settings.push_back({property, value, component.where});
  } else {
    found->value = value;
  }
}

void apply(Assembly& assembly, const Override& given) {
  const Location where{"--set " + given.component + "." + given.property};
  const auto component = find_component(assembly, given.component);
  if (!component) {
    std::vector<std::string> known;
    for (const auto& each : assembly.components) known.push_back(each.id);
    throw ProfileError(where, "there is no component '" + given.component + "'",
                       "the assembly has " + one_of(known));
  }
  check_setting(assembly.components[*component], assembly.package_of(*component), given.property, given.value,
                where);
  set(assembly.components[*component], given.property, given.value);
}

}  // namespace

Result<void> apply_overrides(Assembly& assembly, const std::vector<Override>& overrides, bool realtime) {
  for (std::size_t i = 0; realtime && i < assembly.components.size(); ++i) {
    for (const SimpleProperty& property : assembly.package_of(i).properties.simple) {
      if (property.id == "realtime" && property.type == PropertyType::boolean)
        set(assembly.components[i], property.id, "true");
    }
  }
  try {
    for (const Override& each : overrides) apply(assembly, each);
  } catch (const ProfileError& error) {
    return error.error();
  }
  return {};
}

}  // namespace orbweaver::sca
