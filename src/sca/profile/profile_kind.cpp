#include "sca/profile/profile_kind.h"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sca/profile/dtd.h"

namespace orbweaver::sca {
namespace {

struct KindNames {
  std::string_view root;
  std::string_view abbreviation;
};

KindNames names_of(ProfileKind kind) {
  switch (kind) {
    case ProfileKind::assembly: return {"softwareassembly", "SAD"};
    case ProfileKind::package: return {"softpkg", "SPD"};
    case ProfileKind::component: return {"softwarecomponent", "SCD"};
    case ProfileKind::properties: return {"properties", "PRF"};
    case ProfileKind::device_configuration: return {"deviceconfiguration", "DCD"};
    case ProfileKind::device_package: return {"devicepkg", "DPD"};
    case ProfileKind::domain_manager: return {"domainmanagerconfiguration", "DMD"};
    case ProfileKind::profile: return {"profile", "profile descriptor"};
    case ProfileKind::deployment: return {"deploymentprecedence", "ADD"};
    case ProfileKind::platform: return {"deploymentplatform", "PDD"};
  }
  return {};
}

std::vector<Grammar> read_grammars() {
  std::vector<Grammar> grammars;
  for (const ProfileKind kind : kProfileKinds) {
    const std::string file = std::string(root_element(kind)) + ".dtd";
    auto grammar = read_dtd(dtd_text(file), dtd_text);
    // A defect of the program: the tests read every DTD.
    if (!grammar) throw std::logic_error(file + ": " + grammar.error().message);
    grammars.push_back(std::move(*grammar));
  }
  return grammars;
}

}  // namespace

std::string_view root_element(ProfileKind kind) { return names_of(kind).root; }
std::string_view abbreviation(ProfileKind kind) { return names_of(kind).abbreviation; }

std::optional<ProfileKind> kind_of_root(std::string_view element) {
  for (const ProfileKind kind : kProfileKinds) {
    if (root_element(kind) == element) return kind;
  }
  return std::nullopt;
}

const Grammar& grammar_of(ProfileKind kind) {
  static const std::vector<Grammar> grammars = read_grammars();
  return grammars[static_cast<std::size_t>(kind)];
}

}  // namespace orbweaver::sca
