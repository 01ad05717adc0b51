#pragma once

#include <orbweaver/detail/cdr/decoder.h>
#include <orbweaver/detail/cdr/encoder.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "giop/message.h"

/// Interoperable object references (CORBA 3.3 part 2, 7.6). docs/formats/ior.md describes the format.
namespace orbweaver::giop {

namespace profile_tag {
inline constexpr std::uint32_t kIiop = 0;                ///< TAG_INTERNET_IOP
inline constexpr std::uint32_t kMultipleComponents = 1;  ///< TAG_MULTIPLE_COMPONENTS
inline constexpr std::uint32_t kUipmc = 3;               ///< TAG_UIPMC
}  // namespace profile_tag

/// Octets with a tag: a TaggedProfile of a reference, or a TaggedComponent of a profile. Unknown tags are
/// kept and forwarded unchanged.
struct TaggedData {
  std::uint32_t tag = 0;
  std::vector<std::uint8_t> data;
  friend bool operator==(const TaggedData&, const TaggedData&) = default;
};

/// An object reference (IOP::IOR).
struct Ior {
  std::string type_id;  ///< The repository id of the most derived interface; may be empty.
  std::vector<TaggedData> profiles;

  bool is_nil() const noexcept { return profiles.empty(); }
  friend bool operator==(const Ior&, const Ior&) = default;
};

/// Parses "IOR:" and hexadecimal digits of either case, with surrounding white space. Fails with
/// ErrorKind::invalid and the offset of the error, and for references of more than limits::kMaxIorBytes.
Result<Ior> parse_ior(std::string_view text);
/// The reference as "IOR:" and hexadecimal digits.
std::string stringify(const Ior& ior);

/// At least the number of bytes that `encode` writes, at any offset.
std::size_t bound_of(const Ior& ior) noexcept;
/// Encodes a reference as in arguments and forwarding replies.
void encode(cdr::Encoder& out, const Ior& ior);
/// Decodes a reference. False, with Fault::bad_reference in `in`, if it is malformed or larger than
/// limits::kMaxIorBytes.
bool decode(cdr::Decoder& in, Ior& ior);

/// The body of an IIOP profile (9.7.2). Version 1.0 has no components.
struct IiopProfile {
  Version version = kGiop12;
  std::string host;
  std::uint16_t port = 0;
  std::vector<std::uint8_t> object_key;
  std::vector<TaggedData> components;
  friend bool operator==(const IiopProfile&, const IiopProfile&) = default;
};

/// Decodes the data of an IIOP profile. Later minor versions are read as 1.2, as 9.7.2 requires. Fails with
/// ErrorKind::invalid.
Result<IiopProfile> decode_iiop_profile(Bytes profile_data);
/// Encodes the data of an IIOP profile.
std::vector<std::uint8_t> encode_iiop_profile(const IiopProfile& profile);
/// Finds the object key of an IIOP profile, in place and without allocation. False if the profile is
/// malformed.
bool find_object_key(Bytes profile_data, Bytes& object_key) noexcept;

/// Decodes the data of a profile with the tag kMultipleComponents. Fails with ErrorKind::invalid.
Result<std::vector<TaggedData>> decode_components(Bytes profile_data);
/// Encodes the data of a profile with the tag kMultipleComponents.
std::vector<std::uint8_t> encode_components(const std::vector<TaggedData>& components);

/// The first element with this tag, or null.
const TaggedData* find(const std::vector<TaggedData>& tagged, std::uint32_t tag) noexcept;

}  // namespace orbweaver::giop
