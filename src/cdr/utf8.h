#pragma once

#include <string>
#include <string_view>

namespace orbweaver::cdr {

/// UTF-8 to wide characters and back, for texts that people read: what is not UTF-8, or no character,
/// becomes U+FFFD.
std::wstring wide(std::string_view utf8);
std::string narrow(std::wstring_view text);

}  // namespace orbweaver::cdr
