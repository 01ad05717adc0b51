#include "sca/control/call_error.h"

#include <gtest/gtest.h>

namespace orbweaver::sca {
namespace {

TEST(JsonText, IsAscii) {
  EXPECT_EQ(json_text("x\u009b2J\u202e"), "\"x\\u009b2J\\u202e\"\n") << "controls of terminals are escaped";
}

}  // namespace
}  // namespace orbweaver::sca
