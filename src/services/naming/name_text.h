#pragma once

#include <string>

#include "CosNamingC.h"

namespace orbweaver::naming {

/// A name as text: "radio.context/modem" (Naming Service 1.3, 2.4). '/', '.' and '\' within a name are
/// escaped by '\'. Raises InvalidName for an empty name.
std::string to_text(const CosNaming::Name& name);

/// The way back. Raises InvalidName for empty text, an empty component, an escape that is none, a second
/// '.' in a component, or more than kMaxNameComponents components.
CosNaming::Name to_name(const std::string& text);

/// A path longer than this leads in circles; without a limit it would lead to a stack overflow.
inline constexpr std::size_t kMaxNameComponents = 256;

}  // namespace orbweaver::naming
