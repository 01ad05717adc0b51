#pragma once

#include <string>

#include "CosNamingC.h"

namespace orbweaver::naming {

/// Returns a name as text, "radio.context/modem" (Naming Service 1.3, 2.4). '/', '.' and '\' within a
/// component are escaped by '\'. Raises InvalidName for an empty name.
std::string to_text(const CosNaming::Name& name);

/// Parses the text form of a name. Raises InvalidName for empty text, an empty component, an invalid escape,
/// a second '.' in a component, or more than kMaxNameComponents components.
CosNaming::Name to_name(const std::string& text);

/// Maximum length of a name. Each component may be another call, and contexts may be cyclic: without a limit
/// a name could overflow the stack.
inline constexpr std::size_t kMaxNameComponents = 256;

}  // namespace orbweaver::naming
