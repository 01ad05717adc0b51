#include "giop/ior.h"

#include "giop/codesets.h"
#include "giop/omniorb_captures.h"
#include "giop/tagged_components.h"
#include "giop/testing.h"

namespace orbweaver::giop::testing {
namespace {

std::string error_of(const std::string& text) {
  const auto ior = parse_ior(text);
  EXPECT_FALSE(ior) << text;
  if (ior) return "";
  EXPECT_EQ(ior.error().kind, ErrorKind::invalid);
  return ior.error().message;
}

TEST(GiopIor, DecodesOmniOrbData) {
  const auto ior = parse_ior(captures::kIor);
  ASSERT_TRUE(ior);
  EXPECT_EQ(ior->type_id, "IDL:Test/Echo:1.0");
  EXPECT_FALSE(ior->is_nil());
  ASSERT_EQ(ior->profiles.size(), 1u);
  EXPECT_EQ(ior->profiles[0].tag, profile_tag::kIiop);
  const auto profile = decode_iiop_profile(ior->profiles[0].data);
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->version, kGiop12);
  EXPECT_EQ(profile->host, "127.0.0.1");
  EXPECT_EQ(profile->port, 47111);
  EXPECT_EQ(profile->object_key, hex(captures::kObjectKey));

  const auto data = [&](std::uint32_t tag) { return Bytes(find(profile->components, tag)->data); };
  ASSERT_EQ(profile->components.size(), 3u);
  EXPECT_EQ(*decode_orb_type(data(component_tag::kOrbType)), 0x41545400u);
  EXPECT_EQ(decode_code_sets(data(component_tag::kCodeSets))->for_wchar.native, code_set::kUtf16);
  const auto socket = decode_omniorb_unix(data(component_tag::kOmniOrbUnix));
  ASSERT_TRUE(socket);
  EXPECT_EQ(socket->host, "vm");
  EXPECT_TRUE(socket->path.ends_with("/sock")) << socket->path;
  EXPECT_EQ(find(profile->components, component_tag::kLocalEndpoints), nullptr);
}

TEST(GiopIor, IsEncodedAsByOmniOrb) {
  const Ior ior = *parse_ior(captures::kIor);
  if (kThisMachineIsLittleEndian) {
    // The two bytes after the type id are padding, which omniORB cleared in this capture.
    EXPECT_EQ(stringify(ior), captures::kIor);
    EXPECT_EQ(encode_iiop_profile(*decode_iiop_profile(ior.profiles[0].data)), ior.profiles[0].data);
  }
  EXPECT_EQ(*parse_ior(stringify(ior)), ior);
}

TEST(GiopIor, AcceptsUpperCaseAndSurroundingSpaces) {
  std::string text = captures::kIor;
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  EXPECT_EQ(*parse_ior(" \t" + text + "\r\n"), *parse_ior(captures::kIor));
}

TEST(GiopIor, ParsesBigEndianReferences) {
  std::string text =
      "IOR:000000000000000649444c3a580000000000000100000000000000180001020000000005686f73740000"
      "07d0000000046b657921";
  const auto big = parse_ior(text);
  ASSERT_TRUE(big) << big.error().message;
  EXPECT_EQ(big->type_id, "IDL:X");
  const auto profile = decode_iiop_profile(big->profiles[0].data);
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->host, "host");
  EXPECT_EQ(profile->port, 2000);
  EXPECT_EQ(profile->object_key, octets("key!"));
  EXPECT_TRUE(profile->components.empty());
}

TEST(GiopIor, WithoutProfilesIsNil) {
  const Ior nil;
  EXPECT_TRUE(nil.is_nil());
  EXPECT_TRUE(parse_ior(stringify(nil))->is_nil());
  EXPECT_TRUE(parse_ior("IOR:01000000010000000000000000000000")->is_nil());
}

TEST(GiopIor, KeepsUnknownProfiles) {
  const Ior ior{"IDL:A:1.0",
                {{profile_tag::kUipmc, {1, 2, 3}}, {0x12345678, {}}, {profile_tag::kIiop, {0xff}}}};
  EXPECT_EQ(*parse_ior(stringify(ior)), ior);
}

TEST(GiopIor, RoundTripsInMessages) {
  const Ior ior = *parse_ior(captures::kIor);
  Octets bytes;
  cdr::Encoder out(bytes);
  out.put(std::uint8_t{1});
  encode(out, ior);
  out.finish();
  EXPECT_GE(1 + bound_of(ior), bytes.size());
  cdr::Decoder in(bytes.data(), bytes.size(), false);
  in.skip(1);
  Ior found;
  EXPECT_TRUE(decode(in, found));
  EXPECT_EQ(found, ior);
}

