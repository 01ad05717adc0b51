#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "idlc/lex/token.h"

namespace orbweaver::idl {

/// The file that an #include names, of the tokens behind the word; empty if there is no name. `text` is what
/// they are made of, or empty where a macro made them.
std::string included_name(const std::vector<Token>& line, std::string_view text);

/// Where an included file may be, best first: beside the including file `from` (of "…" first, of <…> last, as
/// published IDL counts on it) and in the folders named with -I.
std::vector<std::string> include_candidates(const std::string& from, const std::string& path, bool quoted,
                                            const std::vector<std::string>& dirs);

}  // namespace orbweaver::idl
