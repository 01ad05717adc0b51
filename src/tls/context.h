#pragma once

#include <map>
#include <mutex>
#include <string>

#include "tls/openssl.h"
#include "tls/settings.h"

namespace orbweaver::tls {

enum class Role : std::uint8_t { client, server };

/// Creates an OpenSSL context with keys, certificates and rules. Reads files: takes milliseconds.
/// Errors: invalid, with the option, the file and what to do; no part of a key is in the text.
Result<ContextPtr> make_context(const Settings& settings, Role role);

/// Cache of contexts by settings and file state, so that connections share one until a file changes: a
/// renewed certificate is used from the next connection on. Thread-safe.
class Contexts {
 public:
  Result<ContextPtr> get(const Settings& settings, Role role);

 private:
  static constexpr std::size_t kMaxContexts = 16;  // a program uses one or two

  std::mutex mutex_;
  std::map<std::string, ContextPtr> contexts_;
};

}  // namespace orbweaver::tls
