#pragma once

namespace orbweaver::dynamic {

class Request;

/// Starts a thread, `ow-deferred`, that calls `request.call_deferred`, and holds a reference to the request
/// meanwhile. It has the policies that PolicyCurrent has in this thread. Any thread. Raises NO_RESOURCES if
/// kMaxDeferredRequests are in progress, or no thread can be started.
void start_deferred_call(Request& request);

}  // namespace orbweaver::dynamic
