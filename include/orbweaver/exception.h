#pragma once

#include <cstdint>
#include <exception>
#include <iosfwd>
#include <string>

#include <orbweaver/cdr/encoder.h>

namespace CORBA {

/// Whether the servant had done its work when a system exception was raised (CORBA 3.3 part 1, 8.5.3).
enum class CompletionStatus : std::uint32_t { COMPLETED_YES, COMPLETED_NO, COMPLETED_MAYBE };

/// What every CORBA exception is; itself a std::exception, so that `what()` tells the whole story.
class Exception : public std::exception {
 public:
  ~Exception() override;
  /// "Test::Oops"
  virtual const char* _name() const noexcept = 0;
  /// "IDL:Test/Oops:1.0"
  virtual const char* _rep_id() const noexcept = 0;
  [[noreturn]] virtual void _raise() const = 0;
};

/// Base of the exceptions that IDL declares. Generated classes fill in the rest.
class UserException : public Exception {
 public:
  ~UserException() override;
  const char* what() const noexcept override { return _rep_id(); }
  /// For the ORB: the members in CDR, without the repository id.
  virtual std::size_t _bound() const = 0;
  virtual void _encode(orbweaver::cdr::Encoder& out) const = 0;
};

/// Base of the exceptions that the ORB raises. `what()` reads
/// "CORBA::TRANSIENT (no road to the object: connection refused by 127.0.0.1:4711), completed: no, minor: 0x4f574002".
class SystemException : public Exception {
 public:
  ~SystemException() override;
  std::uint32_t minor() const noexcept { return minor_; }
  void minor(std::uint32_t m) noexcept { minor_ = m; }
  CompletionStatus completed() const noexcept { return completed_; }
  void completed(CompletionStatus c) noexcept { completed_ = c; }
  /// One sentence for a person: what was found and what to do. May be empty (a foreign ORB's exception).
  const std::string& detail() const noexcept { return detail_; }
  const char* what() const noexcept override;

 protected:
  SystemException(std::uint32_t minor, CompletionStatus completed, std::string detail);

 private:
  std::uint32_t minor_;
  CompletionStatus completed_;
  std::string detail_;
  mutable std::string what_;
};

/// Every standard system exception (CORBA 3.3 part 1, 8.5.3.1), once.
#define ORBWEAVER_SYSTEM_EXCEPTIONS(X)                                                                        \
  X(UNKNOWN) X(BAD_PARAM) X(NO_MEMORY) X(IMP_LIMIT) X(COMM_FAILURE) X(INV_OBJREF) X(NO_PERMISSION)            \
  X(INTERNAL) X(MARSHAL) X(INITIALIZE) X(NO_IMPLEMENT) X(BAD_TYPECODE) X(BAD_OPERATION) X(NO_RESOURCES)       \
  X(NO_RESPONSE) X(PERSIST_STORE) X(BAD_INV_ORDER) X(TRANSIENT) X(FREE_MEM) X(INV_IDENT) X(INV_FLAG)          \
  X(INTF_REPOS) X(BAD_CONTEXT) X(OBJ_ADAPTER) X(DATA_CONVERSION) X(OBJECT_NOT_EXIST) X(TRANSACTION_REQUIRED)  \
  X(TRANSACTION_ROLLEDBACK) X(INVALID_TRANSACTION) X(INV_POLICY) X(CODESET_INCOMPATIBLE) X(REBIND) X(TIMEOUT) \
  X(TRANSACTION_UNAVAILABLE) X(TRANSACTION_MODE) X(BAD_QOS) X(INVALID_ACTIVITY) X(ACTIVITY_COMPLETED)         \
  X(ACTIVITY_REQUIRED) X(THREAD_CANCELLED)

#define ORBWEAVER_DECLARE_SYSTEM_EXCEPTION(NAME)                                                    \
  class NAME final : public SystemException {                                                       \
   public:                                                                                          \
    explicit NAME(std::uint32_t minor = 0,                                                          \
                  CompletionStatus completed = CompletionStatus::COMPLETED_NO, std::string detail = {}) \
        : SystemException(minor, completed, std::move(detail)) {}                                   \
    const char* _name() const noexcept override { return "CORBA::" #NAME; }                         \
    const char* _rep_id() const noexcept override { return "IDL:omg.org/CORBA/" #NAME ":1.0"; }      \
    [[noreturn]] void _raise() const override { throw *this; }                                      \
  };
ORBWEAVER_SYSTEM_EXCEPTIONS(ORBWEAVER_DECLARE_SYSTEM_EXCEPTION)
#undef ORBWEAVER_DECLARE_SYSTEM_EXCEPTION

std::ostream& operator<<(std::ostream& os, const Exception& e);

}  // namespace CORBA
