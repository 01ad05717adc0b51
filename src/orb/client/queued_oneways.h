#pragma once

namespace orbweaver {
class Reference;
}

namespace orbweaver::orb {

/// Before a collocated call: returns when the one-way calls queued for the target have been served, except in
/// an upcall of a connection, where this might deadlock. Waits for the reply to a LocateRequest, as the
/// connection serves requests in order.
void serve_queued_oneways(Reference& target);

}  // namespace orbweaver::orb
