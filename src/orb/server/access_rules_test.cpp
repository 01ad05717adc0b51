#include "orb/server/access_rules.h"

#include <gmock/gmock.h>

#include "platform/process_identity.h"

namespace orbweaver::orb {
namespace {

using ::testing::HasSubstr;

const std::int64_t kOther = platform::user_id() + 1;

Peer local(std::int64_t uid) { return {"process 7", 7, uid}; }
Peer remote(const std::string& address) { return {address}; }
/// Connected over a network from an address of this host; uid -1: the kernel does not tell its user.
Peer on_this_host(std::int64_t uid, const std::string& address = "127.0.0.1:4711") {
  return {address, 0, uid};
}
Peer proven(const std::string& subject, std::vector<std::string> names = {}) {
  return {"10.1.2.3:4711", -1, -1, subject, std::move(names)};
}
AccessRules allowing(const std::string& rules) {
  AccessRules result;
  EXPECT_TRUE(result.allow(rules)) << rules;
  return result;
}
AccessRules denying(const std::string& rules) {
  AccessRules result;
  EXPECT_TRUE(result.deny(rules)) << rules;
  return result;
}
std::string trouble(const std::string& rules) {
  AccessRules parsed;
  const auto done = parsed.allow(rules);
  return done ? "" : done.error().message;
}

TEST(AccessRules, AdmitOwnUserRootAndNetworkByDefault) {
  const AccessRules rules;
  EXPECT_TRUE(rules.admits(local(platform::user_id())));
  EXPECT_TRUE(rules.admits(local(0)));
  EXPECT_FALSE(rules.admits(local(kOther)));
  EXPECT_FALSE(rules.admits(local(-1))) << "a process of an unknown user";
  EXPECT_TRUE(rules.admits(remote("192.0.2.1:4711")));
}

TEST(AccessRules, AdmitOnlyMatchingCallersWhenGiven) {
  const AccessRules rules = allowing("user:" + std::to_string(kOther));
  EXPECT_TRUE(rules.admits(local(kOther)));
  EXPECT_TRUE(rules.admits(local(platform::user_id())));
  EXPECT_FALSE(rules.admits(local(kOther + 1)));
  EXPECT_FALSE(rules.admits(remote("192.0.2.1:4711"))) << "the user of another host's process is unknown";
}

TEST(AccessRules, AcceptUserNames) {
  EXPECT_TRUE(denying("user:root").admits(remote("192.0.2.1:1")));
  EXPECT_FALSE(denying("user:root").admits(local(0)));
  EXPECT_EQ(trouble("user:nobody-has-this-name"), "there is no user 'nobody-has-this-name' on this host");
}

TEST(AccessRules, MatchNetworks) {
  const AccessRules rules = allowing("net:10.0.0.0/8,net:192.0.2.128/25,net:fd00::/8,net:203.0.113.7");
  EXPECT_TRUE(rules.admits(remote("10.255.1.2:4711")));
  EXPECT_TRUE(rules.admits(remote("192.0.2.200:4711")));
  EXPECT_FALSE(rules.admits(remote("192.0.2.100:4711")));
  EXPECT_TRUE(rules.admits(remote("203.0.113.7:4711")));
  EXPECT_FALSE(rules.admits(remote("203.0.113.8:4711")));
  EXPECT_TRUE(rules.admits(remote("[fdab::1]:4711")));
  EXPECT_FALSE(rules.admits(remote("[fe80::1%eth0]:4711")));
  EXPECT_TRUE(rules.admits(remote("[::ffff:10.0.0.1]:4711"))) << "IPv4 address mapped to IPv6";
  EXPECT_FALSE(rules.admits(remote("nonsense")));
  EXPECT_FALSE(rules.admits(local(kOther)));
}

TEST(AccessRules, CompareTheUserOfANetworkPeerOnThisHost) {
  const AccessRules rules;
  EXPECT_TRUE(rules.admits(on_this_host(platform::user_id())));
  EXPECT_TRUE(rules.admits(on_this_host(0)));
  EXPECT_FALSE(rules.admits(on_this_host(kOther)));
  EXPECT_FALSE(rules.admits(on_this_host(kOther, "[::1]:4711")));
  EXPECT_FALSE(rules.admits(on_this_host(kOther, "192.0.2.1:4711"))) << "an address of this host";
  EXPECT_TRUE(allowing("user:" + std::to_string(kOther)).admits(on_this_host(kOther)));
  EXPECT_FALSE(
      denying("user:" + std::to_string(platform::user_id())).admits(on_this_host(platform::user_id())));
}

TEST(AccessRules, AdmitUsersOfThisHostByNetwork) {
  const AccessRules rules = allowing("net:127.0.0.0/8");
  EXPECT_TRUE(rules.admits(on_this_host(kOther)));
  EXPECT_FALSE(rules.admits(on_this_host(kOther, "192.0.2.1:4711")));
  EXPECT_FALSE(rules.admits(remote("192.0.2.1:4711")));
  EXPECT_TRUE(rules.admits(on_this_host(platform::user_id(), "192.0.2.1:4711")))
      << "as over local transports";
  EXPECT_TRUE(allowing("all").admits(on_this_host(kOther)));
}

TEST(AccessRules, RejectAPeerOnThisHostOfAnUnknownUser) {
  EXPECT_FALSE(AccessRules().admits(on_this_host(-1)));
  EXPECT_FALSE(allowing("user:" + std::to_string(kOther)).admits(on_this_host(-1)));
  EXPECT_TRUE(allowing("net:127.0.0.1").admits(on_this_host(-1)));
  EXPECT_TRUE(allowing("all").admits(on_this_host(-1)));
  AccessRules rules = allowing("all");
  ASSERT_TRUE(rules.deny("user:" + std::to_string(kOther)));
  EXPECT_FALSE(rules.admits(on_this_host(-1))) << "the rule may be meant for it";
  EXPECT_TRUE(rules.admits(remote("192.0.2.1:4711")));
}

TEST(AccessRules, CompareTheCertificateOfAPeerOnThisHost) {
  Peer peer = on_this_host(kOther);
  peer.subject = "CN=radio-7,O=Navy";
  EXPECT_TRUE(AccessRules().admits(peer)) << "authenticated";
  EXPECT_TRUE(allowing("subject:CN=radio-7,*").admits(peer));
  peer.uid = platform::user_id();
  EXPECT_FALSE(allowing("subject:CN=radar-7,*").admits(peer)) << "its user does not replace the certificate";
  EXPECT_FALSE(denying("user:" + std::to_string(peer.uid)).admits(peer));
}

TEST(AccessRules, TreatAZeroPrefixAsAllOfOneFamily) {
  EXPECT_TRUE(allowing("net:0.0.0.0/0").admits(remote("192.0.2.1:1")));
  EXPECT_FALSE(allowing("net:0.0.0.0/0").admits(remote("[fd00::1]:1")));
  EXPECT_TRUE(allowing("net:::/0").admits(remote("[fd00::1]:1")));
}

TEST(AccessRules, MatchCertificateSubjectsAndAlternativeNames) {
  const AccessRules rules = allowing("name:DNS:*.navy.example,subject:CN=radio-*,O=Navy");
  EXPECT_TRUE(rules.admits(proven("CN=radio-7,O=Navy")));
  EXPECT_FALSE(rules.admits(proven("CN=radar-7,O=Navy")));
  EXPECT_FALSE(rules.admits(proven("CN=radio-7,O=Navy,C=XX")));
  EXPECT_TRUE(rules.admits(proven("CN=other", {"DNS:other", "DNS:radar.navy.example"})));
  EXPECT_FALSE(rules.admits(remote("10.1.2.3:4711"))) << "the peer is not authenticated";
  EXPECT_FALSE(allowing("subject:*").admits(remote("10.1.2.3:4711")));
}

// An authority may let its applicants choose their CN, but not their O.
TEST(AccessRules, CompareSubjectsAttributeByAttribute) {
  const AccessRules rules = allowing("subject:CN=radio-*,O=Navy");
  EXPECT_FALSE(rules.admits(proven("CN=radio-7\\,O=Navy")));
  EXPECT_FALSE(rules.admits(proven("CN=radio-7\\+O=Navy")));
  EXPECT_FALSE(rules.admits(proven("CN=radio-7,OU=x,O=Navy")));
  EXPECT_FALSE(rules.admits(proven("CN=radio-7+O=Navy")));
  EXPECT_TRUE(rules.admits(proven("CN=radio-7\\,8,O=Navy")));
  EXPECT_FALSE(allowing("subject:CN=radio-*").admits(proven("CN=radio-7,O=Navy")));
  EXPECT_TRUE(allowing("subject:CN=radio-*,*").admits(proven("CN=radio-7,O=Navy,C=XX")));
  EXPECT_TRUE(allowing("subject:*,O=Navy").admits(proven("CN=radio-7,OU=x,O=Navy")));
  EXPECT_TRUE(allowing("subject:*").admits(proven("CN=radio-7,O=Navy")));
}

TEST(AccessRules, ApplyDenyBeforeAllow) {
  AccessRules rules = allowing("net:10.0.0.0/8");
  ASSERT_TRUE(rules.deny("net:10.0.7.0/24"));
  EXPECT_TRUE(rules.admits(remote("10.0.6.1:1")));
  EXPECT_FALSE(rules.admits(remote("10.0.7.1:1")));
  EXPECT_FALSE(denying("all").admits(local(platform::user_id())));
  EXPECT_FALSE(denying("net:10.0.7.0/24").admits(remote("(unknown)")));
  EXPECT_TRUE(denying("user:" + std::to_string(kOther)).admits(remote("(unknown)")));
}

TEST(AccessRules, AdmitEveryoneWithAll) {
  EXPECT_TRUE(allowing("all").admits(local(kOther)));
  EXPECT_TRUE(allowing("all").admits(remote("192.0.2.1:1")));
}

TEST(AccessRules, RejectMalformedRules) {
  for (const char* rules : {"", ",", "user:", "user", "net:", "everybody", "net:10.0.0.0/33", "net:10.0.0.0/",
                            "net:radio", "net:10.0.0.1/8", "group:radio", "user:7,"}) {
    EXPECT_NE(trouble(rules), "") << rules;
  }
  EXPECT_THAT(trouble("net:10.0.0.1/8"), HasSubstr("bits set behind its prefix"));
  EXPECT_THAT(trouble("net:10.0.0.0/33"), HasSubstr("from 0 to 32"));
  EXPECT_THAT(trouble("uid:7"), HasSubstr("user:NAME"));
}

TEST(Pattern, MatchesWholeTexts) {
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("a*c*e", "abcde"));
  EXPECT_TRUE(matches("a*ab", "aaab"));
  EXPECT_FALSE(matches("a*c", "abcd"));
  EXPECT_FALSE(matches("", "a"));
}

}  // namespace
}  // namespace orbweaver::orb
