#include "base64/base64.h"

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

TEST(Base64, EncodesTheExamplesOfTheStandard) {  // RFC 4648, 10
  EXPECT_EQ(to_base64(""), "");
  EXPECT_EQ(to_base64("f"), "Zg==");
  EXPECT_EQ(to_base64("fo"), "Zm8=");
  EXPECT_EQ(to_base64("foo"), "Zm9v");
  EXPECT_EQ(to_base64("foobar"), "Zm9vYmFy");
}

TEST(Base64, DecodesWhatItEncodes) {
  std::string bytes;
  for (int i = 0; i < 600; ++i) {
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
    bytes += static_cast<char>(i * 7);
  }
}

TEST(Base64, RejectsOtherText) {
  for (const char* const text :
       {"Z", "Zg=", "Zg", "Z===", "=Zg=", "Zm9v=", "Zm-v", "Zh==", "Zm9=", "Zm 9v==="})
    EXPECT_FALSE(from_base64(text)) << text;
}

}  // namespace
}  // namespace orbweaver
