#pragma once

#include <orbweaver/peer.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "platform/ip_address.h"

namespace orbweaver::orb {

/// Access rules of a server (-ORBAllow, -ORBDeny; docs/options.md#access-rules), the same for all transports.
/// Evaluated when a peer has connected and, over TLS, has been authenticated. Thread-safe once built.
///
/// - A peer that a rule of -ORBDeny matches is rejected.
/// - Of this host, over any transport, the server's own user and root are admitted, and peers that a rule of
///   -ORBAllow matches. A peer of an unknown user needs a rule that matches its address.
/// - Other peers, and those with a certificate, are admitted if there is no rule of -ORBAllow, or if one
///   matches.
class AccessRules {
 public:
  /// Adds the rules of one option value. Errors: invalid if a rule is malformed; the message has the option's
  /// forms.
  Result<void> allow(const std::string& rules) { return add(rules, allowed_); }
  Result<void> deny(const std::string& rules) { return add(rules, denied_); }
  /// Whether `peer` may call.
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
    std::string pattern;  // see matches_subject
  };
  struct Name {
    std::string pattern;  // subject alternative name, such as "DNS:radio-7.example"
  };
  struct Everyone {};
  using Rule = std::variant<User, Network, Subject, Name, Everyone>;
  using Rules = std::vector<Rule>;

  static Result<void> add(const std::string& text, Rules& rules);
  static Result<Rule> parse(const std::string& text);
  static Result<Rule> parse_network(const std::string& text);
  static bool matches_any(const Rules& rules, const Peer& peer);
  template <class Kind>
  static bool has_rule(const Rules& rules);

  Rules allowed_, denied_;
};

/// Whether `text` matches `pattern`, in which * stands for any characters. The time grows with the length of
/// `text` times that of `pattern`.
bool matches(std::string_view pattern, std::string_view text);

/// Whether `subject`, in the form of RFC 2253, matches `pattern`: attribute by attribute. In an attribute, *
/// stands for any characters of its value, escaped commas included; an attribute that is only * stands for
/// any number of attributes. A value therefore cannot match the attributes that follow it.
bool matches_subject(std::string_view pattern, std::string_view subject);

}  // namespace orbweaver::orb
