// Priorities of Real-time CORBA in service contexts and tagged components, byte by byte.
#include "giop/priorities.h"

#include "giop/tagged_components.h"
#include "giop/testing.h"

namespace orbweaver::giop::testing {
namespace {

TEST(GiopPriorities, AreEncapsulatedShortsInTheServiceContext) {
  const auto data = encode_priority(300);
  EXPECT_EQ(Octets(data.begin(), data.end()), hex("01 00 2c01"));
  EXPECT_EQ(decode_priority(hex("01 00 2c01")), 300);
  EXPECT_EQ(decode_priority(hex("00 00 012c")), 300);  // as a big-endian machine writes it
}

TEST(GiopPriorities, AreRejectedIfMalformedOrNegative) {
  for (const char* text : {"", "01", "01 00 2c", "02 00 2c01", "01 00 ffff"})
    EXPECT_FALSE(decode_priority(hex(text))) << text;
}

TEST(GiopPriorities, OfABandAreTwoShorts) {
  EXPECT_EQ(encode_priority_range({100, 199}), hex("01 00 6400 c700"));
  EXPECT_EQ(decode_priority_range(hex("00 00 0064 00c7")), (PriorityRange{100, 199}));
  for (const char* text : {"", "01 00 6400", "01 00 c700 6400", "01 00 ffff 6400"})
    EXPECT_FALSE(decode_priority_range(hex(text))) << text;
}

TEST(GiopPriorityModel, IsAnEncapsulatedEnumAndShortInTheReference) {
  EXPECT_EQ(encode_priority_model({true, 5}), hex("01 000000 00000000 0500"));
  EXPECT_EQ(encode_priority_model({false, 200}), hex("01 000000 01000000 c800"));
  EXPECT_EQ(decode_priority_model(hex("00 000000 00000001 00c8")), (PriorityModel{false, 200}));
  // As TAO publishes it: the component, with one policy.
  const auto policies = decode_policies(hex("01 000000 01000000 28000000 0a000000 01000000000000000500"));
  ASSERT_TRUE(policies);
  ASSERT_EQ(policies->size(), 1u);
  EXPECT_EQ(policies->front().type, policy_type::kPriorityModel);
  EXPECT_EQ(decode_priority_model(policies->front().value), (PriorityModel{true, 5}));
  EXPECT_EQ(encode_policies(*policies), hex("01 000000 01000000 28000000 0a000000 01000000000000000500"));
}

TEST(GiopPriorityModel, IsRejectedIfMalformed) {
  for (const char* text : {"", "01 000000 00000000", "01 000000 02000000 0500", "01 000000 00000000 ffff"})
    EXPECT_FALSE(decode_priority_model(hex(text))) << text;
}

TEST(GiopPriorityBands, AreASequence) {
  const std::vector<PriorityRange> bands = {{0, 99}, {100, 32767}};
  EXPECT_EQ(encode_priority_bands(bands), hex("01 000000 02000000 0000 6300 6400 ff7f"));
  EXPECT_EQ(decode_priority_bands(encode_priority_bands(bands)), bands);
  for (const char* text : {"", "01 000000 02000000 0000 6300", "01 000000 ffffffff 0000 6300",
                           "01 000000 01000000 6300 0000", "01 000000 01000000 ffff 0000"})
    EXPECT_FALSE(decode_priority_bands(hex(text))) << text;
}

}  // namespace
}  // namespace orbweaver::giop::testing