TEST(GiopIor, ReportsThePositionOfAnError) {
  EXPECT_EQ(error_of(""), "not an IOR: does not start with \"IOR:\"");
  EXPECT_EQ(error_of("corbaloc::host/key"), "not an IOR: does not start with \"IOR:\"");
  EXPECT_EQ(error_of("IOR:010"), "IOR: odd number of hexadecimal digits: 3");
  EXPECT_EQ(error_of("IOR:010g"), "IOR: invalid hexadecimal digit at character 7");
  EXPECT_EQ(error_of("IOR:"), "IOR: truncated at byte 0");
  EXPECT_EQ(error_of("IOR:07000000"), "IOR: invalid boolean at byte 0");
  EXPECT_EQ(error_of("IOR:0100000001000000000000000100"), "IOR: truncated at byte 12");
  EXPECT_EQ(error_of("IOR:01000000010000000000000001000000"), "IOR: length exceeds the message at byte 16");
  EXPECT_EQ(error_of("IOR:0100000001000000000000000100000000000000ffffffff"),
            "IOR: length exceeds the message at byte 24");
  EXPECT_EQ(error_of("IOR:" + std::string(200000, '0')), "IOR of 200004 characters: the limit is 131076");
}

TEST(GiopIiopProfile, HasNoComponentsBeforeIiop11) {
  const IiopProfile profile{kGiop10, "h", 1, {1, 2}, {}};
  EXPECT_EQ(*decode_iiop_profile(encode_iiop_profile(profile)), profile);
  IiopProfile with = profile;
  with.version = kGiop11;
  with.components = {{7, {1}}};
  EXPECT_EQ(*decode_iiop_profile(encode_iiop_profile(with)), with);
}

TEST(GiopIiopProfile, DecodesLaterMinorVersionsAsIiop12) {
  Octets data = encode_iiop_profile({kGiop12, "h", 1, {1}, {}});
  data[2] = 9;
  EXPECT_EQ(decode_iiop_profile(data)->version, kGiop12);
  data[1] = 2;
  EXPECT_FALSE(decode_iiop_profile(data));
}

TEST(GiopIiopProfile, RejectsTruncatedData) {
  const Octets data = encode_iiop_profile({kGiop12, "host", 1, {1, 2, 3, 4}, {{1, {2}}, {3, {4, 5}}}});
  const std::size_t without_components = encode_iiop_profile({kGiop10, "host", 1, {1, 2, 3, 4}, {}}).size();
  for (std::size_t n = 0; n < data.size(); ++n) {
    EXPECT_EQ(static_cast<bool>(decode_iiop_profile(Bytes(data).first(n))), n == without_components) << n;
  }
}

TEST(GiopComponents, RoundTripInAMultipleComponentsProfile) {
  const std::vector<TaggedData> components{{1, {1, 2}}, {2, {}}};
  EXPECT_EQ(*decode_components(encode_components(components)), components);
  EXPECT_EQ(decode_components(hex("01")).error().message, "multiple-components profile: truncated at byte 1");
}

TEST(GiopComponents, RoundTrip) {
  EXPECT_EQ(*decode_orb_type(encode_orb_type(component_tag::kOurOrbType)), component_tag::kOurOrbType);
  const IiopAddress address{"fd00::2", 2809};
  EXPECT_EQ(*decode_alternate_address(encode_alternate_address(address)), address);
  const OmniOrbUnixAddress unix_address{"vm", "/run/x"};
  const SslAddress ssl{association::kIntegrity, association::kConfidentiality, 4712};
  EXPECT_EQ(*decode_ssl_address(encode_ssl_address(ssl)), ssl);
  EXPECT_EQ(*decode_omniorb_unix(encode_omniorb_unix(unix_address)), unix_address);
  const std::vector<PolicyValue> policies{{40, {1, 2, 3}}, {41, {}}};
  EXPECT_EQ(*decode_policies(encode_policies(policies)), policies);
  const LocalEndpoints endpoints{"9f86d081", 1000, {{"shm", "orbweaver/812"}, {"unix", "/run/user/1000/x"}}};
  EXPECT_EQ(*decode_local_endpoints(encode_local_endpoints(endpoints)), endpoints);
}

TEST(GiopComponents, DecodeLocalEndpointsOfALaterVersion) {
  const LocalEndpoints endpoints{"host", 0, {{"shm", "a"}}};
  Octets data = encode_local_endpoints(endpoints);
  data[1] = 2;
  data.push_back(0x77);
  EXPECT_EQ(*decode_local_endpoints(data), endpoints);
  data[1] = 0;
  EXPECT_FALSE(decode_local_endpoints(data));
}

TEST(GiopComponents, RejectTruncatedData) {
  const Octets endpoints = encode_local_endpoints({"host", 0, {{"shm", "a"}}});
  for (std::size_t n = 0; n < endpoints.size(); ++n)
    EXPECT_FALSE(decode_local_endpoints(Bytes(endpoints).first(n))) << n;
  const Octets policies = encode_policies({{1, {2}}});
  for (std::size_t n = 0; n < policies.size(); ++n)
    EXPECT_FALSE(decode_policies(Bytes(policies).first(n))) << n;
}

}  // namespace
}  // namespace orbweaver::giop::testing
