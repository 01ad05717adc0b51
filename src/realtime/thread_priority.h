#pragma once

#include <orbweaver/rtcorba.h>

/// Priorities of threads: of Real-time CORBA, and native.
namespace orbweaver::realtime {

/// Raises BAD_PARAM for a negative priority. `what`: the argument, for the message.
void check_range(RTCORBA::Priority priority, const char* what);

/// The priority of the calling thread; kNoPriority: none has been set.
RTCORBA::Priority thread_priority() noexcept;
/// That of a thread which has set none, by its native priority; kNoPriority: it has no real-time scheduling,
/// or the mapping has no priority for it.
RTCORBA::Priority implied_priority() noexcept;

/// Sets the priority of the calling thread, and its native one: see RTCORBA::Current::the_priority.
void set_thread_priority(RTCORBA::Priority priority);
/// As set_thread_priority, for a request: raises DATA_CONVERSION also if the thread has the priority already
/// that the mapping does not have. Nothing has changed then.
void set_request_priority(RTCORBA::Priority priority);
/// As set_thread_priority, in threads of the ORB: a priority without a native one is kept, with a warning.
void set_orb_thread_priority(RTCORBA::Priority priority) noexcept;
/// Restores what `thread_priority` has returned; kNoPriority: none, and the native priority that the thread
/// had before its first one was set.
void restore_thread_priority(RTCORBA::Priority priority) noexcept;

}  // namespace orbweaver::realtime
