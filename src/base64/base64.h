#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace orbweaver {

/// Base64 (RFC 4648, 4), on one line.
std::string to_base64(std::string_view bytes);
/// Empty if the text is no base64.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace orbweaver
