#include "monitor/access.h"

#include <gtest/gtest.h>

#include "monitor/testing/running_monitor.h"

namespace orbweaver::monitor {
namespace {

using testing::kToken;
using testing::TokenFile;

AccessRules rules() { return {true, {"radio.example"}, kToken}; }

HttpRequest request(const std::string& host, std::map<std::string, std::string> header = {}) {
  HttpRequest result;
  result.method = "GET";
  result.path = "/api/v1/domain";
  result.header = std::move(header);
  result.header["host"] = host;
  return result;
}

int status(const HttpRequest& request, const AccessRules& rules) {
  const auto refusal = check_access(request, rules);
  return refusal ? refusal->status : 0;
}

TEST(Access, AdmitsOnlyHostsThatNameThisHost) {
  for (const char* host : {"localhost", "LocalHost:8080", "127.0.0.1", "127.1.2.3:80", "[::1]", "[::1]:8080",
                           "radio.example", "Radio.Example:1"})
    EXPECT_EQ(status(request(host), rules()), 0) << host;
  for (const char* host :
       {"", "other.example", "localhost.other.example", "127.0.0.1.other.example", "10.0.0.1", "[::2]",
        "[::1", "[::1]other", "::1", "a:b:c", "192.168.1.4:8080", "0.0.0.0", "localhost:80.other.example",
        "127.0.0.1:8080x", "[::1]:80.other.example"})
    EXPECT_EQ(status(request(host), rules()), 403) << host;
}

TEST(Access, AdmitsAddressesIfItListensOnMoreThanLoopback) {
  AccessRules open = rules();
  open.on_loopback = false;
  EXPECT_EQ(status(request("10.0.0.1:8080"), open), 0);
  EXPECT_EQ(status(request("[fd00::1]:8080"), open), 0);
  EXPECT_EQ(status(request("other.example"), open), 403) << "a name may be rebound to the address";
}

TEST(Access, RefusesPagesOfOtherOrigins) {
  const auto with = [](const char* name, const char* value) {
    return request("localhost:80", {{name, value}});
  };
  EXPECT_EQ(status(with("origin", "http://localhost:80"), rules()), 0);
  EXPECT_EQ(status(with("sec-fetch-site", "same-origin"), rules()), 0);
  EXPECT_EQ(status(with("sec-fetch-site", "none"), rules()), 0);
  for (const char* origin :
       {"http://localhost", "http://localhost:81", "https://localhost:80", "null", "http://other.example"})
    EXPECT_EQ(status(with("origin", origin), rules()), 403) << origin;
  EXPECT_EQ(status(with("sec-fetch-site", "cross-site"), rules()), 403);
  EXPECT_EQ(status(with("sec-fetch-site", "same-site"), rules()), 403) << "another port of this host";
}

TEST(Access, AdmitsLinksToThePageOnly) {
  HttpRequest link = request("localhost", {{"sec-fetch-site", "cross-site"}, {"sec-fetch-mode", "navigate"}});
  EXPECT_EQ(status(link, rules()), 403);
  link.path = "/";
  EXPECT_EQ(status(link, rules()), 0);
  link.header["sec-fetch-mode"] = "no-cors";
  EXPECT_EQ(status(link, rules()), 403);
}

TEST(Access, NeedsTheTokenForChanges) {
  HttpRequest change = request("localhost");
  change.method = "POST";
  EXPECT_EQ(status(change, rules()), 401);
  for (const std::string& wrong :
       {std::string(kToken), "Basic " + std::string(kToken), "Bearer " + std::string(kToken) + "0",
        "Bearer " + std::string(kToken).substr(1), "Bearer " + std::string(kToken) + kToken,
        std::string("Bearer "), std::string("Bearer")}) {
    change.header["authorization"] = wrong;
    EXPECT_EQ(status(change, rules()), 401) << wrong;
  }
  change.header["authorization"] = "bearer " + std::string(kToken);
  EXPECT_EQ(status(change, rules()), 0);
  EXPECT_EQ(status(change, {true, {}, ""}), 403) << "no token: nothing can be changed";
  change.header["authorization"] = "Bearer ";
  EXPECT_EQ(status(change, {true, {}, ""}), 403);
}

TEST(Token, IsOneLineThatOthersCannotRead) {
  EXPECT_EQ(*read_token(TokenFile().path()), kToken);
  EXPECT_EQ(*read_token(TokenFile(kToken).path()), kToken);
  EXPECT_EQ(read_token(TokenFile(kToken, 0640).path()).error().kind, ErrorKind::permission_denied);
  for (const std::string& text : {std::string(), std::string("short\n"), std::string(kToken) + "\n\n",
                                  std::string(kToken) + " " + kToken, std::string(2000, 'a')})
    EXPECT_EQ(read_token(TokenFile(text).path()).error().kind, ErrorKind::invalid) << text;
  EXPECT_EQ(read_token("/nowhere/token").error().kind, ErrorKind::unavailable);
}

}  // namespace
}  // namespace orbweaver::monitor
