#pragma once

#include <mutex>
#include <string>

#include "sca/cf222/applications.h"

namespace orbweaver::sca {

/// Excludes other functions of an application.
class Applications::Exclusive {
 public:
  Exclusive(Applications& applications, const std::string& id) : applications_(applications), id_(id) {
    const std::lock_guard lock(applications_.mutex_);
    owns_ = applications_.busy_.insert(id_).second;
  }
  ~Exclusive() {
    const std::lock_guard lock(applications_.mutex_);
    if (owns_) applications_.busy_.erase(id_);
  }
  Exclusive(const Exclusive&) = delete;
  Exclusive& operator=(const Exclusive&) = delete;

  /// False if another function is in progress.
  explicit operator bool() const { return owns_; }
  static constexpr const char* kBusy = "another operation of the application is in progress";

 private:
  Applications& applications_;
  const std::string id_;
  bool owns_ = false;
};

}  // namespace orbweaver::sca
