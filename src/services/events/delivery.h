#pragma once

#include <orbweaver/messaging.h>
#include <orbweaver/object.h>
#include <orbweaver/orb.h>

#include <cstdint>
#include <functional>
#include <string>

#include "services/events/consumer_queue.h"

namespace orbweaver::services::events {

/// The result of a call to a consumer or supplier, from its exception.
struct CallResult {
  enum class Kind {
    done,
    retry,        ///< TRANSIENT, COMPLETED_NO: the call can be repeated.
    unreachable,  ///< COMM_FAILURE, TIMEOUT or another TRANSIENT: the call may have been executed.
    raised,       ///< Another exception, raised by the object.
    gone,         ///< OBJECT_NOT_EXIST or Disconnected: further calls are useless.
  };
  Kind kind = Kind::done;
  std::string error = {};
};

/// Calls `call()`.
CallResult try_call(const std::function<void()>& call);

/// Counts the failures of one consumer or supplier in succession.
class FailureCount {
 public:
  explicit FailureCount(std::uint32_t max) : max_(max) {}
  /// Returns whether the object is to be disconnected.
  bool add(const CallResult& result) {
    if (result.kind == CallResult::Kind::done) {
      failures_ = 0;
      return false;
    }
    return result.kind == CallResult::Kind::gone || ++failures_ >= max_;
  }

 private:
  const std::uint32_t max_;
  std::uint32_t failures_ = 0;
};

/// Delivers the events of a queue by `call`, until the queue is closed or too many calls have failed. Returns
/// the result of the last call.
CallResult deliver_all(ConsumerQueue& queue, std::uint32_t max_failures, std::int64_t retry_ms,
                       const std::function<void(const CORBA::Any&)>& call);

/// Whether an object is to be told that it is disconnected: it has answered its last call.
inline bool answers(const CallResult& last) {
  return last.kind == CallResult::Kind::done || last.kind == CallResult::Kind::raised;
}

/// A reference for the calls of one proxy: with a connection of its own, so that it does not wait for calls
/// to other objects, and with a time limit. Nil for nil. Calls nothing.
template <class Interface>
typename IDL::traits<Interface>::ref_type own_reference(
    const typename IDL::traits<Interface>::ref_type& object, std::int64_t limit_ms) {
  if (!object) return nullptr;
  const auto separate = with_private_connection(object);
  const auto orb = separate->_get_orb();
  if (!orb) return object;  // local
  CORBA::Any limit;
  limit <<= static_cast<TimeBase::TimeT>(limit_ms) * 10'000;
  const auto limited =
      separate->_set_policy_overrides({orb->create_policy(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, limit)},
                                      CORBA::SetOverrideType::ADD_OVERRIDE);
  // `object` has the interface: narrow() could ask the object, and wait for it.
  return IDL::traits<Interface>::ref_type::adopt(Interface::_make(limited->_reference()));
}

}  // namespace orbweaver::services::events
