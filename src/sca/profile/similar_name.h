#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace orbweaver::sca {

/// The element of `names` that `word` is most likely a misspelling of, by insertions, deletions, replacements
/// and exchanges of neighbours; empty if none is similar enough. Case counts half as much as another letter.
/// Words of more than 64 bytes are similar to none, and of more than 500 names none is returned: the time of
/// a message is bounded.
std::string_view similar_name(std::string_view word, const std::vector<std::string_view>& names);

}  // namespace orbweaver::sca
