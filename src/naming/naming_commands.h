#pragma once

#include <orbweaver/result.h>

#include <cstdint>
#include <string>
#include <vector>

/// What `orbweaver naming list`, `resolve`, `bind`, `unbind`, … do: calls to a naming service of any ORB, by
/// a person or a script.
namespace orbweaver::naming {

/// Options of these commands.
struct CommandOptions {
  std::string service;  ///< Reference of the naming service: "corbaloc::localhost/NameService".
  std::string service_option = "--service";  ///< What the command line calls it, for messages.
  std::string name;       ///< As text: "radios/left.tuner"; empty: the root, where a command accepts it.
  std::string reference;  ///< Of `bind`: what is bound.
  bool json = false;
  bool recursive = false;             ///< Of `list`: the bindings of the contexts, too.
  bool replace = false;               ///< Of `bind`: an existing binding is replaced.
  bool context = false;               ///< Of `bind`: the reference is of a context, and takes part in names.
  bool parents = false;               ///< Of `bind` and `new`: missing contexts of the name are created.
  std::uint32_t timeout_ms = 30'000;  ///< Of each call; 0: none.
  std::vector<std::string> orb;       ///< Words for ORB_init: "-ORBTransportPreference", "tcp".
};

/// Each returns the text to print. Errors: invalid if the name, the reference or an ORB option is malformed;
/// timed_out if the service does not answer within the time limit; unavailable if it cannot be called or
/// raises an exception: the message says why, by the words of the name.
Result<std::string> list_bindings(const CommandOptions& options);
Result<std::string> resolve_name(const CommandOptions& options);
Result<std::string> bind_name(const CommandOptions& options);
Result<std::string> unbind_name(const CommandOptions& options);
/// Creates a context, and binds it.
Result<std::string> new_context(const CommandOptions& options);
/// Destroys an empty context, and removes its binding.
Result<std::string> destroy_context(const CommandOptions& options);

}  // namespace orbweaver::naming
