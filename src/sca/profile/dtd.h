#pragma once

#include <orbweaver/result.h>

#include <functional>
#include <string>
#include <string_view>

#include "sca/profile/grammar.h"

namespace orbweaver::sca {

/// Reads a DTD: ELEMENT, ATTLIST and ENTITY declarations, comments, and parameter entities, also those of
/// other files, whose text `included` returns by their system identifier (empty if there is none).
/// Conditional sections, notations and mixed content other than (#PCDATA) do not occur in our DTDs and are
/// rejected.
///
/// Fails with ErrorKind::invalid if the text has another form, declares an element twice, lists attributes of
/// an undeclared element, names an undeclared child, or has a content model that is not deterministic.
Result<Grammar> read_dtd(std::string_view text,
                         const std::function<std::string_view(std::string_view)>& included);

}  // namespace orbweaver::sca
