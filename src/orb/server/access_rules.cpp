#include "orb/server/access_rules.h"

#include <algorithm>
#include <charconv>

#include "base/peer_address.h"
#include "platform/process_identity.h"

namespace orbweaver::orb {
namespace {

constexpr const char* kForms =
    "rules are user:NAME, user:UID, net:ADDRESS/BITS, subject:PATTERN, name:PATTERN and all";

bool is_within(const platform::IpAddress& address, const platform::IpAddress& network, unsigned bits) {
  for (unsigned i = 0; i < bits / 8; ++i) {
    if (address.bytes[i] != network.bytes[i]) return false;
  }
  const unsigned rest = bits % 8;
  return rest == 0 || ((address.bytes[bits / 8] ^ network.bytes[bits / 8]) >> (8 - rest)) == 0;
}

bool parse_number(std::string_view text, unsigned max, unsigned& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value <= max;
}

/// Whether `items` match `pattern`, in which an element for which `is_wildcard` holds stands for any number
/// of items, and any other for one item that `match` accepts. Time is at most the product of the lengths.
template <class Sequence, class IsWildcard, class Match>
bool matches_sequence(const Sequence& pattern, const Sequence& items, IsWildcard&& is_wildcard,
                      Match&& match) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t p = 0, i = 0;
  std::size_t wildcard = kNone, resume = 0;
  while (i < items.size()) {
    if (p < pattern.size() && is_wildcard(pattern[p])) {
      wildcard = p++;
      resume = i;
    } else if (p < pattern.size() && match(pattern[p], items[i])) {
      ++p, ++i;
    } else if (wildcard != kNone) {
      p = wildcard + 1;
      i = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && is_wildcard(pattern[p])) ++p;
  return p == pattern.size();
}

/// The attributes of a subject in the form of RFC 2253, each but the first with the ',' or '+' before it. An
/// escaped separator is part of a value.
std::vector<std::string_view> attributes(std::string_view subject) {
  std::vector<std::string_view> all;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < subject.size(); ++at) {
    if (subject[at] == '\\') {
      ++at;
    } else if (at != begin && (subject[at] == ',' || subject[at] == '+')) {
      all.push_back(subject.substr(begin, at - begin));
      begin = at;
    }
  }
  all.push_back(subject.substr(begin));
  return all;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view text) {
  return matches_sequence(
      pattern, text, [](char c) { return c == '*'; }, [](char a, char b) { return a == b; });
}

bool matches_subject(std::string_view pattern, std::string_view subject) {
  const auto is_wildcard = [](std::string_view attribute) {
    return attribute == "*" || attribute == ",*" || attribute == "+*";
  };
  return matches_sequence(attributes(pattern), attributes(subject), is_wildcard, matches);
}

Result<AccessRules::Rule> AccessRules::parse_network(const std::string& text) {
  const auto bad = [&](const std::string& why) {
    return Error{ErrorKind::invalid,
                 "'net:" + text + "' " + why + ": write net:10.0.0.0/8, net:fd00::/8 or net:127.0.0.1"};
  };
  const std::size_t slash = text.find('/');
  const auto address = platform::parse_ip_address(text.substr(0, slash));
  if (!address) return bad("has no IP address");
  const unsigned first_bits = address->is_v4() ? platform::kIpV4PrefixBits : 0;
  const unsigned all_bits = platform::kIpAddressBits - first_bits;
  unsigned bits = all_bits;
  if (slash != std::string::npos && !parse_number(std::string_view(text).substr(slash + 1), all_bits, bits)) {
    return bad("has no prefix length from 0 to " + std::to_string(all_bits));
  }
  const Network network{*address, bits + first_bits};
  platform::IpAddress beyond = network.address;  // the bits after the prefix
  for (unsigned bit = 0; bit < network.prefix_bits; ++bit)
    beyond.bytes[bit / 8] &= static_cast<std::uint8_t>(~(0x80U >> bit % 8));
  if (beyond.bytes != platform::IpAddress{}.bytes) return bad("has bits set behind its prefix");
  return Rule(network);
}

Result<AccessRules::Rule> AccessRules::parse(const std::string& text) {
  if (text == "all") return Rule(Everyone{});
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  const std::string value = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (value.empty()) return Error{ErrorKind::invalid, "'" + text + "' is not a rule: " + kForms};
  if (kind == "subject") return Rule(Subject{value});
  if (kind == "name") return Rule(Name{value});
  if (kind == "net") return parse_network(value);
  if (kind == "user") {
    unsigned uid = 0;
    if (parse_number(value, 0xfffffffeU, uid)) return Rule(User{uid});
    const std::int64_t found = platform::user_id_of(value);
    if (found < 0) return Error{ErrorKind::invalid, "there is no user '" + value + "' on this host"};
    return Rule(User{found});
  }
  return Error{ErrorKind::invalid, "'" + text + "' is not a rule: " + kForms};
}

Result<void> AccessRules::add(const std::string& text, Rules& rules) {
  if (text.empty()) return Error{ErrorKind::invalid, std::string("has no rule: ") + kForms};
  for (std::size_t begin = 0; begin <= text.size();) {
    // A subject may contain commas: the rest of the text belongs to it.
    const bool rest = text.compare(begin, 8, "subject:") == 0;
    const std::size_t end = rest ? text.size() : std::min(text.find(',', begin), text.size());
    auto rule = parse(text.substr(begin, end - begin));
    if (!rule) return rule.take_error();
    rules.push_back(std::move(*rule));
    begin = end + 1;
  }
  return {};
}

bool AccessRules::matches_any(const Rules& rules, const Peer& peer) {
  struct Matches {
    const Peer& peer;
    bool operator()(const User& user) const { return peer.uid == user.uid; }
    bool operator()(const Network& network) const {
      const auto address = ip_address_of(peer);
      return address && is_within(*address, network.address, network.prefix_bits);
    }
    bool operator()(const Subject& subject) const {
      return !peer.subject.empty() && matches_subject(subject.pattern, peer.subject);
    }
    bool operator()(const Name& name) const {
      return std::any_of(peer.names.begin(), peer.names.end(),
                         [&](const std::string& each) { return matches(name.pattern, each); });
    }
    bool operator()(const Everyone&) const { return true; }
  };
  return std::any_of(rules.begin(), rules.end(),
                     [&](const Rule& rule) { return std::visit(Matches{peer}, rule); });
}

template <class Kind>
bool AccessRules::has_rule(const Rules& rules) {
  return std::any_of(rules.begin(), rules.end(),
                     [](const Rule& rule) { return std::holds_alternative<Kind>(rule); });
}

bool AccessRules::admits(const Peer& peer) const {
  if (matches_any(denied_, peer)) return false;
  const bool is_here = is_on_this_host(peer);
  // A rule of -ORBDeny may be meant for a peer whose network or user is unknown.
  if (!is_here && !ip_address_of(peer) && has_rule<Network>(denied_)) return false;
  if (is_here && peer.uid < 0 && has_rule<User>(denied_)) return false;
  const bool has_certificate = !peer.subject.empty() || !peer.names.empty();
  const bool by_user = is_here && !has_certificate;
  if (by_user && peer.uid >= 0 && (peer.uid == platform::user_id() || peer.uid == 0)) return true;
  if (allowed_.empty()) return !by_user;
  return matches_any(allowed_, peer);
}

}  // namespace orbweaver::orb
