// A node that is killed, or stopped for a while: its applications fail, others go on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "failing_domain.h"
#include "platform/testing/becomes_true.h"

namespace orbweaver::sca {
namespace {

using platform::testing::becomes_true;
using ::testing::HasSubstr;

class KilledNode : public ::testing::TestWithParam<bool> {
 protected:
  static bool has_failed(const FailingDomain::ApplicationRef& application) {
    return application->state() == framework::ApplicationState::APPLICATION_FAILED;
  }
};

TEST_P(KilledNode, IsNoticedByItsConnection) {
  // The watch calls the node once, and then not within the time of the test.
  FailingDomain domain(GetParam(), {std::chrono::hours(1), std::chrono::minutes(2), 3});
  const auto application = domain.create();
  application->start();
  domain.node(true).signal(SIGKILL);
  EXPECT_TRUE(becomes_true([&] { return has_failed(application); }));
  EXPECT_THAT(application->failure(), HasSubstr("is lost: its process has ended"));
  EXPECT_FALSE(domain.has_device("right"));
  EXPECT_EQ(domain.damage_to_other(), "");
  domain.expect_nothing_left();
}

TEST_P(KilledNode, IsNotLostWhileItIsStoppedForLessThanTheLimit) {
  FailingDomain domain(GetParam(), {std::chrono::milliseconds(1), std::chrono::minutes(2), 3});
  const auto application = domain.create();
  application->start();
  domain.node(true).signal(SIGSTOP);
  ASSERT_TRUE(becomes_true([&] { return platform::is_stopped(domain.node(true).pid()); }));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(domain.damage_to_other(), "") << "meanwhile";
  domain.node(true).signal(SIGCONT);
  application->stop();
  EXPECT_TRUE(domain.has_device("right"));
  EXPECT_FALSE(domain.has_logged("is removed"));
  application->releaseObject();
  EXPECT_EQ(domain.left_behind(), "");
}

INSTANTIATE_TEST_SUITE_P(Of, KilledNode, ::testing::Bool(),
                         [](const auto& sca41) { return std::string(sca41.param ? "Sca41" : "Sca222"); });

}  // namespace
}  // namespace orbweaver::sca
