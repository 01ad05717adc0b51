#include "giop/object_url.h"

#include "giop/testing.h"

namespace orbweaver::giop::testing {
namespace {

using Address = ObjectUrl::Address;

ObjectUrl parsed(std::string_view text) {
  auto url = parse_object_url(text);
  EXPECT_TRUE(url) << text << ": " << url.error().message;
  return url ? *url : ObjectUrl();
}
std::string url_error(std::string_view text) {
  const auto url = parse_object_url(text);
  EXPECT_FALSE(url) << text;
  if (url) return "";
  EXPECT_EQ(url.error().kind, ErrorKind::invalid);
  return url.error().message;
}

TEST(GiopCorbaloc, ParsesAddressesAndAKey) {
  const ObjectUrl url = parsed("corbaloc:iiop:1.2@radio.example:4711,:host2,iiop:[fd00::2]:99/a%20key/x");
  EXPECT_EQ(url.kind, ObjectUrl::Kind::location);
  EXPECT_EQ(url.addresses, (std::vector<Address>{{kGiop12, "radio.example", 4711},
                                                 {kGiop10, "host2", kDefaultPort},
                                                 {kGiop10, "fd00::2", 99}}));
  EXPECT_EQ(url.object_key, octets("a key/x"));
  EXPECT_FALSE(url.initial_reference);
}

TEST(GiopCorbaloc, UnescapesKeys) { EXPECT_EQ(parsed("corbaloc::h/%00%fE%ff").object_key, hex("00 fe ff")); }

TEST(GiopCorbaloc, IgnoresTheCaseOfSchemes) {
  EXPECT_EQ(parsed("CorbaLoc:IIOP:1.1@h/k").addresses, (std::vector<Address>{{kGiop11, "h", kDefaultPort}}));
  EXPECT_TRUE(is_object_url("CORBALOC:"));
  EXPECT_TRUE(is_object_url("corbaname::h#x"));
  EXPECT_FALSE(is_object_url("IOR:00"));
}

TEST(GiopCorbaloc, UsesTheLatestKnownMinorVersion) {
  EXPECT_EQ(parsed("corbaloc::1.7@h/k").addresses[0].version, kGiop12);
}

TEST(GiopCorbaloc, ParsesInitialReferences) {
  const ObjectUrl url = parsed("corbaloc:rir:/TradingService");
  EXPECT_TRUE(url.initial_reference);
  EXPECT_TRUE(url.addresses.empty());
  EXPECT_EQ(url.object_key, octets("TradingService"));
  EXPECT_EQ(parsed("corbaloc:rir:").object_key, octets("NameService"));
}

TEST(GiopCorbaname, ParsesAContextAndAName) {
  const ObjectUrl url = parsed("corbaname::host:99/Root#dir.kind/leaf%20x");
  EXPECT_EQ(url.kind, ObjectUrl::Kind::name);
  EXPECT_EQ(url.addresses, (std::vector<Address>{{kGiop10, "host", 99}}));
  EXPECT_EQ(url.object_key, octets("Root"));
  EXPECT_EQ(url.name, "dir.kind/leaf x");
}

TEST(GiopCorbaname, DefaultsToTheNameService) {
  EXPECT_EQ(parsed("corbaname::host#a").object_key, octets("NameService"));
  EXPECT_EQ(parsed("corbaname:rir:#a/b").object_key, octets("NameService"));
  EXPECT_EQ(parsed("corbaname:rir:#a/b").name, "a/b");
  EXPECT_EQ(parsed("corbaname::host").name, "");
}

TEST(GiopUrl, ConvertsToAReferenceWithOneProfilePerAddress) {
  const Ior ior = to_ior(parsed("corbaloc::1.2@a:1,:b/key"));
  ASSERT_EQ(ior.profiles.size(), 2u);
  const auto second = decode_iiop_profile(ior.profiles[1].data);
  ASSERT_TRUE(second);
  EXPECT_EQ(*second, (IiopProfile{kGiop10, "b", kDefaultPort, octets("key"), {}}));
  EXPECT_TRUE(to_ior(parsed("corbaloc:rir:/X")).is_nil());
}

TEST(GiopUrl, ReportsThePositionOfAnError) {
  EXPECT_EQ(url_error("IOR:00"), "not an object URL: starts with neither \"corbaloc:\" nor \"corbaname:\"");
  EXPECT_EQ(url_error("corbaloc:"), "corbaloc: neither \"iiop:\", \":\" nor \"rir:\" at character 9");
  EXPECT_EQ(url_error("corbaloc:ssliop:h/k"),
            "corbaloc: neither \"iiop:\", \":\" nor \"rir:\" at character 9");
  EXPECT_EQ(url_error("corbaloc::/k"), "corbaloc: no host at character 10");
  EXPECT_EQ(url_error("corbaloc::host"), "corbaloc: no \"/\" and object key at character 14");
  EXPECT_EQ(url_error("corbaloc::host:/k"), "corbaloc: no port at character 15");
  EXPECT_EQ(url_error("corbaloc::host:70000/k"), "corbaloc: port above 65535 at character 19");
  EXPECT_EQ(url_error("corbaloc::host:12x/k"), "corbaloc: no \"/\" and object key at character 17");
  EXPECT_EQ(url_error("corbaloc::2.0@host/k"), "corbaloc: unsupported IIOP version ending at character 11");
  EXPECT_EQ(url_error("corbaloc::[fd00::2/k"), "corbaloc: invalid IPv6 address ending at character 20");
  EXPECT_EQ(url_error("corbaloc::[host]/k"), "corbaloc: invalid IPv6 address ending at character 15");
  EXPECT_EQ(url_error("corbaloc::ho st/k"), "corbaloc: invalid host name \"ho st\" ending at character 15");
  EXPECT_EQ(url_error("corbaloc::h/k%2"), "corbaloc: invalid % escape at character 13");
  EXPECT_EQ(url_error("corbaloc::h/k k"), "corbaloc: character that requires a % escape at character 13");
  EXPECT_EQ(url_error("corbaloc::h/k#n"), "corbaloc: unexpected text at character 13");
  EXPECT_EQ(url_error("corbaloc::h,rir:/k"),
            "corbaloc: rir: cannot be combined with other addresses, at character 16");
  EXPECT_EQ(url_error("corbaloc::" + std::string(70000, 'x')),
            "object URL of 70010 characters: the limit is 65536");
}

}  // namespace
}  // namespace orbweaver::giop::testing
