#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include <orbweaver/detail/async_stub.h>
#include <orbweaver/object.h>

namespace Messaging {

/// Base of pollers: the results of an asynchronous call with the polling model of CORBA Messaging (CORBA 3.3
/// part 1, 22.6, 22.9). Generated pollers have a function for each operation, with a time limit in
/// milliseconds, 0 for none and 0xffffffff for no limit, and its results. It raises TIMEOUT (0x4f570033) if
/// they do not arrive in this time, NO_RESPONSE (0x4f570034) without a time limit if they are not there,
/// OBJECT_NOT_EXIST (0x4f570051) if they have been taken, BAD_OPERATION (0x4f57005b) if the call was of
/// another operation, and else the exception of the call. Any thread; pollers are not sent to other
/// processes.
class Poller : public CORBA::RefCounted {
 public:
  using _ref_type = CORBA::object_reference<Poller>;  ///< Reference to a poller.

  /// The object that was called.
  CORBA::object_reference<CORBA::Object> operation_target() const { return target_; }
  /// Its operation; of an attribute "_get_NAME" or "_set_NAME".
  std::string operation_name() const;
  /// Whether the results are there; waits for them for at most `timeout` milliseconds, 0xffffffff: no limit.
  /// Raises OBJECT_NOT_EXIST if they have been taken.
  bool is_ready(std::uint32_t timeout);

 protected:
  /// @cond internal
  Poller(const CORBA::Object& target, CORBA::object_reference<orbweaver::KeptCall> call);
  ~Poller() override;
  /// Waits for the results, and returns the call; raises its exception, or one of those above.
  CORBA::object_reference<orbweaver::KeptCall> take(const orbweaver::Operation& operation,
                                                    std::uint32_t timeout);
  /// @endcond

 private:
  const CORBA::object_reference<CORBA::Object> target_;
  const CORBA::object_reference<orbweaver::KeptCall> call_;
  std::atomic<bool> taken_{false};
};

}  // namespace Messaging
