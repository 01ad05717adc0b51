#include "ior_changes.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "base/hex.h"
#include "base/limits.h"
#include "giop/codesets.h"
#include "giop/object_url.h"
#include "giop/tagged_components.h"

namespace orbweaver::tools {
namespace {

namespace tag = giop::component_tag;
using giop::IiopProfile;
using giop::TaggedData;

/// The version of the profiles of which components are a part.
constexpr giop::Version kFirstWithComponents = giop::kGiop11;

Error invalid(const std::string& what) { return {ErrorKind::invalid, what}; }

/// Parses a decimal number, or a hexadecimal one with 0x.
template <class Number>
bool parse_number(std::string_view text, Number& number) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, hex ? 16 : 10);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

Result<giop::Version> parse_version(const std::string& text) {
  for (const giop::Version version : {giop::kGiop10, giop::kGiop11, giop::kGiop12})
    if (text == std::to_string(version.major) + "." + std::to_string(version.minor)) return version;
  return invalid("--iiop takes 1.0, 1.1 or 1.2, not '" + text + "'");
}

Result<std::vector<std::uint8_t>> parse_key(const std::string& text) {
  auto url = giop::parse_object_url("corbaloc::host/" + text);
  if (url) return std::move(url->object_key);
  return invalid("--key '" + text +
                 "' is not an object key: write it as in a corbaloc URL, with %XX for characters other than "
                 "printable ASCII, and for # and %");
}

Result<giop::IiopAddress> parse_address(const std::string& option, const std::string& text) {
  const auto url = giop::parse_object_url("corbaloc::1.2@" + text + "/key");
  const bool is_one = url && url->addresses.size() == 1 && Bytes(url->object_key).size() == 3;
  if (is_one) return giop::IiopAddress{url->addresses[0].host, url->addresses[0].port};
  return invalid(option + " '" + text + "' is not an address: HOST, HOST:PORT or [IPV6]:PORT");
}

Result<std::vector<std::uint8_t>> parse_hex(std::string_view text) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t at = 0; at + 1 < text.size(); at += 2) {
    const int high = hex_value(text[at]), low = hex_value(text[at + 1]);
    if (high < 0 || low < 0) break;
    bytes.push_back(static_cast<std::uint8_t>(high << 4 | low));
  }
  if (2 * bytes.size() == text.size()) return bytes;
  return invalid("'" + std::string(text) + "' is not a sequence of octets, two hexadecimal digits each");
}

/// The tag of a component that a name or number denotes.
Result<std::uint32_t> parse_tag(const std::string& option, const std::string& text) {
  if (text == "alternate-address") return tag::kAlternateIiopAddress;
  if (text == "ssl") return tag::kSslSecTrans;
  if (text == "orb-type") return tag::kOrbType;
  if (text == "code-sets") return tag::kCodeSets;
  std::uint32_t number = 0;
  if (parse_number(text, number)) return number;
  return invalid(
      option + " '" + text +
      "' is not a component: alternate-address, ssl, orb-type, code-sets, or a number, such as 3 or "
      "0x4f574252");
}

/// A secure port that protects messages, and is the only one if the profile has no other.
std::vector<std::uint8_t> ssl_component(std::uint16_t port, bool alone) {
  using namespace giop::association;
  giop::SslAddress address{
      kIntegrity | kConfidentiality | kDetectReplay | kDetectMisordering | kEstablishTrustInTarget, 0, port};
  if (alone) {
    address.target_requires = kIntegrity | kConfidentiality;
  } else {
    address.target_supports |= kNoProtection;
  }
  return giop::encode_ssl_address(address);
}

/// Parses one of kComponentForms, for a profile with the port `profile_port`.
Result<TaggedData> parse_component(const std::string& option, const std::string& text,
                                   std::uint16_t profile_port) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const bool has_value = equals != text.size();
  const std::string value = has_value ? text.substr(equals + 1) : "";
  auto number = parse_tag(option, text.substr(0, equals));
  if (!number) return number.take_error();
  const auto bad = [&](const std::string& why) { return invalid(option + " '" + text + "': " + why); };
  if (text == "code-sets") return TaggedData{*number, giop::encode_code_sets(giop::own_code_sets())};
  if (!has_value) return bad(std::string("has no value; components are ") + kComponentForms);
  if (text.starts_with("alternate-address=")) {
    auto address = parse_address(option, value);
    if (!address) return address.take_error();
    return TaggedData{*number, giop::encode_alternate_address(*address)};
  }
  if (text.starts_with("ssl=")) {
    std::uint16_t port = 0;
    if (!parse_number(value, port) || port == 0) return bad("ssl takes a port, 1 to 65535");
    return TaggedData{*number, ssl_component(port, profile_port == 0)};
  }
  if (text.starts_with("orb-type=")) {
    std::uint32_t type = 0;
    if (!parse_number(value, type)) return bad("orb-type takes a number");
    return TaggedData{*number, giop::encode_orb_type(type)};
  }
  auto data = parse_hex(value);
  if (!data) return bad(data.error().message);
  return TaggedData{*number, std::move(*data)};
}

