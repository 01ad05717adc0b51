#include <gtest/gtest.h>

#include <stdexcept>

#include "sca/project/template_text.h"

namespace orbweaver::sca {
namespace {

using nlohmann::json;

const json kValues = {{"name", "gain"},
                      {"yes", true},
                      {"no", false},
                      {"none", json::array()},
                      {"ports", {{{"name", "in"}, {"last", false}}, {{"name", "out"}, {"last", true}}}}};

TEST(Expand, ReplacesNames) { EXPECT_EQ(expand("a {{name}}{{name}}.", kValues), "a gaingain."); }

TEST(Expand, RepeatsSectionsForEachElement) {
  EXPECT_EQ(expand("{{#ports}}{{name}}{{^last}}, {{/last}}{{/ports}} of {{name}}", kValues),
            "in, out of gain");
  EXPECT_EQ(expand("{{#none}}{{unknown}}{{/none}}{{^none}}no ports{{/none}}", kValues), "no ports");
  EXPECT_EQ(expand("{{#yes}}1{{/yes}}{{#no}}2{{/no}}{{^no}}3{{/no}}{{^yes}}4{{/yes}}", kValues), "13");
}

TEST(Expand, RemovesLinesOfSections) {
  EXPECT_EQ(expand("{{#ports}}\n- {{name}}\n{{#last}}\nend\n{{/last}}\n{{/ports}}\nx\n", kValues),
            "- in\n- out\nend\nx\n");
  EXPECT_EQ(expand("a{{#yes}}\nb{{/yes}}\n", kValues), "a\nb\n");
}

TEST(Expand, RejectsMistakesOfTemplates) {
  for (const char* text : {"{{unknown}}", "{{#yes}}", "{{/yes}}", "{{#yes}}{{/no}}", "{{name", "{{}}"})
    EXPECT_THROW(expand(text, kValues), std::logic_error) << text;
}

}  // namespace
}  // namespace orbweaver::sca
