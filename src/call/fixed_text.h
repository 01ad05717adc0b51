#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Fixed-point numbers as decimal text and in CDR (CORBA 3.3 part 2, 9.3.2.8).
namespace orbweaver::call {

/// The octets of the number in `text`, "-12.5"; empty if it is none, or does not fit in `digits` digits of
/// which `scale` follow the decimal point.
std::optional<std::vector<std::uint8_t>> fixed_from_text(const std::string& text, std::uint32_t digits,
                                                         std::int32_t scale);
/// The decimal text; empty if the octets are malformed.
std::string fixed_to_text(const std::uint8_t* octets, std::uint32_t digits, std::int32_t scale);

}  // namespace orbweaver::call
