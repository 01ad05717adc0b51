#include <gmock/gmock.h>

#include <cstdio>
#include <fstream>

#include "platform/process_identity.h"
#include "platform/sha256.h"

namespace orbweaver::platform {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

std::string hex(const std::array<std::uint8_t, 32>& digest) {
  std::string text;
  for (const std::uint8_t byte : digest) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    text += digits;
  }
  return text;
}

TEST(Sha256, ComputesTheDigestsOfFips180) {
  EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex(sha256(std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(HostIdentity, DoesNotRevealTheBootId) {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  ASSERT_FALSE(boot.empty());
  EXPECT_THAT(host_identity(), MatchesRegex("[0-9a-f]+"));
  EXPECT_EQ(host_identity().size(), 32u);
  EXPECT_THAT(host_identity(), Not(HasSubstr(boot.substr(0, 8))));
}

}  // namespace
}  // namespace orbweaver::platform
