#pragma once

#include <functional>
#include <string>
#include <vector>

#include <orbweaver/sca/component.h>

namespace orbweaver::sca {

/// A component to be: how it is made, and its exec params.
struct ComponentRequest {
  MakeComponent make = nullptr;
  std::vector<std::string> arguments;
};

/// What is to be made, from the command line without the program's name and the ORB's own options (-ORB…).
/// May throw std::exception with a sentence.
using ReadRequests = std::function<std::vector<ComponentRequest>(const std::vector<std::string>& arguments)>;

/// The main() of a process of components: makes each, binds it in the naming service that its argument
/// NAMING_CONTEXT_IOR names, under NAME_BINDING, and serves until all have been released. Returns the exit
/// status: 0, or 2 where a component could not be made, after a message on standard error.
int run_components(int argc, char** argv, const ReadRequests& read_requests);

}  // namespace orbweaver::sca
