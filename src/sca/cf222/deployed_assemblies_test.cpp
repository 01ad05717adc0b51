#include "sca/cf222/deployed_assemblies.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace orbweaver::sca {
namespace {

struct DeployedAssembliesTest : ::testing::Test {
  /// Times that the SAD has been read.
  int read = 0;
  bool exists = true;
  bool is_released_while_read = false;
  DeployedAssemblies assemblies{[this](const std::string&) -> Result<Assembly> {
                                  ++read;
                                  if (std::exchange(is_released_while_read, false)) {
                                    exists = false;
                                    assemblies.remove("rx");
                                  }
                                  return Assembly();
                                },
                                [this](const std::string&) { return exists; }};

  /// Whether the assembly is kept when it has been found.
  bool keeps_found() {
    Application application;
    application.id = "rx";
    const std::weak_ptr<const Assembly> found = assemblies.find(application);
    return !found.expired();
  }
};

TEST_F(DeployedAssembliesTest, KeepsTheAssemblyUntilTheReleaseOfTheApplication) {
  EXPECT_TRUE(keeps_found());
  EXPECT_TRUE(keeps_found());
  EXPECT_EQ(read, 1);
  exists = false;
  assemblies.remove("rx");
  EXPECT_FALSE(keeps_found());
}

TEST_F(DeployedAssembliesTest, DoesNotKeepTheAssemblyOfAnApplicationThatIsReleasedWhileItIsRead) {
  is_released_while_read = true;
  EXPECT_FALSE(keeps_found());
}

}  // namespace
}  // namespace orbweaver::sca
