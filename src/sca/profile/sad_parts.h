#pragma once

#include <vector>

#include "sca/profile/assembly.h"
#include "sca/profile/xml.h"

namespace orbweaver::sca {

// Parts of a SAD that has been checked, as plain data.

/// One end of a connection, without the index of the component.
struct UnresolvedEnd {
  PortReference end;
  /// The element whose refid is the id of the component, or of the inner assembly of which `end.port` is an
  /// external port, if it names one.
  std::optional<Element> component;
};

/// Reads a <usesport>, <providesport>, <componentsupportedinterface>, <findby>, or <port> of
/// <externalports>. Throws ProfileError for what `use` does not support.
UnresolvedEnd read_end(const Element& side, AssemblyUse use);

/// The name of the port, or the interface, that such an element has. SCA 2.2.2 names the element after the
/// side, 4.1 names it <identifier>.
std::string read_identifier(const Element& side);

/// Moves the setting DIRECT_INPUTS, which belongs to no PRF, to Instantiation::direct_inputs.
void take_direct_inputs(Instantiation& component);

/// The processor cores in the <coreaffinity> of an element, each once, as Instantiation::cores.
std::string read_cores(const Element& element);

/// What an <affinity> of REDHAWK says; empty: nothing.
struct AffinityDirective {
  std::string kind;  ///< The class.
  std::string value;
};
/// The directive of the element <affinity>.
AffinityDirective affinity_directive(const Element& affinity);
/// The class that has an effect.
inline constexpr const char* kAppliedAffinity = "cpu";

/// The processors in the <affinity> of REDHAWK of an element, of the class `cpu` ("0-1,3"), in the same form.
/// Empty: it has none, or one of another class. Throws ProfileError for a value that is no list of
/// processors.
std::string read_affinity(const Element& element);
/// The <deploymentdependencies> of an element (SCA 4.1); empty if there are none.
std::vector<DeviceRequirement> read_dependencies(const Element& element);
/// The <simpleref> and <requires> in the child `name` of an element: <devicerequires> or <deployerrequires>
/// of REDHAWK.
std::vector<DeviceRequirement> read_requires(const Element& element, const char* name);
/// Throws ProfileError if a component with a processcollocation gets its process in another way.
void check_process(const Element& element, const Instantiation& instantiation,
                   const SoftwarePackage& package);

/// Throws ProfileError at `element`, which adds a <usesdevice> or <usesdeviceref>, if the assembly has
/// kMaxUsedDevices of them.
void check_used_devices(const Element& element, const Assembly& assembly);

/// Number of <usesdevice> and <usesdeviceref> of an assembly.
std::size_t used_devices(const Assembly& assembly);

/// Reads the values in <componentproperties> or <resourcefactoryproperties>.
std::vector<PropertySetting> read_settings(const Element& properties);

/// Throws ProfileError: `what` is not supported.
[[noreturn]] void fail_not_supported(const Element& element, const std::string& what,
                                     const std::string& advice, AssemblyUse use);

}  // namespace orbweaver::sca
