#pragma once

// Exceptions of the micro library, in place of include/orbweaver/exception.h: the same interface, of which
// the classes of system exceptions override nothing, because each override takes space in forty classes.

#include <cstdint>
#include <exception>
#include <iosfwd>
#include <string>
#include <utility>

#include <orbweaver/detail/cdr/encoder.h>

namespace CORBA {

/// Whether the operation had completed when a system exception was raised (CORBA 3.3 part 1, 8.5.3).
enum class CompletionStatus : std::uint32_t { COMPLETED_YES, COMPLETED_NO, COMPLETED_MAYBE };

/// Base of all CORBA exceptions: a std::exception whose `what()` is a complete message.
/// May be copied; one object is not thread-safe.
class Exception : public std::exception {
 public:
  ~Exception() override;
  /// Qualified IDL name: "Test::Oops". Valid as long as the program.
  virtual const char* _name() const noexcept = 0;
  /// Repository id: "IDL:Test/Oops:1.0". Valid as long as the program.
  virtual const char* _rep_id() const noexcept = 0;
  /// Throws a copy of this exception as its most derived type.
  [[noreturn]] virtual void _raise() const = 0;
};

/// Base of the exceptions that IDL declares. Generated classes implement the rest.
class UserException : public Exception {
 public:
  ~UserException() override;
  /// The repository id. Valid as long as the program.
  const char* what() const noexcept override { return _rep_id(); }
  /// For the ORB: an upper bound of the size in bytes of the members in CDR.
  virtual std::size_t _bound() const = 0;
  /// For the ORB: encodes the members, without the repository id.
  virtual void _encode(orbweaver::cdr::Encoder& out) const = 0;
};

}  // namespace CORBA

namespace orbweaver {

/// Base of the user exceptions of the ORB's own interfaces, which the ORB raises with a message. `what()`
/// reads "CORBA::ORB::InvalidName (Clock: no initial reference of that name; …)"; without a message, it is
/// the repository id.
class UserExceptionWithDetail : public CORBA::UserException {
 public:
  ~UserExceptionWithDetail() override;
  /// Message: what was found, and what to do. Not transferred to clients. May be empty.
  const std::string& detail() const noexcept { return detail_; }
  /// Name and detail. Valid as long as this exception.
  const char* what() const noexcept override;

 protected:
  /// `detail` becomes part of `what()`.
  explicit UserExceptionWithDetail(std::string detail);

 private:
  std::string detail_;
  mutable std::string what_;
};

}  // namespace orbweaver

namespace CORBA {

/// Base of the system exceptions (CORBA 3.3 part 1, 8.5.3.1), raised by the ORB. `what()` reads
/// "CORBA::TRANSIENT (cannot connect to 127.0.0.1:4711: Connection refused), completed: no, minor:
/// 0x4f57001e".
class SystemException : public Exception {
 public:
  /// Copies all but the message if there is no memory for it.
  SystemException(const SystemException& other) noexcept;
  SystemException& operator=(const SystemException&) = default;
  ~SystemException() override;
  const char* _name() const noexcept override;
  const char* _rep_id() const noexcept override;
  [[noreturn]] void _raise() const override;
  /// Minor code; docs/minor-codes.md lists those of this ORB, from 0x4f570000, and of the OMG, from
  /// 0x4f4d0000.
  std::uint32_t minor() const noexcept { return minor_; }
  /// Sets the minor code.
  void minor(std::uint32_t m) noexcept { minor_ = m; }
  /// Whether the operation had completed.
  CompletionStatus completed() const noexcept { return completed_; }
  /// Sets whether the operation had completed.
  void completed(CompletionStatus c) noexcept { completed_ = c; }
  /// Message: what was found, and what to do. May be empty, as in exceptions of other ORBs.
  const std::string& detail() const noexcept { return detail_; }
  /// Name, detail, completion status and minor code. Valid as long as this exception.
  const char* what() const noexcept override;

 protected:
  /// `names`: the name, NUL, and the repository id; valid as long as the program. `detail` becomes part of
  /// `what()`.
  SystemException(const char* names, std::uint32_t minor, CompletionStatus completed, std::string&& detail);

 private:
  const char* names_;
  std::uint32_t minor_;
  CompletionStatus completed_;
  std::string detail_;
  mutable std::string what_;
};

// clang-format off
/// Applies X to the name of every standard system exception (CORBA 3.3 part 1, 8.5.3.1).
#define ORBWEAVER_SYSTEM_EXCEPTIONS(X)                                                                  \
  X(UNKNOWN) X(BAD_PARAM) X(NO_MEMORY) X(IMP_LIMIT) X(COMM_FAILURE) X(INV_OBJREF) X(NO_PERMISSION)      \
  X(INTERNAL) X(MARSHAL) X(INITIALIZE) X(NO_IMPLEMENT) X(BAD_TYPECODE) X(BAD_OPERATION) X(NO_RESOURCES) \
  X(NO_RESPONSE) X(PERSIST_STORE) X(BAD_INV_ORDER) X(TRANSIENT) X(FREE_MEM) X(INV_IDENT) X(INV_FLAG)    \
  X(INTF_REPOS) X(BAD_CONTEXT) X(OBJ_ADAPTER) X(DATA_CONVERSION) X(OBJECT_NOT_EXIST)                    \
  X(TRANSACTION_REQUIRED) X(TRANSACTION_ROLLEDBACK) X(INVALID_TRANSACTION) X(INV_POLICY)                \
  X(CODESET_INCOMPATIBLE) X(REBIND) X(TIMEOUT) X(TRANSACTION_UNAVAILABLE) X(TRANSACTION_MODE)           \
  X(BAD_QOS) X(INVALID_ACTIVITY) X(ACTIVITY_COMPLETED) X(ACTIVITY_REQUIRED) X(THREAD_CANCELLED)
// clang-format on

#define ORBWEAVER_DECLARE_SYSTEM_EXCEPTION(NAME)                                                           \
  /** The standard system exception NAME. When this ORB raises it, and what to do: docs/minor-codes.md. */ \
  class NAME final : public SystemException {                                                              \
   public:                                                                                                 \
    /** `minor`: minor code; `detail`: message. */                                                         \
    explicit NAME(std::uint32_t minor = 0, CompletionStatus completed = CompletionStatus::COMPLETED_NO,    \
                  std::string detail = {})                                                                 \
        : SystemException(kNames, minor, completed, std::move(detail)) {}                                  \
    /** @cond internal */                                                                                  \
    /** For the ORB: a copy of an exception as this type. */                                               \
    explicit NAME(const SystemException& other) noexcept : SystemException(other) {}                       \
    static constexpr char kNames[] = "CORBA::" #NAME "\0IDL:omg.org/CORBA/" #NAME ":1.0";                  \
    /** @endcond */                                                                                        \
  };
ORBWEAVER_SYSTEM_EXCEPTIONS(ORBWEAVER_DECLARE_SYSTEM_EXCEPTION)
#undef ORBWEAVER_DECLARE_SYSTEM_EXCEPTION

/// Prints `what()`.
std::ostream& operator<<(std::ostream& os, const Exception& e);

}  // namespace CORBA
