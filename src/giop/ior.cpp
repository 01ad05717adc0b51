#include "giop/ior.h"

#include "base/hex.h"
#include "giop/encapsulation.h"

namespace orbweaver::giop {
namespace {

Error invalid(std::string message) { return {ErrorKind::invalid, std::move(message)}; }

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Reads a sequence of tagged data. A size of more than `left` bytes is a fault.
void decode_tagged(cdr::Decoder& in, std::vector<TaggedData>& all, std::size_t left) {
  all.clear();
  for (std::uint32_t n = in.get_length(8); n != 0 && in.ok(); --n) {
    const auto tag = in.get<std::uint32_t>();
    const Bytes data = get_octets(in);
    if (in.ok() && data.size() + 8 > left) in.fail(cdr::Fault::bad_reference);
    if (!in.ok()) break;
    left -= data.size() + 8;
    all.push_back({tag, {data.begin(), data.end()}});
  }
  if (!in.ok()) all.clear();
}

void encode_tagged(cdr::Encoder& out, const std::vector<TaggedData>& all) {
  out.put(static_cast<std::uint32_t>(all.size()));
  for (const TaggedData& element : all) {
    out.put(element.tag);
    put_octets(out, element.data);
  }
}

/// The fields at the start of every IIOP profile.
struct IiopView {
  Version version;
  std::string_view host;
  std::uint16_t port = 0;
  Bytes object_key;
};
/// Reads these fields and leaves `in` at the components.
IiopView read_iiop_fields(cdr::Decoder& in) noexcept {
  IiopView view;
  view.version.major = in.get<std::uint8_t>();
  view.version.minor = in.get<std::uint8_t>();
  if (in.ok() && view.version.major != 1) in.fail(cdr::Fault::bad_reference);
  if (view.version > kGiop12) view.version = kGiop12;
  view.host = in.get_string_view();
  view.port = in.get<std::uint16_t>();
  view.object_key = get_octets(in);
  return view;
}

}  // namespace

Result<Ior> parse_ior(std::string_view text) {
  std::size_t at = 0;
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  while (at < text.size() && is_space(text[at])) ++at;
  if (text.size() - at > 4 + 2 * limits::kMaxIorBytes) {
    return invalid("IOR of " + std::to_string(text.size()) + " characters: the limit is " +
                   std::to_string(4 + 2 * limits::kMaxIorBytes));
  }
  const std::string_view prefix = text.substr(at, 4);
  if (prefix != "IOR:" && prefix != "ior:") return invalid("not an IOR: does not start with \"IOR:\"");
  at += 4;
  if ((text.size() - at) % 2 != 0) {
    return invalid("IOR: odd number of hexadecimal digits: " + std::to_string(text.size() - at));
  }
  std::vector<std::uint8_t> bytes;
  bytes.reserve((text.size() - at) / 2);
  for (; at < text.size(); at += 2) {
    const int high = hex_value(text[at]), low = hex_value(text[at + 1]);
    if (high < 0 || low < 0) {
      return invalid("IOR: invalid hexadecimal digit at character " + std::to_string(high < 0 ? at : at + 1));
    }
    bytes.push_back(static_cast<std::uint8_t>(high << 4 | low));
  }
  cdr::Decoder in = open_encapsulation(bytes);
  Ior ior;
  if (!decode(in, ior)) return invalid(malformed("IOR", in).message);
  return ior;
}

std::string stringify(const Ior& ior) {
  std::string text = "IOR:";
  for (const std::uint8_t byte : encapsulated([&](cdr::Encoder& out) { encode(out, ior); })) {
    append_hex(text, byte);
  }
  return text;
}

std::size_t bound_of(const Ior& ior) noexcept {
  std::size_t n = 3 + 4 + ior.type_id.size() + 1 + 3 + 4;
  for (const TaggedData& profile : ior.profiles) n += 3 + 4 + 4 + profile.data.size();
  return n;
}

void encode(cdr::Encoder& out, const Ior& ior) {
  out.put_string(ior.type_id);
  encode_tagged(out, ior.profiles);
}

bool decode(cdr::Decoder& in, Ior& ior) {
  const std::string_view type_id = in.get_string_view();
  if (type_id.size() > limits::kMaxIorBytes) in.fail(cdr::Fault::bad_reference);
  decode_tagged(in, ior.profiles, limits::kMaxIorBytes - (in.ok() ? type_id.size() : 0));
  ior.type_id.assign(in.ok() ? type_id : std::string_view{});
  return in.ok();
}

Result<IiopProfile> decode_iiop_profile(Bytes profile_data) {
  cdr::Decoder in = open_encapsulation(profile_data);
  const IiopView view = read_iiop_fields(in);
  IiopProfile profile;
  // Some ORBs omit the count of components if there are none.
  if (view.version >= kGiop11 && in.remaining() != 0)
    decode_tagged(in, profile.components, limits::kMaxIorBytes);
  if (!in.ok()) return invalid(malformed("IIOP profile", in).message);
  profile.version = view.version;
  profile.host = view.host;
  profile.port = view.port;
  profile.object_key.assign(view.object_key.begin(), view.object_key.end());
  return profile;
}

std::vector<std::uint8_t> encode_iiop_profile(const IiopProfile& profile) {
  return encapsulated([&](cdr::Encoder& out) {
    out.put(profile.version.major);
    out.put(profile.version.minor);
    out.put_string(profile.host);
    out.put(profile.port);
    put_octets(out, profile.object_key);
    if (profile.version >= kGiop11) encode_tagged(out, profile.components);
  });
}

bool find_object_key(Bytes profile_data, Bytes& object_key) noexcept {
  cdr::Decoder in = open_encapsulation(profile_data);
  const IiopView view = read_iiop_fields(in);
  if (in.ok()) object_key = view.object_key;
  return in.ok();
}

Result<std::vector<TaggedData>> decode_components(Bytes profile_data) {
  cdr::Decoder in = open_encapsulation(profile_data);
  std::vector<TaggedData> components;
  decode_tagged(in, components, limits::kMaxIorBytes);
  if (!in.ok()) return invalid(malformed("multiple-components profile", in).message);
  return components;
}

std::vector<std::uint8_t> encode_components(const std::vector<TaggedData>& components) {
  return encapsulated([&](cdr::Encoder& out) { encode_tagged(out, components); });
}

const TaggedData* find(const std::vector<TaggedData>& tagged, std::uint32_t tag) noexcept {
  for (const TaggedData& element : tagged) {
    if (element.tag == tag) return &element;
  }
  return nullptr;
}

}  // namespace orbweaver::giop
