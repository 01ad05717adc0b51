#pragma once

#include <string>
#include <string_view>

#include "sca/profile/assembly.h"
#include "sca/profile/xml.h"

namespace orbweaver::sca {

/// An assembly within another one (SCA 4.1), whose parts are parts of that one.
struct InnerAssembly {
  const Assembly* assembly = nullptr;  ///< As it was read.
  std::size_t first_component = 0;     ///< Index of its first component in the outer assembly.
};

/// Adds the parts of `inner`: components and resource factories, packages, connections, host collocations,
/// and used devices. Ids, names in the naming service, and values of processcollocation begin with the id of
/// `instantiation`, an <assemblyinstantiation>, whose properties, device assignments and execution affinities
/// replace those of the components; its processcollocations are those of the outer assembly. Throws
/// ProfileError for what exceeds a limit.
InnerAssembly add_inner_assembly(Assembly& outer, const Assembly& inner, const Element& instantiation,
                                 AssemblyUse use);

/// The end of a connection that is the external port `name` of an inner assembly, which has it.
PortReference external_port(const InnerAssembly& inner, const std::string& name);

/// Throws ProfileError if an id occurs twice, or two ports are connected twice: within a SAD, Profiles finds
/// both.
void check_inner_assemblies(const Assembly& assembly);

/// The id that the component `id` of the inner assembly `assembly` has in the outer one.
std::string inner_id(std::string_view assembly, std::string_view id);

}  // namespace orbweaver::sca
