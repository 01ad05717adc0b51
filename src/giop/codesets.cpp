#include "giop/codesets.h"

#include <orbweaver/detail/cdr/codec.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "giop/encapsulation.h"
#include "giop/message.h"

namespace orbweaver::giop {
namespace {

Error invalid(const char* what, const cdr::Decoder& in) {
  return {ErrorKind::invalid, malformed(what, in).message};
}

void encode(cdr::Encoder& out, const CodeSetComponent& component) {
  out.put(component.native);
  cdr::encode(out, component.conversions);
}

void decode(cdr::Decoder& in, CodeSetComponent& component) {
  component.native = in.get<std::uint32_t>();
  cdr::decode(in, component.conversions);
}

bool contains(const std::vector<std::uint32_t>& sets, std::uint32_t set) {
  return std::find(sets.begin(), sets.end(), set) != sets.end();
}

/// Whether all characters of a code set are in Unicode, so that UTF-8 or UTF-16 can be the fallback. The
/// registry lists the character sets of each code set; these are the families that ORBs declare.
bool within_unicode(std::uint32_t set) {
  return set == code_set::kUtf8 || (set >= 0x00010001 && set <= 0x0001000f) ||  // ISO 8859-1 to -15
         (set >= 0x00010020 && set <= 0x0001002f) ||                            // ISO 646
         (set >= 0x00010100 && set <= 0x00010109);                              // UCS-2, UCS-4, UTF-1, UTF-16
}

/// Selects the transmission code set by the steps of 7.10.2.6 in their order; kNone: incompatible.
std::uint32_t choose(const CodeSetComponent& client, const CodeSetComponent& server, std::uint32_t fallback) {
  if (client.native == server.native) return client.native;
  if (contains(client.conversions, server.native)) return server.native;
  if (contains(server.conversions, client.native)) return client.native;
  for (const std::uint32_t set : server.conversions) {
    if (contains(client.conversions, set)) return set;
  }
  return within_unicode(client.native) && within_unicode(server.native) ? fallback : code_set::kNone;
}

Error incompatible(const char* kind, const CodeSetComponent& client, const CodeSetComponent& server) {
  char text[160];
  std::snprintf(text, sizeof text, "no common %s code set: client 0x%08x, server 0x%08x", kind, client.native,
                server.native);
  return {ErrorKind::unavailable, text};
}

}  // namespace

const CodeSetComponentInfo& own_code_sets() {
  // Never destroyed: threads of an ORB may still use it while the program ends.
  static const auto& kOwn = *new CodeSetComponentInfo{{code_set::kUtf8, {}}, {code_set::kUtf16, {}}};
  return kOwn;
}

std::vector<std::uint8_t> encode_code_sets(const CodeSetComponentInfo& info) {
  return encapsulated([&](cdr::Encoder& out) {
    encode(out, info.for_char);
    encode(out, info.for_wchar);
  });
}

Result<CodeSetComponentInfo> decode_code_sets(Bytes data) {
  cdr::Decoder in = open_encapsulation(data);
  CodeSetComponentInfo info;
  decode(in, info.for_char);
  decode(in, info.for_wchar);
  if (!in.ok()) return invalid("code set component", in);
  return info;
}

Result<TransmissionCodeSets> negotiate(const CodeSetComponentInfo& client,
                                       const CodeSetComponentInfo* server) {
  static const auto& kLatin1 = *new CodeSetComponent{code_set::kIso8859_1, {}};  // never destroyed, as above
  const CodeSetComponent& for_char = server != nullptr ? server->for_char : kLatin1;
  TransmissionCodeSets chosen;
  chosen.for_char = choose(client.for_char, for_char, code_set::kUtf8);
  if (chosen.for_char == code_set::kNone) return incompatible("char", client.for_char, for_char);
  // A server without wide characters has a native code set of 0, or no component.
  if (server != nullptr && server->for_wchar.native != code_set::kNone &&
      client.for_wchar.native != code_set::kNone) {
    chosen.for_wchar = choose(client.for_wchar, server->for_wchar, code_set::kUtf16);
    if (chosen.for_wchar == code_set::kNone)
      return incompatible("wchar", client.for_wchar, server->for_wchar);
  }
  return chosen;
}

std::vector<std::uint8_t> encode_code_sets_context(const TransmissionCodeSets& sets) {
  return encapsulated([&](cdr::Encoder& out) {
    out.put(sets.for_char);
    out.put(sets.for_wchar);
  });
}

Result<TransmissionCodeSets> decode_code_sets_context(Bytes data) {
  cdr::Decoder in = open_encapsulation(data);
  TransmissionCodeSets sets;
  sets.for_char = in.get<std::uint32_t>();
  sets.for_wchar = in.get<std::uint32_t>();
  if (!in.ok()) return invalid("CodeSets context", in);
  return sets;
}

}  // namespace orbweaver::giop
