#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orbweaver::idl::cpp {

/// Fills in a template: every `$name$` becomes its value. A line that holds nothing but a name whose value is
/// empty vanishes.
std::string fill(std::string_view pattern,
                 std::initializer_list<std::pair<std::string_view, std::string>> values);

/// Every line that is not empty, moved right by `spaces`.
std::string indented(std::string_view text, int spaces);

/// `head` + items + `tail`, broken after commas where a line would pass 110 columns, once all of it has been
/// moved right by `column`.
std::string list(std::string head, const std::vector<std::string>& items, std::string_view tail,
                 int column = 0);

std::string join(const std::vector<std::string>& items, std::string_view separator);

/// `text` within namespaces "A::B"; text alone where there is none.
std::string in_namespace(const std::string& name, const std::string& text);

}  // namespace orbweaver::idl::cpp
