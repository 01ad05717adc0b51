#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "call/object_caller.h"
#include "call/signatures.h"
#include "call/value_to_json.h"

namespace orbweaver::call {

/// Options of `orbweaver call`.
struct CallOptions {
  TargetOptions target;
  IdlOptions idl;
  std::string interface;  ///< Its name; empty: that of the reference.
  std::string operation;
  std::vector<std::string> arguments;  ///< JSON; "@FILE": in the file.
  std::vector<std::string> context;    ///< Properties, "NAME=VALUE", for a context clause.
  std::string sync_scope;              ///< "none", "transport", "server" or "target"; empty: the default.
  std::uint32_t repetitions = 0;       ///< Prints latencies of this many calls; 0: one call, and its result.
  OctetsAs octets = OctetsAs::base64;
};

/// What a command prints, and its exit status.
struct CommandOutput {
  int status = 0;
  std::string text;   ///< For standard output.
  std::string error;  ///< For standard error, escaped; empty: none.
};

/// Calls the operation, and waits for its reply.
CommandOutput call_operation(const CallOptions& options);

/// The operations of the object, or of all interfaces of the IDL if there is no reference.
CommandOutput list_operations(const CallOptions& options);

/// Limit of the values that "@FILE" names, in bytes.
inline constexpr std::size_t kMaxArgumentBytes = std::size_t{64} << 20;
/// Limit of the repetitions.
inline constexpr std::uint32_t kMaxRepetitions = 1'000'000;

}  // namespace orbweaver::call
