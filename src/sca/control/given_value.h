#pragma once

#include <optional>
#include <string>

#include <orbweaver/any.h>
#include <orbweaver/sca/property_value.h>

namespace orbweaver::sca {

/// A value of a property from the command line: a text, or JSON of a sequence ("[1, 2]"), a struct
/// ("{\"gain\": 1}") or a sequence of structs. `type`: of the present value, if that is known; members that
/// it does not have, and values without it, get the type that they look like, and a domain of Orbweaver
/// converts them to that of the PRF. Throws Error of kind invalid if it is no value of the type.
CORBA::Any given_value(const std::string& id, const std::string& text,
                       const std::optional<DeclaredType>& type);

}  // namespace orbweaver::sca
