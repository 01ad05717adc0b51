#pragma once

#include <orbweaver/result.h>

#include <string_view>

#include "sca/profile/grammar.h"

namespace orbweaver::sca {

/// Builds the automaton of a content model such as "(a, (b | c)+, d?)", by Glushkov's construction: a state
/// for each occurrence of a name. Fails with ErrorKind::invalid if the expression has another form or is not
/// deterministic (XML 1.0, appendix E).
Result<ContentModel> content_model(std::string_view expression);

}  // namespace orbweaver::sca
