#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace orbweaver {

/// Escapes untrusted text for a log line or a terminal: the result is one line of valid UTF-8. Control
/// characters and bytes of invalid UTF-8 become \xHH; line separators, bidirectional controls and invisible
/// characters (zero width, tags) become \u{HHHH}. Backslashes are not escaped, so that printable text does
/// not change. A result of more than `most_bytes` is truncated there, and "… (N bytes more)" is appended.
std::string printable(std::string_view text, std::size_t most_bytes = static_cast<std::size_t>(-1));

/// Escapes each line of a text of several, and indents those after the first one by two spaces, so that none
/// of them looks like a message of its own. Empty lines are left out.
std::string printable_lines(std::string_view text);

}  // namespace orbweaver
