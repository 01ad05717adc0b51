#pragma once

#include <string>

namespace orbweaver::sca {

/// Describes the exception that is being handled by a catch block around a call to an object of the core
/// framework: the message of a CF exception, or the text of a system exception. Text from the peer is not
/// escaped.
std::string reason_of_failed_call();

}  // namespace orbweaver::sca
