#pragma once

#include <string>

#include "CosNamingC.h"

namespace orbweaver::naming {

/// Maximum length of a name. Each component may be another call, and contexts may be cyclic: without a limit
/// a name could hold a thread of each service for long.
inline constexpr std::size_t kMaxNameComponents = 256;
/// Maximum size of a component: octets of id and kind together.
inline constexpr std::size_t kMaxComponentBytes = 1024;

/// Raises InvalidName for an empty name, and for one beyond the limits.
void check_name(const CosNaming::Name& name);

/// Returns a name as text, "radio.context/modem" (Naming Service 1.3, 2.4). '/', '.' and '\' within a
/// component are escaped by '\'. Raises InvalidName as check_name.
std::string to_text(const CosNaming::Name& name);

/// Parses the text form of a name. Raises InvalidName for empty text, an empty component, an invalid escape,
/// a second '.' in a component, or as check_name.
CosNaming::Name to_name(const std::string& text);

/// Returns the corbaname URL of the name `text`, which may be empty, in the naming service at `address`
/// (Naming Service 1.3, 2.5.3.4): the part of a corbaloc URL between "corbaloc:" and the end of its key.
/// Raises InvalidAddress if that is no corbaloc URL, and InvalidName as to_name.
std::string to_url(const std::string& address, const std::string& text);

}  // namespace orbweaver::naming
