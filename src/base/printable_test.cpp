#include "base/printable.h"

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

TEST(Printable, KeepsPrintableText) {
  EXPECT_EQ(printable(""), "");
  EXPECT_EQ(printable("IDL:Test/Hello:1.0 'a' \"b\" C:\\d"), "IDL:Test/Hello:1.0 'a' \"b\" C:\\d");
  EXPECT_EQ(printable("Grüße, κόσμε, 世界, \xf0\x9f\x93\xbb"), "Grüße, κόσμε, 世界, \xf0\x9f\x93\xbb");
}

TEST(Printable, EscapesLineEndsAndTerminalSequences) {
  EXPECT_EQ(printable("a\nb\r\tc"), "a\\x0ab\\x0d\\x09c");
  EXPECT_EQ(printable("\x1b[2J\x1b]0;title\x07"), "\\x1b[2J\\x1b]0;title\\x07");
  EXPECT_EQ(printable(std::string_view("a\0b\x7f", 4)), "a\\x00b\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J"),
            "\\xc2\\x9b2J")
      << "the one-character form of escape and [";
}

TEST(Printable, EscapesInvalidUtf8) {
  EXPECT_EQ(printable("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf") << "too long a form of '/'";
  EXPECT_EQ(printable("\xe0\x80\x8a"), "\\xe0\\x80\\x8a") << "too long a form of a line end";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half of a surrogate pair";
  EXPECT_EQ(printable("\xf5\x80\x80\x80"), "\\xf5\\x80\\x80\\x80");
  EXPECT_EQ(printable("cut \xe4\xb8"), "cut \\xe4\\xb8");
}

TEST(Printable, EscapesSeparatorsAndBidiControls) {
  EXPECT_EQ(printable("a\u2028b\u202Ec"), "a\\u{2028}b\\u{202e}c");
}

TEST(Printable, EscapesInvisibleCharacters) {
  EXPECT_EQ(printable("a\u200Bb\u200D\u2060\u2064\uFEFF"), "a\\u{200b}b\\u{200d}\\u{2060}\\u{2064}\\u{feff}");
  EXPECT_EQ(printable("\U000E0000\U000E0041\U000E007F"), "\\u{e0000}\\u{e0041}\\u{e007f}");
  EXPECT_EQ(printable("\u200A\u2065\U000E0080"), "\u200A\u2065\U000E0080") << "their neighbours";
}

TEST(Printable, IsIdempotent) {
  const std::string once = printable("\x1b[31m\n\xff");
  EXPECT_EQ(printable(once), once);
}

TEST(Printable, TruncatesBetweenCharacters) {
  EXPECT_EQ(printable(std::string(100, 'a'), 10), "aaaaaaaaaa… (90 bytes more)");
  EXPECT_EQ(printable("äöü", 3), "ä… (4 bytes more)");
  EXPECT_EQ(printable("\n\n\n", 9), "\\x0a\\x0a… (1 bytes more)");
  EXPECT_EQ(printable("äöü", 6), "äöü");
}

TEST(PrintableLines, KeepsTheLinesOfAMessage) {
  EXPECT_EQ(printable_lines("two mistakes:\na.xml:1: one\nb.xml:2: two"),
            "two mistakes:\n  a.xml:1: one\n  b.xml:2: two");
}

TEST(PrintableLines, EscapesEachLine) {
  EXPECT_EQ(printable_lines("\n\na\x1b[2J\r\n\norbweaver: forged"), "a\\x1b[2J\\x0d\n  orbweaver: forged");
  EXPECT_EQ(printable_lines(""), "");
}

}  // namespace
}  // namespace orbweaver
