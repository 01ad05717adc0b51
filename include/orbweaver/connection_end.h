#pragma once

#include <orbweaver/deadline.h>
#include <orbweaver/object.h>

#include <cstdint>

namespace orbweaver {

/// What await_connection_end() has found.
enum class ConnectionEnd : std::uint8_t {
  ended,    ///< The connection has ended: its server has closed it, or its process has ended.
  none,     ///< It has not ended before the deadline.
  unknown,  ///< The end cannot be awaited. Returned at once.
};

/// Waits until the connection that calls of `object` use has ended, at most until `deadline`: the end of a
/// process tells its clients at once, without calls. Makes no connection, and sends nothing. An end does not
/// say that the object is gone: the next call uses a new connection.
///
/// The end cannot be awaited if there is no connection yet or any more, if another thread awaits a reply over
/// it, if the object is served by this ORB, with -ORBThreads single or pool:N, and with -ORBWait spin. Over a
/// transport that is not reliable, the end may not be told. A call of another thread over the connection gets
/// its reply from this one: use with_private_connection() where calls are frequent. Any thread. `unknown` for
/// nil and for local objects. Raises NO_MEMORY.
ConnectionEnd await_connection_end(const CORBA::object_reference<CORBA::Object>& object, Deadline deadline);

/// Closes the connection of `object`, which other references may share, and wakes those that await its end.
/// Calls in progress raise COMM_FAILURE; later ones use a new connection. No effect without a connection, as
/// for nil. Any thread. Raises nothing.
void close_connection(const CORBA::object_reference<CORBA::Object>& object);

}  // namespace orbweaver
