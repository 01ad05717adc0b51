#pragma once

#include <string>

namespace orbweaver::sca {

/// Text of the exception being handled: what() of a std::exception, a thrown string, or "an exception of type
/// int" for any other type. Call inside a catch block.
std::string current_exception_text();

}  // namespace orbweaver::sca
