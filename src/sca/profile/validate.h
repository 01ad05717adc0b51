#pragma once

#include "sca/profile/findings.h"
#include "sca/profile/xml.h"

namespace orbweaver::sca {

/// Checks the structure of a profile against the DTD of its kind: elements, their order and number,
/// attributes, enumerations, and ids, which are unique. Adds every mistake to `findings`, in a time that is
/// linear in the size of the file (times the logarithm of the number of ids and of an element's attributes).
///
/// Three things are more lenient than in XML's validity constraints: an element that the DTD declares EMPTY
/// may contain white space and comments, an id that is not a name in XML is a warning, and members of
/// different structs of a PRF may have the same id, with a warning.
void validate(const XmlFile& file, Findings& findings);

}  // namespace orbweaver::sca
