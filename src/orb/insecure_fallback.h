#pragma once

#include <string>

#include "orb/options.h"
#include "orb/reference.h"

namespace orbweaver::orb {

/// While the endpoints of references to one object are tried in turn: which may still be, once one with TLS has failed.
/// None of the same reference that sends in the clear to another host: whoever can disturb TLS would otherwise read what
/// follows. Where the failure is not one of trust, -ORBInsecureFallback permits it, with a warning.
class InsecureFallback {
 public:
  explicit InsecureFallback(const Options& options) noexcept : permitted_(options.insecure_fallback) {}

  /// What follows are the endpoints of another reference: what failed of the one before says nothing about their protection.
  void begin_reference() noexcept { secure_failure_.clear(); }
  /// Is that endpoint to be tried? No: `failures` has why.
  bool permits(const Road& endpoint, std::string& failures) const;
  void note_failure(const Road& endpoint, const Error& error);
  /// That endpoint is taken, for calls to objects of this type.
  void warn(const Road& endpoint, const std::string& type_id) const;

  /// The certificate of one end was not accepted, or neither end accepts the other at any endpoint: NO_PERMISSION.
  bool is_denied() const noexcept { return distrusted_ || (denied_ && !failed_otherwise_); }
  bool is_distrusted() const noexcept { return distrusted_; }

 private:
  const bool permitted_;
  std::string secure_failure_;  // of the reference's first endpoint with TLS that failed; empty: none has
  bool distrusted_ = false;
  bool denied_ = false, failed_otherwise_ = false;
};

}  // namespace orbweaver::orb
