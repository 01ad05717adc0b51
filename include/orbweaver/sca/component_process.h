#pragma once

#include <functional>
#include <string>
#include <vector>

#include <orbweaver/sca/component_factory.h>

namespace orbweaver::sca {

/// Description of a component to be created: its function, and its exec params.
struct ComponentRequest {
  MakeComponent make = nullptr;        ///< Creates the component.
  std::vector<std::string> arguments;  ///< Its exec params: id, value, id, value, …
};

/// Function that returns the components to be created. `arguments`: the command line without the program's
/// name and the ORB's own options (-ORB…). May throw std::exception with a message.
using ReadRequests = std::function<std::vector<ComponentRequest>(const std::vector<std::string>& arguments)>;

/// The main() of a process with components: creates each, announces it, and serves until all have been
/// released. A component is registered at the registry given by its argument COMPONENT_REGISTRY_IOR (SCA
/// 4.1), if it has this argument, and otherwise bound under NAME_BINDING in the naming context given by
/// NAMING_CONTEXT_IOR (SCA 2.2.2). Returns the exit status: 0, or 2, with a message on standard error, if a
/// component could not be created or announced.
///
/// With `more`, further components are created on requests from standard input until its end: the number of
/// arguments in decimal digits, then the arguments, which `read_requests` gets; a null character follows each
/// of these.
int run_components(int argc, char** argv, const ReadRequests& read_requests, bool more = false);

/// Function that loads the library `path` and returns its function `entry_point`. Throws std::runtime_error
/// with a message.
using LoadComponent = std::function<MakeComponent(const std::string& path, const std::string& entry_point)>;

/// The main() of a resource factory (SCA 2.2.2, 3.1.3.1.7) that creates components from libraries in its own
/// process. Its exec params: NAMING_CONTEXT_IOR, NAME_BINDING, COMPONENT_IDENTIFIER, and COMPONENT_LIBRARIES,
/// the paths that it may load, one in a line. Binds the factory and serves until its shutdown(). Returns the
/// exit status: 0, or 2, with a message on standard error, if the factory could not be bound.
int run_resource_factory(int argc, char** argv, const LoadComponent& load);

/// The main() of a program with a component factory. Registers it at the registry given by its argument
/// COMPONENT_REGISTRY_IOR as a CF::ComponentFactory (SCA 4.1), if it has this argument, and otherwise binds
/// it under NAME_BINDING in the naming context given by NAMING_CONTEXT_IOR as a CF::ResourceFactory (SCA
/// 2.2.2). Serves until it has been released or shut down, or, one of SCA 4.1, until 10 s after its last
/// component has been released. Returns the exit status: 0, or 2, with a message on standard error, if the
/// factory could not be created or announced.
int run_component_factory(int argc, char** argv, MakeComponentFactory make);

}  // namespace orbweaver::sca
