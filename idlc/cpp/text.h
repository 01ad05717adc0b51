#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orbweaver::idl::cpp {

/// Expands a template: replaces every `$name$` with its value. A line that consists of one name whose value
/// is empty is removed.
std::string fill(std::string_view pattern,
                 std::initializer_list<std::pair<std::string_view, std::string>> values);

/// `text` with every non-empty line indented by `spaces`.
std::string indented(std::string_view text, int spaces);

/// `head`, the items separated by commas, and `tail`. Breaks lines after commas, so that none is longer than
/// 110 columns after indenting the result by `column`.
std::string list(std::string head, const std::vector<std::string>& items, std::string_view tail,
                 int column = 0);

std::string join(const std::vector<std::string>& items, std::string_view separator);

/// `text` within the namespace "A::B"; only `text` if `name` is empty.
std::string in_namespace(const std::string& name, const std::string& text);

}  // namespace orbweaver::idl::cpp
