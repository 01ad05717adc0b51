#pragma once

namespace orbweaver::dynamic {

class Request;

/// To be called when the response to a request is taken: get_next_response does not return it.
void forget_request(const Request& request) noexcept;
/// To be called when a deferred request has ended: wakes threads in get_next_response.
void notify_waiting_for_next() noexcept;

}  // namespace orbweaver::dynamic
