#pragma once

#include <functional>
#include <string>

#include "idlc/ir/ir.h"

namespace orbweaver::idl::html {

/// Text that may stand in a page.
std::string escaped(std::string_view text);

/// A declaration's name, as a link where there is something to lead to.
using Link = std::function<std::string(const ir::Declaration&)>;

/// The declaration as IDL again, its names as links, in HTML; without what lies in its scope.
std::string definition(const ir::Declaration& declaration, const Link& link);

}  // namespace orbweaver::idl::html
