#include "sca/profile/findings.h"

#include <gtest/gtest.h>

namespace orbweaver::sca {
namespace {

/// A line end, the one-character form of escape and [, and a right-to-left override.
const std::string kText = "x\norbweaver check: 0 mistakes\u009b2J\u202e";
const std::string kEscaped = "x\\x0aorbweaver check: 0 mistakes\\xc2\\x9b2J\\u{202e}";

TEST(Findings, ArePrintable) {
  Findings findings;
  findings.mistake({"a\n.xml", 1, 2}, "id '" + kText + "'");
  findings.warn({"a\n.xml", 3, 4}, kText, "remove it");
  EXPECT_EQ(findings.text(10),
            "a\\x0a.xml:1:2: id '" + kEscaped + "'\na\\x0a.xml:3:4: warning: " + kEscaped + "; remove it\n");
  EXPECT_EQ(findings.first_mistake(), "a\\x0a.xml:1:2: id '" + kEscaped + "'");
  ASSERT_EQ(findings.warning_lines().size(), 1u);
  EXPECT_EQ(findings.warning_lines()[0], "a\\x0a.xml:3:4: " + kEscaped + "; remove it");
  EXPECT_EQ(findings.text(0),
            "a\\x0a.xml: 1 more mistake, not shown\na\\x0a.xml: 1 more warning, not shown\n");
}

}  // namespace
}  // namespace orbweaver::sca
