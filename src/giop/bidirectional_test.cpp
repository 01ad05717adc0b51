// Contexts that offer a connection for calls in both directions.
#include "giop/bidirectional.h"

#include "giop/testing.h"

namespace orbweaver::giop::testing {
namespace {

TEST(GiopListenPoints, AreDecodedInEitherByteOrder) {
  const std::vector<ListenPoint> expected{{"ab", 0x1234}, {"", 1}};
  const auto big =
      decode_listen_points(hex("00 000000 00000002 00000003 6162 00 00 1234 0000"
                               "00000001 00 00 0001"));
  ASSERT_TRUE(big) << big.error().message;
  EXPECT_EQ(*big, expected);
  const auto little =
      decode_listen_points(hex("01 000000 02000000 03000000 6162 00 00 3412 0000"
                               "01000000 00 00 0100"));
  ASSERT_TRUE(little) << little.error().message;
  EXPECT_EQ(*little, expected);
}

TEST(GiopListenPoints, AreEncodedAsTheyAreDecoded) {
  const std::vector<ListenPoint> points{{"radio.example", 4711}, {"::1", 65535}, {"", 0}};
  const auto decoded = decode_listen_points(encode_listen_points(points));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(*decoded, points);
  const auto none = decode_listen_points(encode_listen_points({}));
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
}

TEST(GiopListenPoints, AreRejectedIfMalformed) {
  for (const char* text :
       {"", "02 000000 00000000", "00", "00 000000 ffffffff", "00 000000 00000001",
        "00 000000 00000001 00000004 61620000", "00 000000 00000001 00000003 616263 00 1234"}) {
    EXPECT_FALSE(decode_listen_points(hex(text))) << text;
  }
}

TEST(GiopListenPoints, AreLimited) {
  const std::vector<ListenPoint> most(kMaxListenPoints, {"h", 1});
  EXPECT_TRUE(decode_listen_points(encode_listen_points(most)));
  std::vector<ListenPoint> more = most;
  more.push_back({"h", 1});
  EXPECT_FALSE(decode_listen_points(encode_listen_points(more)));
  EXPECT_TRUE(decode_listen_points(encode_listen_points({{std::string(kMaxListenHostBytes, 'h'), 1}})));
  EXPECT_FALSE(decode_listen_points(encode_listen_points({{std::string(kMaxListenHostBytes + 1, 'h'), 1}})));
}

}  // namespace
}  // namespace orbweaver::giop::testing
