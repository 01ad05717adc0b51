#include "poa/object_key.h"

#include <gtest/gtest.h>

#include <random>

namespace orbweaver::poa {
namespace {

using Octets = std::vector<std::uint8_t>;

// The examples of docs/formats/object-key.md.
TEST(ObjectKey, EncodesASlotAsDocumented) {
  const Octets drawn = {0x4f, 0x57, 1, 0x53, 0xc1, 0x5a, 8, 0x77, 0xe2, 0x90,
                        0x4b, 0x13, 5, 0,    0,    0,    2, 0,    0,    0};
  const Incarnation incarnation = 0x134b90e277085ac1;
  EXPECT_EQ(encode(incarnation, SlotKey{5, 2}), drawn);
  SlotKey read;
  ASSERT_TRUE(decode(drawn, incarnation, read));
  EXPECT_EQ(read.slot, 5u);
  EXPECT_EQ(read.generation, 2u);
}

TEST(ObjectKey, EncodesANameAsDocumented) {
  const std::string text("OW\1N\0\0\0\0\0\0\0\0\x0b\0radio/firstamp", 28);
  const Octets drawn(text.begin(), text.end()), id = {'a', 'm', 'p'};
  EXPECT_EQ(encode(NameKey{0, "radio/first", id}), drawn);
  NameKey read;
  ASSERT_TRUE(decode(drawn, read));
  EXPECT_EQ(read.incarnation, 0u);
  EXPECT_EQ(read.path, "radio/first");
  EXPECT_EQ(Octets(read.id.begin(), read.id.end()), id);
}

TEST(ObjectKey, RejectsAnotherIncarnation) {
  SlotKey read;
  EXPECT_FALSE(decode(encode(1, SlotKey{5, 2}), 2, read));
}

TEST(ObjectKey, RejectsSlotKeysOfAnotherLength) {
  const Octets whole = encode(1, SlotKey{5, 2});
  SlotKey read;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(decode(Bytes(whole).first(length), 1, read));
  }
  Octets longer = whole;
  longer.push_back(0);
  EXPECT_FALSE(decode(longer, 1, read));
}

TEST(ObjectKey, RejectsAPathBeyondTheKey) {
  Octets key = encode(NameKey{0, "path", {}});
  NameKey read;
  EXPECT_TRUE(decode(key, read));
  key[12] = 5;
  EXPECT_FALSE(decode(key, read));
  key[13] = 0xff;
  EXPECT_FALSE(decode(key, read));
}

TEST(ObjectKey, DecodesRandomOctetsSafely) {
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    Octets key(random() % 40);
    for (auto& octet : key) octet = static_cast<std::uint8_t>(random());
    const char* magic = i % 2 == 0 ? "OW\1S" : "OW\1N";
    std::copy_n(magic, std::min<std::size_t>(4, key.size()), key.begin());
    SlotKey slot;
    NameKey name;
    (void)decode(key, 1, slot);
    if (decode(key, name)) {
      EXPECT_LE(name.path.size() + name.id.size(), key.size());
    }
  }
}

}  // namespace
}  // namespace orbweaver::poa
