#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sca/profile/xml_prescan.h"
#include "sca/testdata/test_profiles.h"

namespace orbweaver::sca {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::TestProfiles;

std::string problem_in(const std::string& sad) {
  return TestProfiles().write("chain.sad.xml", sad).problem();
}

TEST(Xml, ReportsEveryTruncation) {
  TestProfiles profiles;
  const std::string whole = profiles.read("chain.sad.xml");
  const auto end = whole.rfind("</softwareassembly>") + 18;
  for (std::size_t length = 0; length < end; length += 7) {
    EXPECT_NE(profiles.write("chain.sad.xml", whole.substr(0, length)).problem(), "nothing")
        << "cut after " << length;
  }
}

TEST(Xml, SurvivesByteFlips) {
  TestProfiles profiles;
  const std::string whole = profiles.read("chain.sad.xml");
  for (std::size_t i = 0; i < whole.size(); i += 3) {
    std::string broken = whole;
    broken[i] = static_cast<char>(broken[i] ^ (i % 2 ? 0x14 : 0x80));
    profiles.write("chain.sad.xml", broken).problem();
  }
}

TEST(Xml, ReportsATruncatedFile) {
  TestProfiles profiles;
  const std::string whole = profiles.read("chain.sad.xml");
  EXPECT_THAT(profiles.write("chain.sad.xml", whole.substr(0, 1200)).problem(), HasSubstr("truncated"));
}

TEST(Xml, ReportsTheLineOfAMismatchedTag) {
  EXPECT_THAT(TestProfiles().replace("chain.sad.xml", "</partitioning>", "</partition>").problem(),
              StartsWith("chain.sad.xml:29:"));
}

TEST(Xml, RejectsCustomEntities) {
  const std::string bomb =
      "<?xml version=\"1.0\"?><!DOCTYPE softwareassembly [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]>"
      "<softwareassembly name=\"&b;\"/>";
  EXPECT_THAT(problem_in(bomb), HasSubstr("the document type declares entities"));
  const std::string outside =
      "<!DOCTYPE softwareassembly [<!ENTITY a SYSTEM \"/etc/passwd\">]><softwareassembly name=\"&a;\"/>";
  EXPECT_THAT(problem_in(outside), HasSubstr("the document type declares entities"));
  EXPECT_THAT(problem_in("<softwareassembly name=\"&secret;\"/>"),
              StartsWith("chain.sad.xml:1:25: reference to an entity"));
}

TEST(Xml, RejectsReferencesToCharactersThatXmlDoesNotAllow) {
  for (const char* code : {"0", "1", "x1F", "xD800", "xFFFE", "x110000", "9999999", "99999999999999999999"}) {
    EXPECT_THAT(problem_in("<softwareassembly name=\"a&#" + std::string(code) + ";b\"/>"),
                HasSubstr("reference to"))
        << code;
  }
}

TEST(Xml, AcceptsPredefinedAndNumericEntities) {
  TestProfiles profiles;
  profiles.replace("chain.sad.xml", "<usagename>Source</usagename>",
                   "<usagename>A &amp; &lt;B&gt; &#65;&#x42;</usagename>");
  const auto loaded = profiles.load();
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->components[0].name, "A & <B> AB");
}

TEST(Xml, RejectsDeepNesting) {
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "<a>";
  EXPECT_THAT(problem_in(deep), StartsWith("chain.sad.xml:1:97: elements are nested more than 32 deep"));
}

TEST(Xml, RejectsAGiantFile) {
  EXPECT_THAT(problem_in(std::string(kMaxProfileBytes + 1, ' ')), HasSubstr("larger than 4 MiB"));
}

/// A million elements: a reader with quadratic run time would not finish within the test's time-out.
TEST(Xml, ReadsAFileWithManyElements) {
  std::string wide = "<softwareassembly name=\"w\"><componentfiles>";
  while (wide.size() < kMaxProfileBytes - 100) wide += "<a/>";
  wide += "</componentfiles></softwareassembly>";
  EXPECT_THAT(problem_in(wide),
              AllOf(HasSubstr("<a> is not allowed in <componentfiles>"), HasSubstr("of 1048543 mistakes")));
}

TEST(Xml, RejectsInvalidUtf8) {
  EXPECT_THAT(problem_in("<softwareassembly name=\"\xff\"/>"),
              StartsWith("chain.sad.xml:1:25: this byte is not UTF-8"));
  EXPECT_THAT(problem_in(std::string("<softwareassembly\0 name=\"\"/>", 28)), HasSubstr("not UTF-8"));
}

TEST(Xml, RejectsNonRegularFiles) {
  EXPECT_THAT(load_assembly("/").error().message, HasSubstr("this is not a file"));
  EXPECT_THAT(load_assembly("/dev/zero").error().message, HasSubstr("this is not a file"));
  EXPECT_THAT(problem_in(""), HasSubstr("the file is empty"));
}

TEST(Xml, NamesTheUnexpectedRoot) {
  TestProfiles profiles;
  EXPECT_THAT(load_assembly(profiles.path("source.spd.xml")).error().message,
              HasSubstr("the outermost element is <softpkg>; a <softwareassembly> was expected"));
}

TEST(Xml, RejectsADuplicateAttribute) {
  EXPECT_THAT(problem_in("<softwareassembly name=\"a\" name=\"b\"/>"),
              HasSubstr("attribute 'name' is given twice"));
}

TEST(Xml, RejectsTextOutsideTheRoot) {
  EXPECT_THAT(problem_in("<softwareassembly/> x"),
              StartsWith("chain.sad.xml:1:21: text outside the outermost"));
  EXPECT_THAT(problem_in("<softwareassembly name=\"a<b\"/>"),
              StartsWith("chain.sad.xml:1:26: a '<' in the value"));
}

TEST(Xml, RejectsAMissingRoot) {
  EXPECT_THAT(problem_in("<!-- nothing -->"), AnyOf(HasSubstr("outermost element"), HasSubstr("XML")));
  EXPECT_THAT(problem_in("<softwareassembly name=\"a\"/><softwareassembly name=\"b\"/>"),
              HasSubstr("one outermost element; this has 2"));
}

}  // namespace
}  // namespace orbweaver::sca
