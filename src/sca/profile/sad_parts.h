#pragma once

#include <vector>

#include "sca/profile/assembly.h"
#include "sca/profile/xml.h"

namespace orbweaver::sca {

// Parts of a SAD that has been checked, as plain data.

/// One end of a connection, without the index of the component.
struct UnresolvedEnd {
  PortReference end;
  std::optional<Element> component;  ///< The element whose refid is the component's id, if it names one.
};

/// Reads a <usesport>, <providesport>, <componentsupportedinterface>, <findby>, or <port> of
/// <externalports>. Throws ProfileError for the end of an inner assembly.
UnresolvedEnd read_end(const Element& side, AssemblyUse use);

/// Reads the values in <componentproperties> or <resourcefactoryproperties>.
std::vector<PropertySetting> read_settings(const Element& properties, AssemblyUse use);

/// Throws ProfileError: `what` is not supported.
[[noreturn]] void fail_not_supported(const Element& element, const std::string& what,
                                     const std::string& advice, AssemblyUse use);

}  // namespace orbweaver::sca
