#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace orbweaver::platform {

/// The SHA-256 digest of `bytes` (FIPS 180-4). Used for identifiers that must not reveal their input.
std::array<std::uint8_t, 32> sha256(std::string_view bytes);

}  // namespace orbweaver::platform
