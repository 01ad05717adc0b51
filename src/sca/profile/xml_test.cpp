#include <gmock/gmock.h>
#include <gtest/gtest.h>


#include "sca/profile/xml_guard.h"
#include "sca/testdata/profiles.h"

namespace orbweaver::sca {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using testing::Profiles;
using ::testing::StartsWith;

std::string objection_to(const std::string& sad) {
  return Profiles().write("chain.sad.xml", sad).objection();
}

TEST(Xml, EveryTruncationIsReportedAndNoneCrashes) {
  Profiles profiles;
  const std::string whole = profiles.read("chain.sad.xml");
  const auto end = whole.rfind("</softwareassembly>") + 18;
  for (std::size_t length = 0; length < end; length += 7) {
    EXPECT_NE(profiles.write("chain.sad.xml", whole.substr(0, length)).objection(), "nothing")
        << "cut after " << length;
  }
}

TEST(Xml, NoByteFlipCrashes) {
  Profiles profiles;
  const std::string whole = profiles.read("chain.sad.xml");
  for (std::size_t i = 0; i < whole.size(); i += 3) {
    std::string broken = whole;
    broken[i] = static_cast<char>(broken[i] ^ (i % 2 ? 0x14 : 0x80));
    profiles.write("chain.sad.xml", broken).objection();
  }
}

TEST(Xml, ATruncatedFileIsSaidToBeCutOff) {
  Profiles profiles;
  const std::string whole = profiles.read("chain.sad.xml");
  EXPECT_THAT(profiles.write("chain.sad.xml", whole.substr(0, 1200)).objection(), HasSubstr("cut off"));
}

TEST(Xml, AMismatchedTagIsReportedWithItsLine) {
  EXPECT_THAT(Profiles().replace("chain.sad.xml", "</partitioning>", "</partition>").objection(),
              StartsWith("chain.sad.xml:29:"));
}

TEST(Xml, EntitiesOfTheFilesOwnAreRefused) {
  const std::string bomb =
      "<?xml version=\"1.0\"?><!DOCTYPE softwareassembly [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]>"
      "<softwareassembly name=\"&b;\"/>";
  EXPECT_THAT(objection_to(bomb), HasSubstr("the document type declares entities"));
  const std::string outside =
      "<!DOCTYPE softwareassembly [<!ENTITY a SYSTEM \"/etc/passwd\">]><softwareassembly name=\"&a;\"/>";
  EXPECT_THAT(objection_to(outside), HasSubstr("the document type declares entities"));
  EXPECT_THAT(objection_to("<softwareassembly name=\"&secret;\"/>"),
              StartsWith("chain.sad.xml:1:25: a reference to an entity"));
}

TEST(Xml, TheFiveEntitiesAndNumbersOfXmlAreTaken) {
  Profiles profiles;
  profiles.replace("chain.sad.xml", "<usagename>Source</usagename>",
                   "<usagename>A &amp; &lt;B&gt; &#65;&#x42;</usagename>");
  const auto loaded = profiles.load();
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->components[0].name, "A & <B> AB");
}

TEST(Xml, DeepNestingIsRefused) {
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "<a>";
  EXPECT_THAT(objection_to(deep), StartsWith("chain.sad.xml:1:97: elements are nested more than 32 deep"));
}

TEST(Xml, AGiantFileIsRefused) {
  EXPECT_THAT(objection_to(std::string(kMaxProfileBytes + 1, ' ')), HasSubstr("larger than 4 MiB"));
}

/// A million elements: work that grows with their square would not end before the test's time-out.
TEST(Xml, AWideFileIsRead) {
  std::string wide = "<softwareassembly name=\"w\"><componentfiles>";
  while (wide.size() < kMaxProfileBytes - 100) wide += "<a/>";
  wide += "</componentfiles></softwareassembly>";
  EXPECT_THAT(objection_to(wide), HasSubstr("<a> has no place in <componentfiles>"));
}

TEST(Xml, WhatIsNotUtf8IsRefused) {
  EXPECT_THAT(objection_to("<softwareassembly name=\"\xff\"/>"),
              StartsWith("chain.sad.xml:1:25: this byte is not UTF-8"));
  EXPECT_THAT(objection_to(std::string("<softwareassembly\0 name=\"\"/>", 28)), HasSubstr("not UTF-8"));
}

TEST(Xml, WhatIsNotAFileIsRefused) {
  EXPECT_THAT(load_assembly("/").error().message, HasSubstr("this is not a file"));
  EXPECT_THAT(load_assembly("/dev/zero").error().message, HasSubstr("this is not a file"));
  EXPECT_THAT(objection_to(""), HasSubstr("the file is empty"));
}

TEST(Xml, ADifferentProfileIsToldByItsRoot) {
  Profiles profiles;
  EXPECT_THAT(load_assembly(profiles.path("source.spd.xml")).error().message,
              HasSubstr("the outermost element is <softpkg>; a <softwareassembly> was expected"));
}

TEST(Xml, AnAttributeIsGivenOnce) {
  EXPECT_THAT(objection_to("<softwareassembly name=\"a\" name=\"b\"/>"),
              HasSubstr("attribute 'name' is given twice"));
}

TEST(Xml, AnEmptyRootOrNoneIsRefused) {
  EXPECT_THAT(objection_to("<!-- nothing -->"), AnyOf(HasSubstr("outermost element"), HasSubstr("XML")));
  EXPECT_THAT(objection_to("<softwareassembly name=\"a\"/><softwareassembly name=\"b\"/>"),
              HasSubstr("one outermost element; this has 2"));
}

}  // namespace
}  // namespace orbweaver::sca
