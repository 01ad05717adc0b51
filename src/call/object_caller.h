#pragma once

#include <orbweaver/orb.h>
#include <orbweaver/result.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace orbweaver::call {

/// The object of a command, and how it is called.
struct TargetOptions {
  std::string reference;         ///< As for ORB::string_to_object.
  std::uint32_t timeout_ms = 0;  ///< Of each call; 0: none.
  std::vector<std::string> orb;  ///< Further ORB options: "TransportPreference=tcp".
};

/// The further ORB options as words for ORB_init: "-ORBTransportPreference", "tcp". Fails with
/// ErrorKind::invalid for one that is not of the form OPTION=VALUE.
Result<std::vector<std::string>> orb_words(const TargetOptions& options);

/// The ORB and the object of a command; the destructor destroys the ORB. One thread.
class ObjectCaller {
 public:
  /// Fails with ErrorKind::invalid for an option or a reference, with the others if a naming service is asked
  /// without success.
  static Result<std::unique_ptr<ObjectCaller>> make(const TargetOptions& options);
  ~ObjectCaller();
  ObjectCaller(const ObjectCaller&) = delete;
  ObjectCaller& operator=(const ObjectCaller&) = delete;

  const IDL::traits<CORBA::ORB>::ref_type& orb() const { return orb_; }
  const IDL::traits<CORBA::Object>::ref_type& object() const { return object_; }

 private:
  ObjectCaller() = default;

  IDL::traits<CORBA::ORB>::ref_type orb_;
  IDL::traits<CORBA::Object>::ref_type object_;
};

/// Exit statuses of commands that call an object, beside 0 and 2 (tools/subcommand.h).
inline constexpr int kExitNotCalled = 1;      ///< It cannot be called, or raised a system exception.
inline constexpr int kExitUserException = 3;  ///< The operation raised a user exception.
inline constexpr int kExitTimedOut = 4;       ///< There was no reply within the time limit.

/// The exit status for a system exception.
int exit_status(const CORBA::SystemException& e);

/// Latencies in nanoseconds as text, "min 1.2 µs, mean 1.4 µs, …".
std::string latency_text(std::vector<std::int64_t> latencies_ns);
/// A time in microseconds: "12.3 µs".
std::string microseconds(std::int64_t ns);

}  // namespace orbweaver::call
