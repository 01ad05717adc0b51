#include "sca/profile/dtd.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sca/profile/extensions.h"
#include "sca/profile/profile_kind.h"

namespace orbweaver::sca {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string problem(const std::string& dtd) {
  const auto read = read_dtd(dtd, dtd_text);
  return read ? "nothing" : read.error().message;
}

/// Whether the model accepts these children.
bool accepts(const ContentModel& model, const std::vector<std::string>& children) {
  ContentModel::State state = ContentModel::kStart;
  for (const std::string& child : children) {
    state = model.after(state, child);
    if (state == ContentModel::kNone) return false;
  }
  return model.accepts(state);
}

TEST(Dtd, IsReadForEachKindOfProfile) {
  for (const ProfileKind kind : kProfileKinds) {
    const ElementRule* const root = grammar_of(kind).find(root_element(kind));
    ASSERT_NE(root, nullptr) << root_element(kind);
    EXPECT_EQ(kind_of_root(root_element(kind)), kind);
  }
}

TEST(Dtd, HasAttributesWithTheirDefaults) {
  const ElementRule& simple = *grammar_of(ProfileKind::properties).find("simple");
  EXPECT_EQ(simple.find("mode")->default_value, "readwrite");
  EXPECT_THAT(simple.find("mode")->choices, ElementsAre("readonly", "readwrite", "writeonly"));
  EXPECT_TRUE(simple.find("id")->required);
  EXPECT_EQ(simple.find("id")->kind, AttributeKind::id);
  EXPECT_FALSE(simple.find("name")->required);
}

TEST(Dtd, ExpandsEntitiesOfOtherFiles) {
  const Grammar& sad = grammar_of(ProfileKind::assembly);
  EXPECT_TRUE(accepts(sad.find("componentproperties")->children, {"simpleref", "structref"}));
  EXPECT_FALSE(accepts(sad.find("componentproperties")->children, {}));
}

TEST(Dtd, BuildsAutomataOfContentModels) {
  const auto read = read_dtd(
      "<!ELEMENT r (a, (b | c)+, d?)> <!ELEMENT a EMPTY><!ELEMENT b EMPTY><!ELEMENT c EMPTY><!ELEMENT d "
      "EMPTY>",
      dtd_text);
  ASSERT_TRUE(read) << read.error().message;
  const ContentModel& model = read->find("r")->children;
  EXPECT_TRUE(accepts(model, {"a", "b", "c", "b", "d"}));
  EXPECT_TRUE(accepts(model, {"a", "c"}));
  for (const auto& wrong :
       std::vector<std::vector<std::string>>{{}, {"a"}, {"b"}, {"a", "b", "d", "d"}, {"a", "d"}})
    EXPECT_FALSE(accepts(model, wrong)) << wrong.size();
  EXPECT_THAT(*model.missing_before(ContentModel::kStart, "d"), ElementsAre("a", "b"));
  EXPECT_FALSE(model.missing_before(model.after(ContentModel::kStart, "a"), "a"));
}

TEST(Dtd, RejectsInvalidDeclarations) {
  EXPECT_THAT(problem("<!ELEMENT r (a?, a)><!ELEMENT a EMPTY>"), HasSubstr("not deterministic at a"));
  EXPECT_THAT(problem("<!ELEMENT r (a)>"), HasSubstr("<r> contains the undeclared element a"));
  EXPECT_THAT(problem("<!ATTLIST r a CDATA #IMPLIED>"), HasSubstr("undeclared element r"));
  EXPECT_THAT(problem("<!ELEMENT r EMPTY><!ELEMENT r EMPTY>"), HasSubstr("declared twice"));
  EXPECT_THAT(problem("<!ELEMENT r (a, b | c)>"), HasSubstr("malformed content model"));
  EXPECT_THAT(problem("<!ELEMENT r (a"), HasSubstr("not closed"));
  EXPECT_THAT(problem("%x;"), HasSubstr("there is no entity %x;"));
  EXPECT_THAT(problem("<!ENTITY % x \"%x;\"> %x;"), HasSubstr("nested too deeply"));
  EXPECT_THAT(problem("<!ENTITY % x SYSTEM \"/etc/passwd\"> %x;"), HasSubstr("there is no file /etc/passwd"));
  EXPECT_THAT(problem("<![INCLUDE[]]>"), HasSubstr("not supported"));
}

/// The list of extensions names nothing that the DTDs do not have.
TEST(Extensions, AreInTheDtds) {
  for (const Extension& extension : extensions()) {
    const ElementRule* const element = grammar_of(extension.kind).find(extension.element);
    ASSERT_NE(element, nullptr) << extension.element;
    if (extension.attribute.empty()) continue;
    const AttributeRule* const attribute = element->find(extension.attribute);
    ASSERT_NE(attribute, nullptr) << extension.element << " " << extension.attribute;
    if (extension.value.empty()) continue;
    EXPECT_THAT(attribute->choices, ::testing::Contains(extension.value));
  }
}

}  // namespace
}  // namespace orbweaver::sca
