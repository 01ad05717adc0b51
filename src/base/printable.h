#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace orbweaver {

/// Text from outside in a form that is safe in a line of a log and on a terminal: one line of valid UTF-8.
/// Control characters and bytes that are no UTF-8 become \xHH; characters that end a line, change the direction of
/// writing or are not seen (zero width, tags) become \u{HHHH}. Backslashes stay, so that text which is printable already does not change. At most about
/// `most_bytes` of the result are kept, then "… (N bytes more)".
std::string printable(std::string_view text, std::size_t most_bytes = static_cast<std::size_t>(-1));

}  // namespace orbweaver
