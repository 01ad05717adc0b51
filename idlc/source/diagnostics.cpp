#include "idlc/source/diagnostics.h"

#include <algorithm>

namespace orbweaver::idl {

const std::vector<std::string_view>& warning_names() {
  static const std::vector<std::string_view> names = {
      "annotation-no-effect", "empty-connector",  "forward-only", "hash-warning",
      "macro-redefined",      "pragma-semicolon", "scope-name",   "typeprefix-semicolon",
      "unknown-annotation",   "unknown-pragma",
  };
  return names;
}

Diagnostic& Diagnostics::error(std::string_view name, Span where, std::string message) {
  return add({Severity::error, name, where, std::move(message), {}, {}});
}

Diagnostic& Diagnostics::warning(std::string_view name, Span where, std::string message) {
  bool as_error = policy_.all_as_error || policy_.as_error.contains(name);
  if (!as_error && policy_.all_off) return suppressed_ = {};
  if (policy_.off.contains(name)) return suppressed_ = {};
  return add({as_error ? Severity::error : Severity::warning, name, where, std::move(message), {}, {}});
}

void Diagnostics::note_since(std::size_t first, Span where, const std::string& message) {
  for (; first < all_.size(); ++first) all_[first].note(where, message);
}

Diagnostic& Diagnostics::add(Diagnostic diagnostic) {
  const bool full = errors_ >= kMaxErrors || all_.size() >= 2 * kMaxErrors;
  if (full) {
    errors_ += diagnostic.severity == Severity::error ? 1 : 0;
    return suppressed_ = {};
  }
  // A file that is included twice, or two rules that apply to one token, would repeat the same message.
  bool repeated = std::any_of(all_.begin(), all_.end(), [&](const Diagnostic& earlier) {
    return earlier.where == diagnostic.where && earlier.message == diagnostic.message &&
           diagnostic.where.known();
  });
  if (repeated) return suppressed_ = {};
  if (diagnostic.severity == Severity::error) ++errors_;
  return all_.emplace_back(std::move(diagnostic));
}

}  // namespace orbweaver::idl
