#pragma once

#include <span>
#include <string_view>

#include "sca/profile/findings.h"
#include "sca/profile/xml.h"

namespace orbweaver::sca {

/// A word of the DTDs that is not in SCA 2.2.2, or that nothing here acts upon.
struct Extension {
  ProfileKind kind;
  std::string_view element;
  std::string_view attribute;  ///< Empty: the element itself.
  std::string_view value;      ///< Of the attribute; empty: any.
  std::string_view edition;    ///< "REDHAWK", "SCA 4.1", "SCA 2.2.2"
  /// Why it has no effect here, for a warning; empty: it is understood, and there is no warning.
  std::string_view effect;
  bool in_domain = false;  ///< It has an effect in a domain; `effect` is that in `orbweaver run`.
};

/// Part of the warnings of extensions with an effect in a domain.
inline constexpr std::string_view kOnlyInDomain = "has an effect in a domain only";

/// All of them. docs/profiles.md has the same list.
std::span<const Extension> extensions();

/// Warns of extensions without effect that a file uses: once for each and file, at the first place.
void warn_about_extensions(const XmlFile& file, Findings& findings);

}  // namespace orbweaver::sca
