// omniORB's catior decodes a reference of Orbweaver.
#include <gmock/gmock.h>

#include "server.h"

namespace interop {
namespace {

TEST(Catior, DecodesAReference) {
  const Server server(sibling_program("interop-orbweaver-server"));
  const ProgramResult catior = run_program(ORBWEAVER_CATIOR, {server.ior()});
  EXPECT_EQ(catior.status, 0);
  EXPECT_THAT(catior.output, testing::HasSubstr("Type ID: \"IDL:Interop/Workshop:1.0\""));
  EXPECT_THAT(catior.output, testing::HasSubstr("IIOP 1.2 127.0.0.1 " + server.port()));
  EXPECT_THAT(catior.output, testing::HasSubstr("TAG_CODE_SETS"));
}

}  // namespace
}  // namespace interop
