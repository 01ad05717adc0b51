// The base classes of CORBA exceptions.
#include <orbweaver/exception.h>

#include <cstring>
#include <ostream>

#include "base/printable.h"

namespace CORBA {

Exception::~Exception() = default;
UserException::~UserException() = default;
SystemException::~SystemException() = default;

SystemException::SystemException(const char* names, std::uint32_t minor, CompletionStatus completed,
                                 std::string&& detail)
    : names_(names), minor_(minor), completed_(completed), detail_(std::move(detail)) {}

SystemException::SystemException(const SystemException& other) noexcept
    : Exception(other), names_(other.names_), minor_(other.minor_), completed_(other.completed_) {
  try {
    detail_ = other.detail_;
  } catch (...) {  // without a message
  }
}

const char* SystemException::_name() const noexcept { return names_; }
const char* SystemException::_rep_id() const noexcept { return names_ + std::strlen(names_) + 1; }

const char* SystemException::what() const noexcept {
  static constexpr char kCompleted[][6] = {"yes", "no", "maybe"};
  try {
    if (what_.empty()) {
      what_ = names_;
      if (!detail_.empty()) what_.append(" (").append(orbweaver::printable(detail_)).append(")");
      what_.append(", completed: ").append(kCompleted[static_cast<unsigned>(completed_) % 3]);
      what_ += ", minor: 0x";
      for (int shift = 28; shift >= 0; shift -= 4) what_ += "0123456789abcdef"[(minor_ >> shift) & 15];
    }
    return what_.c_str();
  } catch (...) {
    return names_;
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
    if (what_.empty()) what_.append(_name()).append(" (").append(detail_).append(")");
    return what_.c_str();
  } catch (...) {
    return _name();
  }
}

}  // namespace orbweaver
