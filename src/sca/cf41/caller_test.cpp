#include "sca/cf41/caller.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace orbweaver::sca {
namespace {

TEST(Caller, IsIdentifiedByItsCertificateUserOrHost) {
  EXPECT_EQ(caller_of(nullptr).identity, "");
  const Peer process{"pid 1", 1, 4711}, local{"127.0.0.1:99", 0, 4711}, remote{"192.0.2.7:99"};
  EXPECT_EQ(caller_of(&process).identity, "user:4711");
  EXPECT_EQ(caller_of(&local).identity, "user:4711");
  EXPECT_EQ(caller_of(&remote).identity, "net:192.0.2.7");
  Peer authenticated = remote;
  authenticated.subject = "CN=radio-7";
  EXPECT_EQ(caller_of(&authenticated).identity, "subject:CN=radio-7");
}

TEST(Caller, IsAnAdministratorIfItCanControlTheProcess) {
  const auto of_user = [](std::int64_t uid) {
    const Peer peer{"127.0.0.1:99", 0, uid};
    return caller_of(&peer).is_administrator;
  };
  EXPECT_TRUE(caller_of(nullptr).is_administrator);
  EXPECT_TRUE(of_user(0));
  EXPECT_TRUE(of_user(static_cast<std::int64_t>(geteuid())));
  EXPECT_FALSE(of_user(4711));
  EXPECT_FALSE(of_user(-1)) << "of another host";
}

}  // namespace
}  // namespace orbweaver::sca
