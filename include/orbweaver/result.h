#pragma once

#include <cassert>
#include <memory>
#include <string>
#include <utility>

namespace orbweaver {

/// What the caller can do about a failure. The ORB turns it into a CORBA system exception at the edge.
enum class Remedy {
  reconnect,  ///< The connection is of no further use; a new one may work (COMM_FAILURE, TRANSIENT).
  retry,      ///< Nothing is broken; the same call may work later (TRANSIENT).
  wait,       ///< The deadline passed (TIMEOUT).
  mend,       ///< The input is wrong and stays wrong: correct it (BAD_PARAM, MARSHAL, INV_OBJREF).
  give_up,    ///< Not to be had here: resource or feature (NO_RESOURCES).
  permission_denied,  ///< One end does not accept the other: a certificate, a user, an access rule (NO_PERMISSION).
};

/// A failure: what to do about it, and one sentence that says what was found and where.
struct Error {
  Remedy remedy;
  std::string message;
};

/// A value or an Error. The error lives on the heap, so that the good path stays two words wide.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) noexcept : value_(std::move(value)) {}
  Result(Error error) : error_(std::make_unique<Error>(std::move(error))) {}

  explicit operator bool() const noexcept { return error_ == nullptr; }
  T& operator*() noexcept { assert(!error_); return value_; }
  const T& operator*() const noexcept { assert(!error_); return value_; }
  T* operator->() noexcept { assert(!error_); return &value_; }
  const T* operator->() const noexcept { assert(!error_); return &value_; }
  const Error& error() const noexcept { assert(error_); return *error_; }
  /// Hands the error on to a caller whose Result has another value type.
  Error take_error() noexcept { assert(error_); return std::move(*error_); }

 private:
  T value_{};
  std::unique_ptr<Error> error_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() noexcept = default;
  Result(Error error) : error_(std::make_unique<Error>(std::move(error))) {}

  explicit operator bool() const noexcept { return error_ == nullptr; }
  const Error& error() const noexcept { assert(error_); return *error_; }
  Error take_error() noexcept { assert(error_); return std::move(*error_); }

 private:
  std::unique_ptr<Error> error_;
};

}  // namespace orbweaver
