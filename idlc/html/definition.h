#pragma once

#include <functional>
#include <string>

#include "idlc/ir/ir.h"

namespace orbweaver::idl::html {

/// Escapes text for HTML.
std::string escaped(std::string_view text);

/// Returns the HTML of a declaration's name, with a link if the declaration has a page.
using Link = std::function<std::string(const ir::Declaration&)>;

/// The declaration in IDL syntax as HTML, in which names are links. The contents of its scope are omitted.
std::string definition(const ir::Declaration& declaration, const Link& link);

}  // namespace orbweaver::idl::html
