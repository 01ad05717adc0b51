#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "giop/ior.h"

/// New references, and changes of references, from the texts of a command line. Any thread. Errors are
/// ErrorKind::invalid and name the option.
namespace orbweaver::tools {

/// The names of components, for messages and the help.
inline constexpr const char* kComponentForms =
    "alternate-address=HOST:PORT, ssl=PORT, orb-type=NUMBER, code-sets, or TAG=HEX";

/// What the options of `orbweaver ior build` say.
struct IorParts {
  std::string type_id;
  std::string key;                      ///< As in a corbaloc URL: %XX for other characters.
  std::vector<std::string> addresses;   ///< HOST, HOST:PORT or [IPV6]:PORT; the default port is 2809.
  std::string version = "1.2";          ///< Of IIOP: 1.0, 1.1 or 1.2.
  std::vector<std::string> components;  ///< kComponentForms; of every profile.
  bool profile_each = false;            ///< A profile for each address, instead of alternate addresses.
};

/// What the options of `orbweaver ior edit` say. Members without a value change nothing.
struct IorEdits {
  std::optional<std::string> type_id;
  std::optional<std::string> host, key, version;
  std::optional<std::uint16_t> port;
  std::vector<std::string> removed;    ///< Names of components, or tags.
  std::vector<std::string> added;      ///< kComponentForms.
  std::optional<std::size_t> profile;  ///< The changed profile, from 1; every IIOP profile if absent.
  std::vector<std::size_t> order;      ///< Profiles of the result, from 1, in this order; all if empty.

  /// Whether a profile is changed.
  bool of_profiles() const { return host || key || version || port || !removed.empty() || !added.empty(); }
};

/// Makes a reference.
Result<giop::Ior> build_ior(const IorParts& parts);
/// Changes a reference. `order` is applied last: the numbers of profiles are those of `ior`.
Result<giop::Ior> edit_ior(giop::Ior ior, const IorEdits& edits);

}  // namespace orbweaver::tools
