#include "giop/ior.h"

#include "giop/captures.h"
#include "giop/codesets.h"
#include "giop/components.h"
#include "giop/testing.h"

namespace orbweaver::giop::testing {
namespace {

std::string why_not(const std::string& text) {
  const auto ior = parse_ior(text);
  EXPECT_FALSE(ior) << text;
  if (ior) return "";
  EXPECT_EQ(ior.error().remedy, Remedy::mend);
  return ior.error().message;
}

TEST(GiopIor, OfAnotherOrbIsUnderstood) {
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
  EXPECT_EQ(find(profile->components, component_tag::kLocalRoads), nullptr);
}

TEST(GiopIor, IsWrittenAsTheOtherOrbDoes) {
  const Ior ior = *parse_ior(captures::kIor);
  if (kThisMachineIsLittleEndian) {
    // The two bytes behind the type id are padding, which the other ORB happens to clear as well.
    EXPECT_EQ(stringify(ior), captures::kIor);
    EXPECT_EQ(encode_iiop_profile(*decode_iiop_profile(ior.profiles[0].data)), ior.profiles[0].data);
  }
  EXPECT_EQ(*parse_ior(stringify(ior)), ior);
}

TEST(GiopIor, MayBeWrittenInUpperCaseAndBetweenSpaces) {
  std::string text = captures::kIor;
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  EXPECT_EQ(*parse_ior(" \t" + text + "\r\n"), *parse_ior(captures::kIor));
}

TEST(GiopIor, BigEndianOnesAreUnderstood) {
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

TEST(GiopIor, KeepsProfilesThatNobodyHereKnows) {
  const Ior ior{"IDL:A:1.0",
                {{profile_tag::kUipmc, {1, 2, 3}}, {0x12345678, {}}, {profile_tag::kIiop, {0xff}}}};
  EXPECT_EQ(*parse_ior(stringify(ior)), ior);
}

TEST(GiopIor, TravelsInMessages) {
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

TEST(GiopIor, RubbishIsRefusedWithThePlace) {
  EXPECT_EQ(why_not(""), "not an IOR: it does not begin with \"IOR:\"");
  EXPECT_EQ(why_not("corbaloc::host/key"), "not an IOR: it does not begin with \"IOR:\"");
  EXPECT_EQ(why_not("IOR:010"), "IOR: half a byte at its end: 3 digits, an odd number");
  EXPECT_EQ(why_not("IOR:010g"), "IOR: no hexadecimal digit at character 7");
  EXPECT_EQ(why_not("IOR:"), "IOR: truncated at byte 0");
  EXPECT_EQ(why_not("IOR:07000000"), "IOR: a boolean that is neither 0 nor 1 at byte 0");
  EXPECT_EQ(why_not("IOR:0100000001000000000000000100"), "IOR: truncated at byte 12");
  EXPECT_EQ(why_not("IOR:01000000010000000000000001000000"), "IOR: a length beyond what arrived at byte 16");
  EXPECT_EQ(why_not("IOR:0100000001000000000000000100000000000000ffffffff"),
            "IOR: a length beyond what arrived at byte 24");
  EXPECT_EQ(why_not("IOR:" + std::string(200000, '0')), "an IOR of 200004 characters: the limit is 131076");
}

TEST(GiopIiopProfile, EarlierVersionsHaveNoComponents) {
  const IiopProfile profile{kGiop10, "h", 1, {1, 2}, {}};
  EXPECT_EQ(*decode_iiop_profile(encode_iiop_profile(profile)), profile);
  IiopProfile with = profile;
  with.version = kGiop11;
  with.components = {{7, {1}}};
  EXPECT_EQ(*decode_iiop_profile(encode_iiop_profile(with)), with);
}

TEST(GiopIiopProfile, LaterMinorVersionsAreReadAsTheLastKnown) {
  Octets data = encode_iiop_profile({kGiop12, "h", 1, {1}, {}});
  data[2] = 9;
  EXPECT_EQ(decode_iiop_profile(data)->version, kGiop12);
  data[1] = 2;
  EXPECT_FALSE(decode_iiop_profile(data));
}

TEST(GiopIiopProfile, EveryBeginningOfOneIsRefused) {
  const Octets data = encode_iiop_profile({kGiop12, "host", 1, {1, 2, 3, 4}, {{1, {2}}, {3, {4, 5}}}});
  const std::size_t without_components = encode_iiop_profile({kGiop10, "host", 1, {1, 2, 3, 4}, {}}).size();
  for (std::size_t n = 0; n < data.size(); ++n) {
    EXPECT_EQ(static_cast<bool>(decode_iiop_profile(Bytes(data).first(n))), n == without_components) << n;
  }
}

TEST(GiopComponents, TravelInAProfileOfTheirOwn) {
  const std::vector<Tagged> components{{1, {1, 2}}, {2, {}}};
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
  const LocalRoads roads{"9f86d081", 1000, {{"shm", "orbweaver/812"}, {"unix", "/run/user/1000/x"}}};
  EXPECT_EQ(*decode_local_roads(encode_local_roads(roads)), roads);
}

TEST(GiopComponents, LocalRoadsOfALaterVersionAreReadAsFarAsTheyAreKnown) {
  const LocalRoads roads{"host", 0, {{"shm", "a"}}};
  Octets data = encode_local_roads(roads);
  data[1] = 2;
  data.push_back(0x77);
  EXPECT_EQ(*decode_local_roads(data), roads);
  data[1] = 0;
  EXPECT_FALSE(decode_local_roads(data));
}

TEST(GiopComponents, CutShortAreRefused) {
  const Octets roads = encode_local_roads({"host", 0, {{"shm", "a"}}});
  for (std::size_t n = 0; n < roads.size(); ++n) EXPECT_FALSE(decode_local_roads(Bytes(roads).first(n))) << n;
  const Octets policies = encode_policies({{1, {2}}});
  for (std::size_t n = 0; n < policies.size(); ++n)
    EXPECT_FALSE(decode_policies(Bytes(policies).first(n))) << n;
}

}  // namespace
}  // namespace orbweaver::giop::testing
