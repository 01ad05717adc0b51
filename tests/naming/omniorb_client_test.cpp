// An omniORB program with our service, in each version of GIOP.
#include <gtest/gtest.h>

#include "naming_process.h"

namespace naming_test {
namespace {

TEST(OmniOrbNamingClient, FindsEachOperationAsInTheStandard) {
  const Folder folder;
  const Service service(folder / "state");
  for (const char* version : {"1.0", "1.1", "1.2"}) {
    const Ended ended = run(ORBWEAVER_OMNIORB_NAMING_CLIENT, {service.url(version)});
    EXPECT_EQ(ended.status, 0) << version;
    EXPECT_EQ(ended.output, "complete\n") << version;
  }
}

}  // namespace
}  // namespace naming_test
