#pragma once

#include <orbweaver/peer.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "platform/ip_address.h"

namespace orbweaver::orb {

/// Who may call: what -ORBAllow and -ORBDeny say (docs/options.md#access-rules). One rule of all transports, asked when a
/// peer has connected and, over TLS, has proven who it is.
///
/// - A peer that a rule of -ORBDeny names is turned away.
/// - Over local transports the server's own user and root are admitted, and the users that -ORBAllow names.
/// - Others are admitted where no rule of -ORBAllow is given, or where one names them.
class AccessRules {
 public:
  /// Adds the rules of one option's value. Remedy::mend, and a sentence, where they are none.
  Result<void> allow(const std::string& rules) { return add(rules, allowed_); }
  Result<void> deny(const std::string& rules) { return add(rules, denied_); }
  bool admits(const Peer& peer) const;

 private:
  struct User {
    std::int64_t uid;
  };
  struct Network {
    platform::IpAddress address;
    unsigned prefix_bits;
  };
  struct Subject {
    std::string pattern;
  };
  struct Name {
    std::string pattern;  // of an alternative name, "DNS:radio-7.example"
  };
  struct Everybody {};
  using Rule = std::variant<User, Network, Subject, Name, Everybody>;
  using Rules = std::vector<Rule>;

  static Result<void> add(const std::string& text, Rules& rules);
  static Result<Rule> parse(const std::string& text);
  static Result<Rule> parse_network(const std::string& text);
  static bool names(const Rules& rules, const Peer& peer);

  Rules allowed_, denied_;
};

/// Does `text` match the pattern, in which each * stands for any characters? Linear in each pattern's stars.
bool matches(std::string_view pattern, std::string_view text);

}  // namespace orbweaver::orb