/// Adds components to a profile.
Result<void> add_components(const std::string& option, const std::vector<std::string>& texts,
                            IiopProfile& profile) {
  for (const std::string& text : texts) {
    auto component = parse_component(option, text, profile.port);
    if (!component) return component.take_error();
    profile.components.push_back(std::move(*component));
  }
  return {};
}

Result<void> check_components(const IiopProfile& profile) {
  if (profile.components.empty() || profile.version >= kFirstWithComponents) return {};
  return invalid("a profile of IIOP 1.0 has no components: give --iiop 1.2, or no components");
}

/// Readers reject longer references.
Result<giop::Ior> within_limit(giop::Ior ior) {
  if (giop::stringify(ior).size() <= 4 + 2 * limits::kMaxIorBytes) return ior;
  return invalid("the reference would have more than " + std::to_string(limits::kMaxIorBytes) + " bytes");
}

Result<void> edit_profile(IiopProfile& profile, const IorEdits& edits) {
  if (edits.version) {
    auto version = parse_version(*edits.version);
    if (!version) return version.take_error();
    profile.version = *version;
  }
  if (edits.host) {
    auto address = parse_address("--host", *edits.host);
    if (!address) return address.take_error();
    profile.host = address->host;
  }
  if (edits.port) profile.port = *edits.port;
  if (edits.key) {
    auto key = parse_key(*edits.key);
    if (!key) return key.take_error();
    profile.object_key = std::move(*key);
  }
  for (const std::string& text : edits.removed) {
    const auto removed = parse_tag("--remove", text);
    if (!removed) return invalid(removed.error().message);
    std::erase_if(profile.components, [&](const TaggedData& each) { return each.tag == *removed; });
  }
  if (auto added = add_components("--add", edits.added, profile); !added) return added;
  return check_components(profile);
}

std::string profiles_of(const giop::Ior& ior) {
  const std::size_t count = ior.profiles.size();
  return "the reference has " +
         (count == 1 ? std::string("one profile") : std::to_string(count) + " profiles");
}

Result<void> edit_profiles(giop::Ior& ior, const IorEdits& edits) {
  std::size_t edited = 0;
  for (std::size_t i = 0; i < ior.profiles.size(); ++i) {
    if (edits.profile && *edits.profile != i + 1) continue;
    TaggedData& tagged = ior.profiles[i];
    const std::string which = "profile " + std::to_string(i + 1);
    if (tagged.tag != giop::profile_tag::kIiop) {
      if (edits.profile)
        return invalid(which + " is not an IIOP profile: its tag is " + std::to_string(tagged.tag));
      continue;
    }
    auto profile = giop::decode_iiop_profile(tagged.data);
    if (!profile) return invalid(which + ": " + profile.error().message);
    if (auto changed = edit_profile(*profile, edits); !changed) return changed;
    tagged.data = giop::encode_iiop_profile(*profile);
    ++edited;
  }
  if (edited != 0) return {};
  if (edits.profile)
    return invalid(profiles_of(ior) + ": there is no profile " + std::to_string(*edits.profile));
  return invalid("the reference has no IIOP profile to change");
}

Result<void> reorder(giop::Ior& ior, const std::vector<std::size_t>& order) {
  std::vector<TaggedData> profiles;
  std::set<std::size_t> seen;
  for (const std::size_t number : order) {
    if (number == 0 || number > ior.profiles.size())
      return invalid("--order: " + profiles_of(ior) + "; there is no profile " + std::to_string(number));
    if (!seen.insert(number).second)
      return invalid("--order has profile " + std::to_string(number) + " twice");
    profiles.push_back(ior.profiles[number - 1]);
  }
  ior.profiles = std::move(profiles);
  return {};
}

}  // namespace

Result<giop::Ior> build_ior(const IorParts& parts) {
  auto version = parse_version(parts.version);
  if (!version) return version.take_error();
  auto key = parse_key(parts.key);
  if (!key) return key.take_error();
  const bool profile_each = parts.profile_each || *version < kFirstWithComponents;
  std::vector<IiopProfile> profiles;
  for (const std::string& text : parts.addresses) {
    auto address = parse_address("--address", text);
    if (!address) return address.take_error();
    if (profiles.empty() || profile_each) {
      profiles.push_back({*version, address->host, address->port, *key, {}});
    } else {
      profiles[0].components.push_back(
          {tag::kAlternateIiopAddress, giop::encode_alternate_address(*address)});
    }
  }
  giop::Ior ior{parts.type_id, {}};
  for (IiopProfile& profile : profiles) {
    if (auto added = add_components("--component", parts.components, profile); !added)
      return added.take_error();
    if (auto checked = check_components(profile); !checked) return checked.take_error();
    ior.profiles.push_back({giop::profile_tag::kIiop, giop::encode_iiop_profile(profile)});
  }
  return within_limit(std::move(ior));
}

Result<giop::Ior> edit_ior(giop::Ior ior, const IorEdits& edits) {
  if (edits.type_id) ior.type_id = *edits.type_id;
  if (edits.of_profiles() || edits.profile)
    if (auto edited = edit_profiles(ior, edits); !edited) return edited.take_error();
  if (!edits.order.empty())
    if (auto ordered = reorder(ior, edits.order); !ordered) return ordered.take_error();
  return within_limit(std::move(ior));
}

}  // namespace orbweaver::tools
