#pragma once

namespace orbweaver {
class Reference;
}

namespace orbweaver::orb {

/// Connects to the object's server and asks it for the object by a LocateRequest; follows where the answer leads. Raises
/// what a call would, and OBJECT_NOT_EXIST where the server knows no such object.
void locate(Reference& target);

}  // namespace orbweaver::orb
