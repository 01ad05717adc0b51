#pragma once

#include <string>

namespace orbweaver::sca {

/// The exception that is being handled, as text: what() of a std::exception, a string that was thrown, and
/// "an exception of type int" for everything else. Call it inside a catch block.
std::string current_exception_text();

}  // namespace orbweaver::sca
