// Requests that are sent together, and their responses in the order of arrival.
#include "dynamic/sent_requests.h"

#include <orbweaver/dynamic.h>

#include <algorithm>
#include <condition_variable>
#include <list>
#include <mutex>

#include "dynamic/minor_codes.h"
#include "dynamic/request.h"

namespace orbweaver {
namespace {

using dynamic::Request;
using RequestRef = CORBA::object_reference<CORBA::Request>;

/// Requests of send_multiple_requests_deferred whose responses have not been taken, in the order in which
/// they were sent. Never freed: threads of requests may run at the end of the process.
struct SentRequests {
  std::mutex mutex;
  std::condition_variable changed;
  std::list<RequestRef> waiting;

  /// The first whose response has arrived; `waiting.end()` if there is none. pre: locked.
  std::list<RequestRef>::iterator find_ended() {
    return std::find_if(waiting.begin(), waiting.end(),
                        [](RequestRef& each) { return static_cast<Request&>(*each).has_ended(); });
  }
};
SentRequests& sent_requests() {
  static auto* const instance = new SentRequests;
  return *instance;
}

}  // namespace

namespace dynamic {

void forget_request(const Request& request) noexcept {
  SentRequests& sent = sent_requests();
  std::list<RequestRef> forgotten;  // released without the lock
  {
    const std::lock_guard lock(sent.mutex);
    const auto found = std::find_if(sent.waiting.begin(), sent.waiting.end(),
                                    [&](const RequestRef& each) { return each.get() == &request; });
    if (found == sent.waiting.end()) return;
    forgotten.splice(forgotten.end(), sent.waiting, found);
  }
  sent.changed.notify_all();
}

void notify_waiting_for_next() noexcept {
  SentRequests& sent = sent_requests();
  { const std::lock_guard lock(sent.mutex); }  // a waiting thread has looked before, or sees the end
  sent.changed.notify_all();
}

}  // namespace dynamic

void send_multiple_requests_oneway(const RequestSeq& requests) {
  for (const RequestRef& each : requests) each->send_oneway();
}

void send_multiple_requests_deferred(const RequestSeq& requests) {
  SentRequests& sent = sent_requests();
  for (const RequestRef& each : requests) {
    each->send_deferred();
    const std::lock_guard lock(sent.mutex);
    sent.waiting.push_back(each);
  }
  sent.changed.notify_all();
}

bool poll_next_response() {
  SentRequests& sent = sent_requests();
  const std::lock_guard lock(sent.mutex);
  return sent.find_ended() != sent.waiting.end();
}

RequestRef get_next_response() {
  SentRequests& sent = sent_requests();
  std::unique_lock lock(sent.mutex);
  for (;;) {
    if (sent.waiting.empty())
      throw CORBA::BAD_INV_ORDER(dynamic::minor::kNotSent, CORBA::CompletionStatus::COMPLETED_NO,
                                 "get_next_response: no request was sent whose response has not been taken");
    if (const auto ended = sent.find_ended(); ended != sent.waiting.end()) {
      RequestRef request = std::move(*ended);
      sent.waiting.erase(ended);
      if (sent.waiting.empty()) sent.changed.notify_all();  // there is nothing to wait for any more
      return request;
    }
    sent.changed.wait(lock);
  }
}

}  // namespace orbweaver
