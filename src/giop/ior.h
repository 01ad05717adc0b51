#pragma once

#include <orbweaver/cdr/decoder.h>
#include <orbweaver/cdr/encoder.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "giop/message.h"

/// Interoperable object references (CORBA 3.3 part 2, 7.6): where an object is, for any ORB.
/// docs/formats/ior.md draws one.
namespace orbweaver::giop {

namespace profile_tag {
inline constexpr std::uint32_t kIiop = 0;                ///< TAG_INTERNET_IOP
inline constexpr std::uint32_t kMultipleComponents = 1;  ///< TAG_MULTIPLE_COMPONENTS
inline constexpr std::uint32_t kUipmc = 3;               ///< TAG_UIPMC
}  // namespace profile_tag

/// Octets under a number: a profile of a reference, or a component of a profile. Those that this ORB
/// does not know are kept and passed on unchanged.
struct Tagged {
  std::uint32_t tag = 0;
  std::vector<std::uint8_t> data;
  friend bool operator==(const Tagged&, const Tagged&) = default;
};

struct Ior {
  std::string type_id;  ///< The repository id of the most derived interface; may be empty.
  std::vector<Tagged> profiles;

  bool is_nil() const noexcept { return profiles.empty(); }
  friend bool operator==(const Ior&, const Ior&) = default;
};

/// "IOR:" and hexadecimal digits of either case. Fails with Remedy::mend and the offset at which it went
/// wrong; nothing larger than limits::kMaxIorBytes is looked at.
Result<Ior> parse_ior(std::string_view text);
std::string stringify(const Ior& ior);

/// References as they travel in arguments and in forwarding replies.
std::size_t bound_of(const Ior& ior) noexcept;
void encode(cdr::Encoder& out, const Ior& ior);
/// False, with Fault::bad_reference in `in`, if it is malformed or larger than limits::kMaxIorBytes.
bool decode(cdr::Decoder& in, Ior& ior);

/// The body of an IIOP profile (9.7.2). Version 1.0 has no components.
struct IiopProfile {
  Version version = kGiop12;
  std::string host;
  std::uint16_t port = 0;
  std::vector<std::uint8_t> object_key;
  std::vector<Tagged> components;
  friend bool operator==(const IiopProfile&, const IiopProfile&) = default;
};

/// Versions 1.3 and later are read as 1.2, as they must be. Fails with Remedy::mend.
Result<IiopProfile> decode_iiop_profile(Bytes profile_data);
std::vector<std::uint8_t> encode_iiop_profile(const IiopProfile& profile);
/// The object key alone, in place and without allocating. False where these are not such a profile.
bool find_object_key(Bytes profile_data, Bytes& object_key) noexcept;

/// The content of a profile with the tag kMultipleComponents. Fails with Remedy::mend.
Result<std::vector<Tagged>> decode_components(Bytes profile_data);
std::vector<std::uint8_t> encode_components(const std::vector<Tagged>& components);

/// The first with this tag, or null.
const Tagged* find(const std::vector<Tagged>& tagged, std::uint32_t tag) noexcept;

}  // namespace orbweaver::giop
