#include "ior_report.h"

#include <cstdio>
#include <memory>

#include "giop/codesets.h"
#include "giop/components.h"
#include "orb/core.h"
#include "orb/reference.h"
#include "platform/process_identity.h"
#include "poa/object_key.h"

namespace orbweaver::tools {
namespace {

using Json = nlohmann::ordered_json;
namespace tag = giop::component_tag;

std::string hex(std::uint64_t value, int digits) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%0*llx", digits, static_cast<unsigned long long>(value));
  return text;
}

/// Octets as text where they are; others as \xx. Input may hold anything: nothing of it reaches the terminal raw.
std::string printable(Bytes bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) {
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, byte >= 0x20 && byte < 0x7f && byte != '\\' ? "%c" : "\\%02x", byte);
    text += escaped;
  }
  return text;
}
std::string printable(std::string_view text) {
  return printable(Bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

std::uint64_t incarnation_in(Bytes key) {
  std::uint64_t value = 0;
  for (std::size_t i = 12; i-- > 4;) value = value << 8 | key[i];
  return value;
}

Json describe_key(Bytes key) {
  Json said{{"bytes", key.size()}, {"text", printable(key)}};
  poa::SlotKey slot;
  poa::NameKey name;
  if (key.size() >= 12 && poa::decode(key, incarnation_in(key), slot)) {
    said["orbweaver"] = "transient: slot " + std::to_string(slot.slot) + ", generation " +
                        std::to_string(slot.generation) + ", of run " + hex(incarnation_in(key), 16);
  } else if (poa::decode(key, name)) {
    said["orbweaver"] = (name.incarnation == 0 ? std::string("persistent") : "of run " + hex(name.incarnation, 16)) +
                        ": object '" + printable(name.id) + "' of POA '/" + printable(name.path) + "'";
  }
  return said;
}

std::string code_set_name(std::uint32_t number) {
  switch (number) {
    case giop::code_set::kNone: return "none";
    case giop::code_set::kIso8859_1: return "ISO 8859-1";
    case giop::code_set::kIso646: return "ASCII";
    case giop::code_set::kUcs2Level1: return "UCS-2";
    case giop::code_set::kUcs4Level1: return "UCS-4";
    case giop::code_set::kUtf16: return "UTF-16";
    case giop::code_set::kUtf8: return "UTF-8";
    default: return hex(number, 8);
  }
}

std::string describe_code_sets(const giop::CodeSetComponent& sets) {
  std::string said = code_set_name(sets.native);
  for (std::size_t i = 0; i < sets.conversions.size(); ++i) {
    said += (i == 0 ? ", converts " : ", ") + code_set_name(sets.conversions[i]);
  }
  return said;
}

std::string orb_name(std::uint32_t type) {
  if (type == tag::kOurOrbType) return "Orbweaver";
  if (type == 0x41545400) return "omniORB";
  if (type == 0x54414f00) return "TAO";
  return hex(type, 8);
}

std::string host_and_port(const std::string& host, std::uint16_t port) {
  return printable(host) + " port " + std::to_string(port);
}

std::string describe_association(std::uint16_t options) {
  static constexpr const char* kNames[] = {"no protection", "integrity", "confidentiality", "detecting replay",
                                           "detecting misordering", "trust in the target", "trust in the client",
                                           "no delegation", "simple delegation", "composite delegation"};
  std::string said;
  for (unsigned bit = 0; bit < 16; ++bit) {
    if ((options >> bit & 1U) == 0) continue;
    said += (said.empty() ? "" : ", ") + (bit < std::size(kNames) ? std::string(kNames[bit]) : "bit " + std::to_string(bit));
  }
  return said.empty() ? "nothing" : said;
}

Json describe_local_roads(const giop::LocalRoads& local) {
  const bool same = !local.host_identity.empty() && local.host_identity == platform::host_identity();
  Json said{{"host", same ? "this one" : "another"}, {"uid", local.uid}, {"roads", Json::array()}};
  for (const auto& road : local.roads) said["roads"].push_back(printable(road.name) + " " + printable(road.address));
  return said;
}

/// `fill(value)` where the component could be decoded.
template <class Decoded, class Fill>
void fill_or_say(Json& said, const Decoded& decoded, Fill&& fill) {
  if (decoded) {
    fill(*decoded);
  } else {
    said["problem"] = printable(decoded.error().message);
  }
}

Json describe_component(const giop::Tagged& component) {
  Json said{{"component", "unknown to Orbweaver"}, {"tag", hex(component.tag, 8)}};
  const Bytes data(component.data);
  switch (component.tag) {
    case tag::kOrbType:
      said["component"] = "ORB type";
      fill_or_say(said, giop::decode_orb_type(data), [&](std::uint32_t type) { said["orb"] = orb_name(type); });
      break;
    case tag::kCodeSets:
      said["component"] = "code sets";
      fill_or_say(said, giop::decode_code_sets(data), [&](const giop::CodeSetComponentInfo& sets) {
        said["char"] = describe_code_sets(sets.for_char);
        said["wchar"] = describe_code_sets(sets.for_wchar);
      });
      break;
    case tag::kAlternateIiopAddress:
    case tag::kUdpAddress:
      said["component"] = component.tag == tag::kUdpAddress ? "UDP address" : "alternate address";
      fill_or_say(said, giop::decode_alternate_address(data),
                  [&](const giop::IiopAddress& other) { said["address"] = host_and_port(other.host, other.port); });
      break;
    case tag::kSslSecTrans:
      said["component"] = "TLS (SSLIOP)";
      fill_or_say(said, giop::decode_ssl_address(data), [&](const giop::SslAddress& ssl) {
        said["port"] = ssl.port;
        said["supports"] = describe_association(ssl.target_supports);
        said["requires"] = describe_association(ssl.target_requires);
      });
      break;
    case tag::kOmniOrbUnix:
      said["component"] = "omniORB Unix socket";
      fill_or_say(said, giop::decode_omniorb_unix(data), [&](const giop::OmniOrbUnixAddress& address) {
        said["host"] = printable(address.host);
        said["path"] = printable(address.path);
      });
      break;
    case tag::kLocalRoads:
      said["component"] = "local roads";
      fill_or_say(said, giop::decode_local_roads(data),
                  [&](const giop::LocalRoads& local) { said.update(describe_local_roads(local)); });
      break;
    default: said["data"] = printable(data);
  }
  return said;
}

Json describe_profile(const giop::Tagged& tagged) {
  if (tagged.tag != giop::profile_tag::kIiop) {
    return {{"profile", "not IIOP"}, {"tag", hex(tagged.tag, 8)}, {"bytes", tagged.data.size()}};
  }
  Json said{{"profile", "IIOP"}};
  fill_or_say(said, giop::decode_iiop_profile(tagged.data), [&](const giop::IiopProfile& profile) {
    said["version"] = std::to_string(profile.version.major) + "." + std::to_string(profile.version.minor);
    said["host"] = printable(profile.host);
    said["port"] = profile.port;
    if (profile.port == 0 && giop::find(profile.components, tag::kSslSecTrans) == nullptr) {
      said["note"] = "no TCP address: for other ORBs and other hosts the server needs tcp in -ORBListen";
    }
    said["object_key"] = describe_key(profile.object_key);
    said["components"] = Json::array();
    for (const giop::Tagged& component : profile.components) said["components"].push_back(describe_component(component));
  });
  return said;
}

Json describe_roads(const giop::Ior& ior, const orb::Options& options) {
  const auto core = std::make_shared<orb::Core>(options);
  std::string why_not;
  Json said{{"taken", nullptr}, {"others", Json::array()}};
  for (const Road& road : orb::roads_of(ior, core->preference(), why_not)) {
    const std::string name = std::string(road.transport->name()) + " " + printable(road.address);
    if (road.transport->reach() == transport::Reach::process) {
      said["others"].push_back(name + ": only within the server's process");
    } else if (said["taken"].is_null()) {
      said["taken"] = name;
    } else {
      said["others"].push_back(name + ": only where those before it fail");
    }
  }
  for (std::size_t begin = 0; begin < why_not.size();) {  // " reason; reason;"
    const std::size_t end = std::min(why_not.find(';', begin), why_not.size());
    const std::size_t text = std::min(why_not.find_first_not_of(' ', begin), end);
    if (end > text) said["others"].push_back(printable(std::string_view(why_not).substr(text, end - text)));
    begin = end + 1;
  }
  if (said["taken"].is_null()) said["taken"] = "none: nobody on this host can call it with these options";
  core->finish_shutdown();
  return said;
}

void write(std::string& text, const Json& value, std::size_t indent) {
  for (const auto& [key, inner] : value.items()) {
    if (value.is_array()) {
      text += std::string(indent, ' ') + "- ";
      if (inner.is_structured()) {
        std::string element;
        write(element, inner, indent + 2);
        text += element.substr(indent + 2);
      } else {
        text += inner.is_string() ? inner.get<std::string>() + "\n" : inner.dump() + "\n";
      }
      continue;
    }
    text += std::string(indent, ' ') + key + ":";
    if (inner.is_structured()) {
      text += inner.empty() ? " none\n" : "\n";
      write(text, inner, indent + 2);
    } else {
      text += " " + (inner.is_string() ? inner.get<std::string>() : inner.dump()) + "\n";
    }
  }
}

}  // namespace

nlohmann::ordered_json describe(const giop::Ior& ior, const orb::Options& options) {
  Json said{{"type_id", printable(ior.type_id)}, {"profiles", Json::array()}};
  for (const giop::Tagged& profile : ior.profiles) said["profiles"].push_back(describe_profile(profile));
  said["roads"] = describe_roads(ior, options);
  return said;
}

std::string to_text(const nlohmann::ordered_json& report) {
  std::string text;
  write(text, report, 0);
  return text;
}

}  // namespace orbweaver::tools
