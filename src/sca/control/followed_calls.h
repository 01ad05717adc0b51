#pragma once

#include <orbweaver/exception.h>
#include <orbweaver/result.h>

#include <string>

namespace orbweaver::sca {

/// Milliseconds between two calls of a command that follows a domain.
inline constexpr int kFollowIntervalMs = 100;

/// Calls of a command that follows something of a domain. A domain that is busy may miss a time limit, or
/// refuse a connection: five failed calls in succession end the command.
class FollowedCalls {
 public:
  /// `what`: the object that is called, for messages: "the log 'Log' of the domain 'lab'".
  explicit FollowedCalls(std::string what) : what_(std::move(what)) {}

  /// Calls `call()`; false if it has failed. Throws Error: unavailable after the fifth failure, or if the
  /// object does not exist any more.
  template <class Call>
  bool succeeds(Call call) {
    try {
      call();
      failed_ = 0;
      return true;
    } catch (const CORBA::OBJECT_NOT_EXIST&) {
      throw Error{ErrorKind::unavailable, what_ + " does not exist any more; has the domain ended?"};
    } catch (const CORBA::SystemException& e) {
      if (++failed_ < kMostFailures) return false;
      throw Error{ErrorKind::unavailable,
                  what_ + " does not answer any more (" + e._name() + "); has the domain ended?"};
    }
  }

 private:
  static constexpr int kMostFailures = 5;

  const std::string what_;
  int failed_ = 0;
};

}  // namespace orbweaver::sca
