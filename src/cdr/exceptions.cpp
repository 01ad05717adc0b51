// The base classes of CORBA exceptions. src/orb maps failures to exceptions.
#include <orbweaver/exception.h>
#include <orbweaver/reference.h>

#include <cstdio>
#include <ostream>

#include "base/printable.h"

namespace CORBA {

void throw_nil_reference() {
  // minor::kNilReference
  throw BAD_INV_ORDER(0x4f570000 + 70, CompletionStatus::COMPLETED_NO,
                      "an operation was called on a nil reference");
}

Exception::~Exception() = default;
UserException::~UserException() = default;
SystemException::~SystemException() = default;

SystemException::SystemException(std::uint32_t minor, CompletionStatus completed, std::string detail)
    : minor_(minor), completed_(completed), detail_(std::move(detail)) {}

const char* SystemException::what() const noexcept {
  static constexpr const char* kCompleted[] = {"yes", "no", "maybe"};
  try {
    if (what_.empty()) {
      char minor[16];
      std::snprintf(minor, sizeof minor, "0x%08x", minor_);
      what_ = _name();
      if (!detail_.empty()) what_ += " (" + orbweaver::printable(detail_) + ")";
      what_ +=
          std::string(", completed: ") + kCompleted[static_cast<int>(completed_) % 3] + ", minor: " + minor;
    }
    return what_.c_str();
  } catch (...) {
    return _name();
  }
}

std::ostream& operator<<(std::ostream& os, const Exception& e) { return os << e.what(); }

}  // namespace CORBA

namespace orbweaver {

UserExceptionWithDetail::~UserExceptionWithDetail() = default;

UserExceptionWithDetail::UserExceptionWithDetail(std::string detail) : detail_(std::move(detail)) {}

const char* UserExceptionWithDetail::what() const noexcept {
  if (detail_.empty()) return UserException::what();
  try {
    if (what_.empty()) what_ = std::string(_name()) + " (" + printable(detail_) + ")";
    return what_.c_str();
  } catch (...) {
    return _name();
  }
}

}  // namespace orbweaver
