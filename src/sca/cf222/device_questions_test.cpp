// The question to the devices of a domain for their states.
#include "sca/cf222/testing/domain_fixture.h"

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <vector>

namespace orbweaver::sca {
namespace {

using namespace orbweaver::sca::testing;
using std::chrono::hours;
using ::testing::HasSubstr;

/// The questions to a device, which it answers while the gate is open. Requests that nobody awaits any more
/// are still served at the end of the test.
class DeviceQuestionsTest : public DomainTest {
 protected:
  ~DeviceQuestionsTest() override { open_gate(); }

  /// Of the devices of this node; it is closed at first.
  void put_behind_gate(TestNode& of) {
    first_ = use(of.device());  // which calls it
    for (const auto& device : of.devices) device->on_question = [gate = gate_] { gate->wait(false); };
  }
  void open_gate() {
    *gate_ = true;
    gate_->notify_all();
  }
  void close_gate() { *gate_ = false; }
  /// Why the first device is closed.
  std::string closed(DeviceQuestions& by, Deadline deadline = Deadline::never()) {
    return by.present_state(domain->model->devices().at(0), first_, {}, deadline).candidate.closed;
  }
  /// As above, of a question during which the gate is opened, after several times kShort.
  std::string closed_with_late_answer(DeviceQuestions& by) {
    auto answer = std::async(std::launch::async, [&] { return closed(by); });
    DeviceQuestions meanwhile({.call = 10 * kShort});
    EXPECT_THAT(closed(meanwhile), HasSubstr("does not answer"));
    open_gate();
    return answer.get();
  }

  static constexpr std::chrono::milliseconds kShort{20};

 private:
  IDL::traits<CF::Device>::ref_type first_;
  const std::shared_ptr<std::atomic<bool>> gate_ = std::make_shared<std::atomic<bool>>(false);
};

TEST_F(DeviceQuestionsTest, HaveAnotherLimitForADeviceThatHasNotAnsweredUntilItAnswers) {
  join();
  put_behind_gate(*node);
  DeviceQuestions asked({.call = kShort, .silent = hours(1), .again = hours(1)});
  EXPECT_THAT(closed(asked), HasSubstr("does not answer"));
  EXPECT_EQ(closed_with_late_answer(asked), "") << "it has the limit of a device that has not answered";
  close_gate();
  EXPECT_THAT(closed(asked), HasSubstr("does not answer")) << "it has the usual limit again";
}

TEST_F(DeviceQuestionsTest, HaveTheUsualLimitAgainFromTimeToTime) {
  join();
  put_behind_gate(*node);
  DeviceQuestions asked({.call = kShort, .silent = hours(1), .again = std::chrono::milliseconds(0)});
  for (int i = 0; i < 3; ++i) EXPECT_THAT(closed(asked), HasSubstr("does not answer")) << i;
}

TEST_F(DeviceQuestionsTest, HaveTheUsualLimitAfterAnAnswerThatIsAnException) {
  join();
  put_behind_gate(*node);
  DeviceQuestions asked({.call = kShort, .silent = hours(1), .again = hours(1)});
  EXPECT_THAT(closed(asked), HasSubstr("does not answer"));
  open_gate();
  node->devices[0]->fails_questions = true;
  EXPECT_THAT(closed(asked), HasSubstr("NO_PERMISSION"));
  close_gate();
  EXPECT_THAT(closed(asked), HasSubstr("no answer in time"));
}

TEST_F(DeviceQuestionsTest, HaveTheUsualLimitForADeviceThatOthersHaveDelayed) {
  join();
  put_behind_gate(*node);
  DeviceQuestions asked({.call = hours(1), .silent = std::chrono::milliseconds(1)});
  EXPECT_THAT(closed(asked, Deadline::in_ms(kShort.count())), HasSubstr("does not answer"));
  EXPECT_EQ(closed_with_late_answer(asked), "");
}

TEST_F(DeviceQuestionsTest, HaveTheUsualLimitForADeviceThatHasRegistered) {
  questions = {.call = kShort, .all = hours(1), .silent = hours(1), .again = hours(1)};
  start();
  join();
  put_behind_gate(*node);
  EXPECT_THAT(domain->domain.devices().at(0).candidate.closed, HasSubstr("does not answer"));
  open_gate();
  join();
  close_gate();
  EXPECT_THAT(domain->domain.devices().at(0).candidate.closed, HasSubstr("does not answer"));
}

TEST_F(DeviceQuestionsTest, HaveOneTimeLimitForAllDevices) {
  questions = {.call = hours(1), .all = kShort, .silent = hours(1), .again = hours(1)};
  start();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kDevicesAtATime + 6; ++i) names.push_back("gpp_" + std::to_string(i));
  TestNode many("many", names);
  client->registerDeviceManager(use(many.manager()));
  put_behind_gate(many);
  const auto devices = domain->domain.devices();  // returns although the gate is closed
  open_gate();
  ASSERT_EQ(devices.size(), names.size());
  std::size_t not_asked = 0;
  for (const DeploymentDevice& each : devices) {
    const std::string& closed = each.candidate.closed;
    if (closed.find("was not asked: others have not answered in time") == 0) ++not_asked;
    EXPECT_NE(closed, "");
  }
  EXPECT_GE(not_asked, names.size() - kDevicesAtATime) << "more of them if threads begin after the limit";
}

}  // namespace
}  // namespace orbweaver::sca
