#pragma once

#include <string>

#include "orb/options.h"
#include "orb/reference/reference.h"

namespace orbweaver::orb {

/// Decides whether an unprotected endpoint may be tried after a TLS endpoint of the same reference has
/// failed. By default it may not: an attacker that disturbs TLS could otherwise read the calls.
/// -ORBInsecureFallback permits it, with a warning, unless a certificate was rejected.
class InsecureFallback {
 public:
  explicit InsecureFallback(const Options& options) noexcept : permitted_(options.insecure_fallback) {}

  /// Begins the endpoints of another reference, to which earlier failures do not apply.
  void begin_reference() noexcept { secure_failure_.clear(); }
  /// Whether `endpoint` may be tried; if not, the reason is appended to `failures`.
  bool permits(const Endpoint& endpoint, std::string& failures) const;
  /// Records a failed endpoint.
  void note_failure(const Endpoint& endpoint, const Error& error);
  /// Logs a warning if the selected endpoint is an unprotected fallback, for calls to objects of `type_id`.
  void warn(const Endpoint& endpoint, const std::string& type_id) const;

  /// Whether a certificate was rejected, or all failures were rejections by either end: NO_PERMISSION.
  bool is_denied() const noexcept { return distrusted_ || (denied_ && !failed_otherwise_); }
  /// Whether a certificate was rejected.
  bool is_distrusted() const noexcept { return distrusted_; }

 private:
  const bool permitted_;
  std::string secure_failure_;  // of the first failed TLS endpoint of the reference; empty: none
  bool distrusted_ = false;
  bool denied_ = false, failed_otherwise_ = false;
};

}  // namespace orbweaver::orb
