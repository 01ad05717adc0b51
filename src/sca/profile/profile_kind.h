#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "sca/profile/grammar.h"

namespace orbweaver::sca {

/// The kinds of profiles of SCA 2.2.2 (appendix D) and 4.1 (appendix D-1).
enum class ProfileKind {
  assembly,              ///< SAD
  package,               ///< SPD
  component,             ///< SCD
  properties,            ///< PRF
  device_configuration,  ///< DCD
  device_package,        ///< DPD
  domain_manager,        ///< DMD
  profile,               ///< A file that names another profile.
  deployment,            ///< ADD, SCA 4.1
  platform               ///< PDD, SCA 4.1
};

inline constexpr std::array kProfileKinds{ProfileKind::assembly,
                                          ProfileKind::package,
                                          ProfileKind::component,
                                          ProfileKind::properties,
                                          ProfileKind::device_configuration,
                                          ProfileKind::device_package,
                                          ProfileKind::domain_manager,
                                          ProfileKind::profile,
                                          ProfileKind::deployment,
                                          ProfileKind::platform};

/// Which files a profile may name if there is a folder at which absolute file names start.
enum class ProfileScope {
  root_and_folder,  ///< Those within that folder, and within that of the profile that is read first.
  root,             ///< Those within that folder. The first profile is there, too.
};

/// The outermost element of a kind: "softwareassembly".
std::string_view root_element(ProfileKind kind);
/// Its abbreviation in messages: "SAD".
std::string_view abbreviation(ProfileKind kind);
/// The kind with that outermost element; nullopt if there is none.
std::optional<ProfileKind> kind_of_root(std::string_view element);

/// The elements and attributes that a kind of profile may have: packaging/dtd/ROOT.dtd, which is part of the
/// program. Thread-safe.
const Grammar& grammar_of(ProfileKind kind);

/// The text of a file in packaging/dtd; empty if there is none of that name.
std::string_view dtd_text(std::string_view file);

}  // namespace orbweaver::sca
