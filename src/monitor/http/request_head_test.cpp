#include "monitor/http/request_head.h"

#include <gtest/gtest.h>

namespace orbweaver::monitor {
namespace {

/// The status with which a head is refused; 0: it is not.
int refused(const std::string& head) {
  const CheckedHead checked = check_request_head(head);
  return checked.refusal ? checked.refusal->status : 0;
}

std::string get(const std::string& more) { return "GET / HTTP/1.1\r\nHost: localhost\r\n" + more + "\r\n"; }

TEST(RequestHead, KeepsOnlyHeadersThatTheServerReads) {
  const CheckedHead checked = check_request_head(
      get("Range: bytes=0-1,0-2\r\nAccept-Encoding: gzip\r\nExpect: 100-continue\r\nUpgrade: h2c\r\n"
          "AUTHORIZATION:\tBearer x \r\nContent-Length: 12\r\n"));
  ASSERT_FALSE(checked.refusal);
  EXPECT_EQ(checked.head.text,
            "GET / HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer x\r\ncontent-length: 12\r\n\r\n");
  EXPECT_EQ(checked.head.body_bytes, 12u);
}

TEST(RequestHead, RefusesARequestLineThatIsNone) {
  EXPECT_EQ(refused("\r\n\r\n"), 400);
  EXPECT_EQ(refused("GET /\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(refused("GET  HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(refused("GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(refused("GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(refused("GET /\xc3\xa4 HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(refused("GET / HTTP/2.0\r\nHost: a\r\n\r\n"), 505);
  EXPECT_EQ(refused("PUT / HTTP/1.1\r\nHost: a\r\n\r\n"), 501);
  EXPECT_EQ(refused("OPTIONS / HTTP/1.1\r\nHost: a\r\n\r\n"), 501);
  EXPECT_EQ(refused("GET /" + std::string(kMaxTargetBytes, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n"), 414);
}

TEST(RequestHead, NeedsOneHost) {
  EXPECT_EQ(refused("GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(refused("GET / HTTP/1.0\r\n\r\n"), 400);
  EXPECT_EQ(refused(get("Host: other.example\r\n")), 400);
}

TEST(RequestHead, RefusesHeadersThatServersReadDifferently) {
  EXPECT_EQ(refused(get("Accept: a\r\n b\r\n")), 400) << "continued line";
  EXPECT_EQ(refused(get("Accept : a\r\n")), 400) << "space before the colon";
  EXPECT_EQ(refused(get("Accept\r\n")), 400);
  EXPECT_EQ(refused(get(std::string("Accept: a\0b\r\n", 13))), 400);
  EXPECT_EQ(refused(get("Accept: a\nHost: b\r\n")), 400) << "line feed alone";
  EXPECT_EQ(refused(get("Transfer-Encoding: chunked\r\n")), 411);
  EXPECT_EQ(refused(get("Content-Length: 1\r\nContent-Length: 2\r\n")), 400);
  for (const char* length : {"", "+1", "-1", "1 2", "0x10", "1,1"})
    EXPECT_EQ(refused(get("Content-Length: " + std::string(length) + "\r\n")), 400) << length;
}

TEST(RequestHead, BoundsBodyAndHeaders) {
  EXPECT_EQ(refused(get("Content-Length: " + std::to_string(kMaxBodyBytes) + "\r\n")), 0);
  EXPECT_EQ(refused(get("Content-Length: " + std::to_string(kMaxBodyBytes + 1) + "\r\n")), 413);
  EXPECT_EQ(refused(get("Content-Length: 99999999999999999999999\r\n")), 413);
  EXPECT_EQ(refused(get("Accept: " + std::string(kMaxHeaderLineBytes, 'a') + "\r\n")), 431);
  std::string many;
  for (std::size_t i = 0; i < kMaxHeaderLines; ++i) many += "X-" + std::to_string(i) + ": 1\r\n";
  EXPECT_EQ(refused(get(many)), 431);
}

}  // namespace
}  // namespace orbweaver::monitor
