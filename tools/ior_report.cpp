#include "ior_report.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <memory>

#include "giop/codesets.h"
#include "giop/tagged_components.h"
#include "orb/bidirectional/own_listen_points.h"
#include "orb/core.h"
#include "orb/reference/reference.h"
#include "platform/process_identity.h"
#include "poa/object_key.h"
#include "transport/plugins.h"

namespace orbweaver::tools {
namespace {

using Json = nlohmann::ordered_json;
namespace tag = giop::component_tag;

std::string hex(std::uint64_t value, int digits) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%0*llx", digits, static_cast<unsigned long long>(value));
  return text;
}

/// Octets as printable text, others as \xx. The input is untrusted: no control character reaches the
/// terminal.
std::string printable(Bytes bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) {
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, byte >= 0x20 && byte < 0x7f && byte != '\\' ? "%c" : "\\%02x",
                  byte);
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
  Json json{{"bytes", key.size()}, {"text", printable(key)}};
  poa::SlotKey slot;
  poa::NameKey name;
  if (key.size() >= 12 && poa::decode(key, incarnation_in(key), slot)) {
    json["orbweaver"] = "transient: slot " + std::to_string(slot.slot) + ", generation " +
                        std::to_string(slot.generation) + ", of run " + hex(incarnation_in(key), 16);
  } else if (poa::decode(key, name)) {
    json["orbweaver"] =
        (name.incarnation == 0 ? std::string("persistent") : "of run " + hex(name.incarnation, 16)) +
        ": object '" + printable(name.id) + "' of POA '/" + printable(name.path) + "'";
  }
  return json;
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
  std::string json = code_set_name(sets.native);
  for (std::size_t i = 0; i < sets.conversions.size(); ++i) {
    json += (i == 0 ? ", converts " : ", ") + code_set_name(sets.conversions[i]);
  }
  return json;
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
  static constexpr const char* kNames[] = {
      "no protection",         "integrity",           "confidentiality",     "detecting replay",
      "detecting misordering", "trust in the target", "trust in the client", "no delegation",
      "simple delegation",     "composite delegation"};
  std::string json;
  for (unsigned bit = 0; bit < 16; ++bit) {
    if ((options >> bit & 1U) == 0) continue;
    json += (json.empty() ? "" : ", ") +
            (bit < std::size(kNames) ? std::string(kNames[bit]) : "bit " + std::to_string(bit));
  }
  return json.empty() ? "nothing" : json;
}

Json describe_local_endpoints(const giop::LocalEndpoints& local) {
  const bool same = !local.host_identity.empty() && local.host_identity == platform::host_identity();
  Json json{{"host", same ? "this one" : "another"}, {"uid", local.uid}, {"endpoints", Json::array()}};
  for (const auto& endpoint : local.endpoints)
    json["endpoints"].push_back(printable(endpoint.name) + " " + printable(endpoint.address));
  return json;
}

/// Calls `fill` with the decoded component, or reports the decoding error in `json`.
template <class Decoded, class Fill>
void fill_or_report_error(Json& json, const Decoded& decoded, Fill&& fill) {
  if (decoded) {
    fill(*decoded);
  } else {
    json["problem"] = printable(decoded.error().message);
  }
}

void describe_address(Json& json, const std::string& component, Bytes data) {
  json["component"] = component;
  fill_or_report_error(json, giop::decode_alternate_address(data), [&](const giop::IiopAddress& other) {
    json["address"] = host_and_port(other.host, other.port);
  });
}

/// The transport whose addresses have that component, or null.
const transport::Transport* transport_of(std::uint32_t component_tag) {
  for (const transport::Transport* each : transport::all_of(transport::EndpointForm::tagged)) {
    if (each->traits().component_tag == component_tag) return each;
  }
  return nullptr;
}

std::string upper_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

