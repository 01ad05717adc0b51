#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "idlc/lex/token.h"

namespace orbweaver::idl {

/// The file name in an #include; empty if there is none. `line`: the tokens after `#include`. `text`: their
/// source text, or empty if they come from a macro.
std::string included_name(const std::vector<Token>& line, std::string_view text);

/// The paths where an included file may be, in the order of search: the folder of the including file `from`
/// and the folders given with -I. The former comes first for "…" and last for <…>, which published IDL relies
/// on.
std::vector<std::string> include_candidates(const std::string& from, const std::string& path, bool quoted,
                                            const std::vector<std::string>& dirs);

}  // namespace orbweaver::idl
