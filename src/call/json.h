#pragma once

#include <orbweaver/result.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace orbweaver::call {

/// JSON with the members of objects in their order.
using Json = nlohmann::ordered_json;

/// Parses JSON of at most limits::kMaxNesting levels. Fails with ErrorKind::invalid.
Result<Json> parse_json(const std::string& text);

/// A number that JSON does not have, from its text: "NaN", "Infinity" or "-Infinity". Otherwise nullopt.
std::optional<long double> special_number(std::string_view text);
/// The text of such a number.
std::string text_of_special(long double number);

}  // namespace orbweaver::call
