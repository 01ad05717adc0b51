#pragma once

#include <orbweaver/object.h>

namespace orbweaver {

/// Sends the one-way calls that -ORBBatchDelay keeps back on the connection of `object`, which other references may
/// share; does nothing where there are none. Any thread.
/// Raises TIMEOUT where the server takes nothing within -ORBCallTimeout: they stay queued. COMM_FAILURE, COMPLETED_MAYBE,
/// where calls that were queued have been lost with a connection of `object` since the last flush, also one that has been
/// replaced meanwhile; the detail has their number.
void flush(const CORBA::object_reference<CORBA::Object>& object);

}  // namespace orbweaver
