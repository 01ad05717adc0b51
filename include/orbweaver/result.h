#pragma once

#include <cassert>
#include <memory>
#include <string>
#include <utility>

namespace orbweaver {

/// Kind of an error, by what the caller can do next. For errors of a call, the ORB raises the system
/// exception in parentheses (src/orb/system_exceptions.cpp); other functions document theirs.
enum class ErrorKind {
  disconnected,  ///< The connection has ended: connect again (COMM_FAILURE, 0x4f570028).
  transient,     ///< Temporary: the same call may succeed later (TRANSIENT, 0x4f57001e).
  timed_out,     ///< The deadline has passed (TIMEOUT, 0x4f570032).
  invalid,       ///< The input is invalid, and remains so: correct it (INV_OBJREF, 0x4f57006e).
  /// A resource or feature is missing on this host, or a limit exceeded (IMP_LIMIT, 0x4f570079).
  unavailable,
  /// One end rejects the other: certificate, user or access rule (NO_PERMISSION, 0x4f57008c).
  permission_denied,
};

/// An error: its kind, and one sentence that states what was found and where.
struct Error {
  ErrorKind kind;       ///< What the caller can do next.
  std::string message;  ///< What was found, and where.
};

/// A value or an Error. The error is allocated on the heap, so that a small Result stays two words wide. Not
/// thread-safe.
template <class T>
class [[nodiscard]] Result {
 public:
  /// A value.
  Result(T value) noexcept : value_(std::move(value)) {}
  /// An error.
  Result(Error error) : error_(std::make_unique<Error>(std::move(error))) {}

  /// True if there is a value.
  explicit operator bool() const noexcept { return error_ == nullptr; }
  /// The value, which must exist: an assertion.
  T& operator*() noexcept {
    assert(!error_);
    return value_;
  }
  /// The value, which must exist: an assertion.
  const T& operator*() const noexcept {
    assert(!error_);
    return value_;
  }
  /// The value, which must exist: an assertion.
  T* operator->() noexcept {
    assert(!error_);
    return &value_;
  }
  /// The value, which must exist: an assertion.
  const T* operator->() const noexcept {
    assert(!error_);
    return &value_;
  }
  /// The error, which must exist: an assertion.
  const Error& error() const noexcept {
    assert(error_);
    return *error_;
  }
  /// Moves the error out, for a caller whose Result has another value type. There must be one.
  Error take_error() noexcept {
    assert(error_);
    return std::move(*error_);
  }

 private:
  T value_{};
  std::unique_ptr<Error> error_;
};

/// Success or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  /// Success.
  Result() noexcept = default;
  /// An error.
  Result(Error error) : error_(std::make_unique<Error>(std::move(error))) {}

  /// True on success.
  explicit operator bool() const noexcept { return error_ == nullptr; }
  /// The error, which must exist: an assertion.
  const Error& error() const noexcept {
    assert(error_);
    return *error_;
  }
  /// Moves the error out, for a caller with another Result type. There must be one.
  Error take_error() noexcept {
    assert(error_);
    return std::move(*error_);
  }

 private:
  std::unique_ptr<Error> error_;
};

}  // namespace orbweaver