Json describe_component(const giop::TaggedData& component) {
  Json json{{"component", "unknown to Orbweaver"}, {"tag", hex(component.tag, 8)}};
  const Bytes data(component.data);
  switch (component.tag) {
    case tag::kOrbType:
      json["component"] = "ORB type";
      fill_or_report_error(json, giop::decode_orb_type(data),
                           [&](std::uint32_t type) { json["orb"] = orb_name(type); });
      break;
    case tag::kCodeSets:
      json["component"] = "code sets";
      fill_or_report_error(json, giop::decode_code_sets(data), [&](const giop::CodeSetComponentInfo& sets) {
        json["char"] = describe_code_sets(sets.for_char);
        json["wchar"] = describe_code_sets(sets.for_wchar);
      });
      break;
    case tag::kAlternateIiopAddress: describe_address(json, "alternate address", data); break;
    case tag::kSslSecTrans:
      json["component"] = "TLS (SSLIOP)";
      fill_or_report_error(json, giop::decode_ssl_address(data), [&](const giop::SslAddress& ssl) {
        json["port"] = ssl.port;
        json["supports"] = describe_association(ssl.target_supports);
        json["requires"] = describe_association(ssl.target_requires);
      });
      break;
    case tag::kOmniOrbUnix:
      json["component"] = "omniORB Unix socket";
      fill_or_report_error(json, giop::decode_omniorb_unix(data),
                           [&](const giop::OmniOrbUnixAddress& address) {
                             json["host"] = printable(address.host);
                             json["path"] = printable(address.path);
                           });
      break;
    case tag::kLocalEndpoints:
      json["component"] = "local endpoints";
      fill_or_report_error(json, giop::decode_local_endpoints(data), [&](const giop::LocalEndpoints& local) {
        json.update(describe_local_endpoints(local));
      });
      break;
    default:
      if (const transport::Transport* owner = transport_of(component.tag)) {
        describe_address(json, upper_case(owner->name()) + " address", data);
      } else {
        json["data"] = printable(data);
      }
  }
  return json;
}

Json describe_profile(const giop::TaggedData& tagged) {
  if (tagged.tag != giop::profile_tag::kIiop) {
    return {{"profile", "not IIOP"}, {"tag", hex(tagged.tag, 8)}, {"bytes", tagged.data.size()}};
  }
  Json json{{"profile", "IIOP"}};
  fill_or_report_error(json, giop::decode_iiop_profile(tagged.data), [&](const giop::IiopProfile& profile) {
    json["version"] = std::to_string(profile.version.major) + "." + std::to_string(profile.version.minor);
    json["host"] = printable(profile.host);
    json["port"] = profile.port;
    if (profile.port == 0 && giop::find(profile.components, tag::kSslSecTrans) == nullptr) {
      json["note"] = "no TCP address: for other ORBs and other hosts the server needs tcp in -ORBListen";
    }
    json["object_key"] = describe_key(profile.object_key);
    json["components"] = Json::array();
    for (const giop::TaggedData& component : profile.components)
      json["components"].push_back(describe_component(component));
  });
  return json;
}

Json describe_endpoints(const giop::Ior& ior, const orb::Options& options) {
  const auto core = std::make_shared<orb::Core>(options);
  std::string why_not;
  Json json{{"selected", nullptr}, {"others", Json::array()}};
  for (const Endpoint& endpoint : orb::usable_endpoints(ior, core->preference(), why_not)) {
    std::string name = std::string(endpoint.transport->name()) + " " + printable(endpoint.address);
    if (orb::is_unreachable_address(endpoint.address))
      name += ": only over connections that its process opens (bidirectional GIOP)";
    if (endpoint.transport->traits().reach == transport::Reach::process) {
      json["others"].push_back(name + ": only within the server's process");
    } else if (json["selected"].is_null()) {
      json["selected"] = name;
    } else {
      json["others"].push_back(name + ": only if those before it fail");
    }
  }
  for (std::size_t begin = 0; begin < why_not.size();) {  // " reason; reason;"
    const std::size_t end = std::min(why_not.find(';', begin), why_not.size());
    const std::size_t text = std::min(why_not.find_first_not_of(' ', begin), end);
    if (end > text) json["others"].push_back(printable(std::string_view(why_not).substr(text, end - text)));
    begin = end + 1;
  }
  if (json["selected"].is_null())
    json["selected"] = "none: no usable endpoint on this host with these options";
  core->finish_shutdown();
  return json;
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
  Json json{{"type_id", printable(ior.type_id)}, {"profiles", Json::array()}};
  for (const giop::TaggedData& profile : ior.profiles) json["profiles"].push_back(describe_profile(profile));
  json["endpoints"] = describe_endpoints(ior, options);
  return json;
}

std::string to_text(const nlohmann::ordered_json& report) {
  std::string text;
  write(text, report, 0);
  return text;
}

}  // namespace orbweaver::tools
