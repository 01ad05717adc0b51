#pragma once

#include <orbweaver/object.h>

namespace orbweaver {

/// Sends the one-way calls queued by -ORBTune batch-delay-us on the connection of `object`, which other
/// references may share. No effect if there are none. Any thread.
///
/// Raises TIMEOUT (0x4f570032), COMPLETED_NO, if the server accepts nothing within -ORBCallTimeout: the calls
/// stay queued. Raises COMM_FAILURE (0x4f570028), COMPLETED_MAYBE, if queued calls have been lost with a
/// connection of `object` since the last flush, also with a connection that has been replaced meanwhile; the
/// detail has their number.
void flush(const CORBA::object_reference<CORBA::Object>& object);

}  // namespace orbweaver
