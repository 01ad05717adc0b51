#pragma once

#include <functional>
#include <string>
#include <vector>

#include <orbweaver/sca/component.h>

namespace orbweaver::sca {

/// Description of a component to be created: its function, and its exec params.
struct ComponentRequest {
  MakeComponent make = nullptr;        ///< Creates the component.
  std::vector<std::string> arguments;  ///< Its exec params: id, value, id, value, …
};

/// Function that returns the components to be created. `arguments`: the command line without the program's
/// name and the ORB's own options (-ORB…). May throw std::exception with a message.
using ReadRequests = std::function<std::vector<ComponentRequest>(const std::vector<std::string>& arguments)>;

/// The main() of a process with components: creates each, binds it under NAME_BINDING in the naming context
/// given by its argument NAMING_CONTEXT_IOR, and serves until all have been released. Returns the exit
/// status: 0, or 2, with a message on standard error, if a component could not be created.
int run_components(int argc, char** argv, const ReadRequests& read_requests);

}  // namespace orbweaver::sca
