#include "call/json.h"

#include <orbweaver/limits.h>

#include <cmath>
#include <limits>

#include "base/printable.h"

namespace orbweaver::call {

Result<Json> parse_json(const std::string& text) {
  bool too_deep = false;
  const auto limit_depth = [&](int level, Json::parse_event_t, Json&) {
    too_deep = too_deep || level > limits::kMaxNesting;
    return !too_deep;
  };
  try {
    Json json = Json::parse(text, limit_depth);
    if (!too_deep) return json;
    return Error{ErrorKind::invalid,
                 "JSON nested more than " + std::to_string(limits::kMaxNesting) + " levels deep"};
  } catch (const Json::exception& e) {
    const std::string_view what = e.what();
    const std::size_t at = what.find("] ");
    return Error{ErrorKind::invalid,
                 "not JSON: " + printable(at == what.npos ? what : what.substr(at + 2), 200)};
  }
}

std::optional<long double> special_number(std::string_view text) {
  if (text == "NaN") return std::numeric_limits<long double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<long double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<long double>::infinity();
  return std::nullopt;
}

std::string text_of_special(long double number) {
  return std::isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity";
}

}  // namespace orbweaver::call
