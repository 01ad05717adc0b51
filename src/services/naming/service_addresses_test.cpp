#include "services/naming/service_addresses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orbweaver::naming {
namespace {

using ::testing::ElementsAre;

TEST(ServiceAddresses, SeparatesTheAddressesOfACorbalocUrl) {
  EXPECT_THAT(service_addresses("corbaloc::a,:b:2810,iiop:1.2@[::1]:1/NameService"),
              ElementsAre("corbaloc::a/NameService", "corbaloc::b:2810/NameService",
                          "corbaloc:iiop:1.2@[::1]:1/NameService"));
  EXPECT_THAT(service_addresses("CorbaLoc::a,:b"), ElementsAre("corbaloc::a", "corbaloc::b"));
}

TEST(ServiceAddresses, ReturnsOtherReferencesAsTheyAre) {
  for (const char* const text : {"", "corbaloc", "corbaloc:", "corbaloc::localhost/NameService",
                                 "corbaloc::a/x,y", "corbaloc:rir:/x", "IOR:00,00", "corbaname::a,:b#x"})
    EXPECT_THAT(service_addresses(text), ElementsAre(text));
}

}  // namespace
}  // namespace orbweaver::naming
