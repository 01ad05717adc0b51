#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace orbweaver::sca {

/// A file of src/sca/project/templates, such as "component/component.cpp.in"; empty if there is none.
std::string_view template_text(std::string_view file);

/// Expands a template, in a subset of the language Mustache:
///
///   {{name}}                   the string of that name in `values`
///   {{#name}} … {{/name}}      for each element of the array of that name, whose own names are found first;
///                              once if it is a true boolean
///   {{^name}} … {{/name}}      if it is an empty array or false
///
/// A line that consists of one tag of a section is removed. Throws std::logic_error, since templates are part
/// of the program: for a name without a value, and for sections that do not match.
std::string expand(std::string_view text, const nlohmann::json& values);

}  // namespace orbweaver::sca
