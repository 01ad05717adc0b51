// Calls of reply handlers in other processes: their time limit, and what is lost.
#include <orbweaver/any.h>
#include <orbweaver/detail/handler_object.h>
#include <orbweaver/messaging.h>
#include <orbweaver/statistics.h>

#include <atomic>

#include "orb/core.h"
#include "orb/policy/client_policies.h"
#include "orb/reference/reference.h"

namespace orbweaver {
namespace {

struct Counters {
  std::atomic<std::uint64_t> passed{0}, lost{0};
};
Counters& counters() noexcept {
  static Counters all;
  return all;
}

constexpr CORBA::PolicyType kTimeout = Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE;

/// The same object for calls with the default limit.
CORBA::object_reference<CORBA::Object> with_default_limit(
    const CORBA::object_reference<CORBA::Object>& object) {
  if (object->_reference() == nullptr) return object;  // a local object
  constexpr TimeBase::TimeT kUnitsOfMs = 10'000;
  CORBA::Any limit;
  limit <<= static_cast<TimeBase::TimeT>(object->_reference()->core().options().reply_handler_timeout_ms) *
            kUnitsOfMs;
  return object->_set_policy_overrides({orb::make_client_policy(kTimeout, limit)},
                                       CORBA::SetOverrideType::ADD_OVERRIDE);
}

}  // namespace

RemoteHandler::RemoteHandler(CORBA::object_reference<CORBA::Object> object)
    : object_(std::move(object)), limited_(with_default_limit(object_)) {}

bool RemoteHandler::has_limit() const {
  return object_->_reference() == nullptr || object_->_get_client_policy(kTimeout);
}

RemoteHandler::CallCount::~CallCount() {
  const bool failed = std::uncaught_exceptions() > exceptions_;
  (failed ? counters().lost : counters().passed).fetch_add(1, std::memory_order_relaxed);
}

RemoteReplyHandlerStatistics remote_reply_handler_statistics() noexcept {
  return {counters().passed, counters().lost};
}

}  // namespace orbweaver
