#pragma once

namespace orbweaver {
class Reference;
}

namespace orbweaver::orb {

/// Locates the object with a LocateRequest and follows forwards, so that the reference is bound to the
/// object's server. Raises the system exceptions of a call, and OBJECT_NOT_EXIST if the server does not have
/// the object.
void locate(Reference& target);

}  // namespace orbweaver::orb
