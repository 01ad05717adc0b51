#include "base/utf8.h"

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

void expect_character(std::string_view text, std::uint32_t code, std::size_t bytes) {
  const Utf8Character character = decode_utf8(text);
  EXPECT_TRUE(character.valid) << text;
  EXPECT_EQ(character.code, code);
  EXPECT_EQ(character.bytes, bytes);
}

void expect_invalid(std::string_view text, std::size_t bytes) {
  const Utf8Character character = decode_utf8(text);
  EXPECT_FALSE(character.valid) << text;
  EXPECT_EQ(character.bytes, bytes);
}

TEST(Utf8, DecodesTheFirstCharacter) {
  expect_character(std::string_view("\0", 1), 0, 1);
  expect_character("az", 'a', 1);
  expect_character("\xc3\xa9z", 0xe9, 2);
  expect_character("\xe2\x82\xac", 0x20ac, 3);
  expect_character("\xf4\x8f\xbf\xbf", 0x10ffff, 4);
}

TEST(Utf8, SkipsOneByteOfAnIncompleteSequence) {
  for (const char* text :
       {"\x80", "\xc1\x80", "\xc3", "\xe2\x82", "\xe2\x28\xa1", "\xf5\x80\x80\x80", "\xff"})
    expect_invalid(text, 1);
}

TEST(Utf8, SkipsInvalidCodePointsAsAWhole) {
  expect_invalid("\xe0\x80\x80", 3);      // overlong
  expect_invalid("\xed\xa0\x80", 3);      // a surrogate
  expect_invalid("\xf4\x90\x80\x80", 4);  // above 0x10ffff
}

}  // namespace
}  // namespace orbweaver
