#pragma once

#include <string>
#include <string_view>

namespace orbweaver::cdr {

/// Conversions between UTF-8 and wide characters, for text to be displayed: invalid UTF-8 and invalid
/// characters become U+FFFD.
std::wstring utf8_to_wide(std::string_view utf8);
std::string wide_to_utf8(std::wstring_view text);

}  // namespace orbweaver::cdr
