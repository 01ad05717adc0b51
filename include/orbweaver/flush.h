#pragma once

#include <orbweaver/object.h>

namespace orbweaver {

/// Sends the one-way calls that are queued on the connection of `object`, or on those of its bands, which
/// other references may share: those of -ORBTune batch-delay-us, and those with SYNC_NONE that the transport
/// could not accept at once. Returns when the transport has accepted them; no effect if there are none. Any
/// thread.
///
/// The time limit is that of sending a request through `object`: the policies RelativeRoundtripTimeout and
/// RelativeRequestTimeout of the reference, the thread or the ORB, else -ORBCallTimeout; without either there
/// is none. Raises TIMEOUT (0x4f570032), COMPLETED_NO, if the transport has not accepted all calls by then:
/// the others stay queued. Raises COMM_FAILURE (0x4f570028), COMPLETED_MAYBE, if queued calls have been lost
/// with a connection of `object` since the last flush, also with a connection that has been replaced
/// meanwhile; the detail has their number.
void flush(const CORBA::object_reference<CORBA::Object>& object);

}  // namespace orbweaver
