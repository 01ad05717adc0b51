#pragma once

#include <map>
#include <mutex>
#include <string>

#include "tls/openssl.h"
#include "tls/settings.h"

namespace orbweaver::tls {

enum class Role : std::uint8_t { client, server };

/// Keys, certificates and rules, ready for connections. Fails with Remedy::mend and a sentence that names the
/// option, the file and what to do; never with anything of a key. Reads files: milliseconds.
Result<ContextPtr> make_context(const Settings& settings, Role role);

/// Contexts by what they were made from, so that connections share one until a file changes: a renewed certificate
/// serves from the next connection on. Thread-safe.
class Contexts {
 public:
  Result<ContextPtr> get(const Settings& settings, Role role);

 private:
  static constexpr std::size_t kMost = 16;  // a program has one or two

  std::mutex mutex_;
  std::map<std::string, ContextPtr> made_;
};

}  // namespace orbweaver::tls
