#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace orbweaver::platform {

/// SHA-256 (FIPS 180-4): names that tell nothing of what they were made from.
std::array<std::uint8_t, 32> sha256(std::string_view bytes);

}  // namespace orbweaver::platform
