#include "sca/files/file_name.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace orbweaver::sca {
namespace {

constexpr auto kStandard = FileNameRules::standard;
constexpr auto kAscii = FileNameRules::ascii;

TEST(FileName, IsAbsolute) {
  EXPECT_EQ(parse_file_name("/dir/file-1_a.B", kStandard).path, "dir/file-1_a.B");
  EXPECT_EQ(parse_file_name("/", kStandard).path, "");
  EXPECT_EQ(parse_file_name("//dir///file", kStandard).path, "dir/file");
  EXPECT_EQ(parse_file_name("file", kStandard).error, EINVAL);
  EXPECT_EQ(parse_file_name("", kStandard).error, EINVAL);
}

TEST(FileName, HasNoPartThatLeadsUp) {
  for (const char* const name : {"/..", "/../x", "/a/../b", "/.", "/a/./b", "/a/.."})
    EXPECT_EQ(parse_file_name(name, kAscii).error, EINVAL) << name;
  EXPECT_EQ(parse_file_name("/..a/b..", kStandard).error, 0);
}

TEST(FileName, HasLimitedParts) {
  EXPECT_EQ(parse_file_name("/" + std::string(40, 'a'), kStandard).error, 0);
  EXPECT_EQ(parse_file_name("/" + std::string(41, 'a'), kStandard).error, ENAMETOOLONG);
  EXPECT_EQ(parse_file_name("/" + std::string(255, 'a'), kAscii).error, 0);
  EXPECT_EQ(parse_file_name("/" + std::string(256, 'a'), kAscii).error, ENAMETOOLONG);
  std::string longest;
  while (longest.size() < 1024) longest += "/a";
  EXPECT_EQ(parse_file_name(longest, kStandard).error, 0);
  EXPECT_EQ(parse_file_name(longest + "a", kStandard).error, ENAMETOOLONG);
}

TEST(FileName, HasTheCharactersOfTheRules) {
  for (const char* const name : {"/a b", "/a:b", "/a~", "/a+b"}) {
    EXPECT_EQ(parse_file_name(name, kStandard).error, EINVAL) << name;
    EXPECT_EQ(parse_file_name(name, kAscii).error, 0) << name;
  }
  const std::string nul("/a\0b", 4);
  for (const std::string& name : {nul, std::string("/a\nb"), std::string("/\xc3\xa4"), std::string("/a*")})
    EXPECT_EQ(parse_file_name(name, kAscii).error, EINVAL) << name;
  EXPECT_EQ(parse_file_name("/a\x1b[1m", kAscii).message,
            "'/a\\x1b[1m': the character '\\x1b' is not allowed there");
}

TEST(FileName, IsNotThatOfATemporaryFile) {
  EXPECT_EQ(parse_file_name("/a/~orbweaver-1", kAscii).error, EINVAL);
  EXPECT_FALSE(is_valid_part("~orbweaver-1", kAscii));
}

TEST(FilePattern, HasWildCardsInItsLastPartOnly) {
  EXPECT_EQ(parse_file_pattern("/dir/*.so?", kStandard).path, "dir/*.so?");
  EXPECT_EQ(parse_file_pattern("/dir/", kStandard).path, "dir/*");
  EXPECT_EQ(parse_file_pattern("/", kStandard).path, "*");
  EXPECT_EQ(parse_file_pattern("/d*/file", kStandard).error, EINVAL);
  EXPECT_EQ(parse_file_pattern("/d*/", kStandard).error, EINVAL);
}

TEST(FilePattern, Matches) {
  for (const char* const pattern : {"*", "file.xml", "f*", "*.xml", "f*e*l", "????.xml", "*?.*?", "**"})
    EXPECT_TRUE(matches_pattern(pattern, "file.xml")) << pattern;
  for (const char* const pattern : {"", "file", "*.xm", "?ile.xm", "f*z*l", "?????.xml", "file.xml?"})
    EXPECT_FALSE(matches_pattern(pattern, "file.xml")) << pattern;
  EXPECT_TRUE(matches_pattern("*", ""));
  EXPECT_TRUE(matches_pattern("a*ab", "aaaab"));
}

TEST(FilePattern, OfManyWildCardsTakesLittleTime) {
  std::string pattern;
  for (int i = 0; i < 500; ++i) pattern += "*a";
  EXPECT_FALSE(matches_pattern(pattern + "b", std::string(255, 'a')));  // exponential if each "*" went back
}

}  // namespace
}  // namespace orbweaver::sca
