#include "etcd/etcd_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orbweaver::etcd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(EtcdUrl, NamesServers) {
  const auto one = parse_etcd_url("etcd://localhost");
  ASSERT_TRUE(one);
  EXPECT_THAT(one->servers, ElementsAre("localhost:2379"));
  EXPECT_FALSE(one->tls);
  const auto several = parse_etcd_url("etcds://a.example:1,192.0.2.1,[2001:db8::1]:65535,[::1]");
  ASSERT_TRUE(several);
  EXPECT_THAT(several->servers,
              ElementsAre("a.example:1", "192.0.2.1:2379", "[2001:db8::1]:65535", "[::1]:2379"));
  EXPECT_TRUE(several->tls);
}

TEST(EtcdUrl, RejectsWhatIsNoServer) {
  for (const char* const url :
       {"etcd://", "etcd://,", "etcd://a,", "etcd://a:", "etcd://a:0", "etcd://a:65536", "etcd://a:1x",
        "etcd://a/b", "etcd://user:secret@a", "etcd://[::1", "etcd://[a]", "etcd://[::1]2379", "etcd://a b",
        "etcd://::1"}) {
    const auto parsed = parse_etcd_url(url);
    ASSERT_FALSE(parsed) << url;
    EXPECT_EQ(parsed.error().kind, ErrorKind::invalid);
    EXPECT_THAT(parsed.error().message, HasSubstr("is no server; an etcd is named as etcd://HOST:PORT"));
  }
  EXPECT_TRUE(is_etcd_url("etcds://a"));
  EXPECT_FALSE(is_etcd_url("/var/lib/etcd://a"));
}

}  // namespace
}  // namespace orbweaver::etcd
