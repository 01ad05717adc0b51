// The structure of profiles: what the DTDs decide.
#include "sca/profile/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sca/profile/similar_name.h"

namespace orbweaver::sca {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// The findings in a profile with this text.
std::string findings(const std::string& text, std::size_t max = 100) {
  Findings findings;
  try {
    validate(XmlFile("f.xml", text), findings);
  } catch (const ProfileError& error) {
    return error.message;
  }
  return findings.text(max);
}

std::string in_properties(const std::string& text) {
  return findings("<properties>" + text + "</properties>");
}

TEST(Validate, AcceptsWhatTheDtdAllows) {
  EXPECT_EQ(
      in_properties("<description>d</description><simple id=\"a\" type=\"long\"/>"
                    "<simplesequence id=\"b\" type=\"string\"><values><value/></values></simplesequence>"),
      "");
  EXPECT_EQ(in_properties(
                "<simple id=\"a\" type=\"long\"><kind kindtype=\"configure\"> <!-- c --> </kind></simple>"),
            "");
}

TEST(Validate, ReportsAllMistakesInTheirOrder) {
  EXPECT_EQ(
      in_properties("\n<simple id='a' typ='long'/>\n<simpel id='a' type='long'/>\n"
                    "<simple id='b' type='lonG' mode='rw'><range min='1'/></simple>\n"),
      "f.xml:2:1: <simple> has no attribute 'typ'; did you mean 'type'? it can have id, type, name, mode, "
      "complex, commandline or optional\n"
      "f.xml:2:1: <simple> needs the attribute 'type'; add type=\"…\"\n"
      "f.xml:3:1: <simpel> is not allowed in <properties>; did you mean 'simple'? there can be description, "
      "simple, simplesequence, test, struct or structsequence\n"
      "f.xml:3:1: a second id 'a'; the first is in line 2: rename one\n"
      "f.xml:4:1: the attribute 'type' cannot be 'lonG'; did you mean 'long'? it can be boolean, char, "
      "double, "
      "float, short, long, objref, octet, string, ulong, ushort, longlong, ulonglong or utctime\n"
      "f.xml:4:1: the attribute 'mode' cannot be 'rw'; it can be readonly, readwrite or writeonly\n"
      "f.xml:4:38: <range> needs the attribute 'max'; add max=\"…\"\n");
}

TEST(Validate, LimitsTheIdAndTheNameOfAProfile) {
  const auto package = [](std::size_t id, std::size_t name) {
    return findings("<softpkg id='" + std::string(id, 'i') + "' name='" + std::string(name, 'n') +
                    "'><author/><implementation id='" + std::string(5000, 'x') +
                    "'><code><localfile name='c'/></code><os name='Linux'/></implementation></softpkg>");
  };
  EXPECT_EQ(package(1024, 1024), "");
  EXPECT_EQ(package(1025, 1),
            "f.xml:1:1: the attribute 'id' has 1025 octets; at most 1024 are supported: shorten it\n");
  EXPECT_EQ(package(1, 100'000),
            "f.xml:1:1: the attribute 'name' has 100000 octets; at most 1024 are supported: shorten it\n");
}

TEST(Validate, ReportsMissingSecondAndMisplacedElements) {
  const std::string begin = "<softpkg id='a' name='n'><author/><implementation id='i'>";
  const std::string end = "</implementation></softpkg>";
  const auto implementation = [&](const std::string& text) { return findings(begin + text + end); };
  EXPECT_EQ(implementation("<code><localfile name='x'/></code><os name='Linux'/>"), "");
  EXPECT_EQ(implementation("<os name='Linux'/>"),
            "f.xml:1:58: <implementation> needs a <code> before this <os>; add <code>\n");
  EXPECT_EQ(
      implementation("<code><localfile name='x'/></code>"),
      "f.xml:1:35: <implementation> needs a <os>, <processor> or <dependency>; add <os>, <processor> or "
      "<dependency>\n");
  EXPECT_THAT(
      implementation("<code/><code><localfile name='x'/></code><os name='Linux'/>"),
      AllOf(HasSubstr("<code> needs a <localfile>"), HasSubstr("a second <code>; <implementation> has one")));
  EXPECT_THAT(implementation("<code><localfile name='x'/></code><os name='L'/><compiler name='g'/>"),
              HasSubstr("<compiler> cannot be here, after <os>"));
  EXPECT_THAT(implementation(
                  "<code><localfile name='x'/></code><os name='L'/><compiler name='g'/><runtime name='r'/>"),
              HasSubstr("<runtime> cannot be here, after <os>"));
  EXPECT_THAT(
      implementation("text<code><localfile name='x'/></code><os name='L'>y</os>"),
      AllOf(HasSubstr("text in <implementation>, which has none: 'text'"), HasSubstr("text in <os>")));
}

TEST(Validate, IdsAreUniqueInTheFile) {
  EXPECT_THAT(in_properties("<simple id='a' type='long'/><simplesequence id='a' type='long'/>"),
              HasSubstr("a second id 'a'"));
  EXPECT_THAT(in_properties("<simple id='' type='long'/>"), HasSubstr("the attribute 'id' is empty"));
  const std::string members = "<simple id='m' type='long'/>";
  EXPECT_THAT(in_properties("<struct id='s'>" + members + members + "</struct>"),
              HasSubstr("a second id 'm'"));
  EXPECT_EQ(
      in_properties("<struct id='s'>" + members + "</struct><struct id='t'>" + members + "</struct>"),
      "f.xml:1:80: warning: the id 'm' is also that in line 1; one of the two is a member of a struct; other "
      "tools may reject it\n");
  EXPECT_THAT(in_properties("<simple id='1' type='long'/><simple id='2' type='long'/>"),
              Not(HasSubstr("'2' is not a name")))
      << "one warning is enough";
  EXPECT_THAT(in_properties("<simple id='a b' type='long'/>"),
              HasSubstr("warning: 'a b' is not a name in XML"));
}

TEST(Validate, AttributesOfXmlItselfAreAllowed) {
  EXPECT_EQ(findings("<properties xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' "
                     "xsi:noNamespaceSchemaLocation='x.xsd' xml:lang='en'/>"),
            "");
}

TEST(Validate, PrintsALimitedNumberOfMistakesAndCountsTheOthers) {
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "<x/>";
  const std::string text = in_properties(many);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 101);
  EXPECT_THAT(text, HasSubstr("f.xml: 4900 more mistakes, not shown\n"));
}

TEST(Validate, NamesTheRootThatWasMeant) {
  EXPECT_THAT(findings("<softpkgs/>"), HasSubstr("which is none of a profile; did you mean softpkg?"));
  EXPECT_THAT(findings("<html/>"), HasSubstr("it can be softwareassembly, softpkg"));
}

TEST(SimilarName, IsTheOneWithTheFewestEdits) {
  EXPECT_EQ(similar_name("usename", {"usagename", "uses"}), "usagename");
  EXPECT_EQ(similar_name("usagenmae", {"usename", "usagename"}), "usagename") << "an exchange of neighbours";
  EXPECT_EQ(similar_name("Simple", {"sample", "simple"}), "simple") << "case counts less";
  EXPECT_EQ(similar_name("x", {"y"}), "");
  EXPECT_EQ(similar_name(std::string(65, 'a'), {std::string(64, 'a')}), "");
  EXPECT_EQ(similar_name("usename", std::vector<std::string_view>(501, "usagename")), "") << "bounded time";
}

TEST(Validate, RefusesEntities) {
  EXPECT_THAT(findings("<!DOCTYPE properties [<!ENTITY a 'aaaa'>]><properties>&a;</properties>"),
              HasSubstr("the document type declares entities"));
  EXPECT_THAT(
      findings("<!DOCTYPE properties [<!ENTITY a SYSTEM '/etc/passwd'>]><properties>&a;</properties>"),
      HasSubstr("the document type declares entities"));
}

}  // namespace
}  // namespace orbweaver::sca
