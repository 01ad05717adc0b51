#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "idlc/lex/token.h"
#include "idlc/source/sources.h"

namespace orbweaver::idl {

/// The file name in an #include; empty if there is none. `line`: the tokens after `#include`. `text`: their
/// source text, or empty if they come from a macro.
std::string included_name(const std::vector<Token>& line, std::string_view text);

/// An included file that was searched for.
struct IncludeResult {
  Sources::LoadResult loaded;  ///< its file is null if none was found
  std::string path;            ///< of the file found
};
/// Searches the file that `from` includes and loads it: first in the folder of `from`, then in the folders
/// given with -I (`dirs`). For <…> (`quoted` is false) the order is the opposite, which published IDL relies
/// on.
IncludeResult find_include(Sources& sources, const std::string& from, const std::string& path, bool quoted,
                           const std::vector<std::string>& dirs);

}  // namespace orbweaver::idl
