// The end of a domain manager, and its restart with the state of an earlier one.
#include "sca/cf222/testing/domain_fixture.h"

#include <atomic>
#include <semaphore>
#include <thread>

#include "sca/domain/record_json.h"

namespace orbweaver::sca {
namespace {

using namespace orbweaver::sca::testing;
using platform::testing::becomes_true;
using ::testing::IsEmpty;

TEST_F(DomainTest, EndsAfterTheRequestsInService) {
  join();
  const auto factory = install();
  std::binary_semaphore reached(0), may_go_on(0);
  std::atomic<bool> has_ended = false, ended_before = false;
  deployment.during = [&](const Application&) {
    reached.release();
    may_go_on.acquire();
    ended_before = has_ended.load();
  };
  std::jthread creation([&] { EXPECT_TRUE(factory->create("rx", {}, {})); });
  reached.acquire();
  std::jthread end([&] {
    domain->domain.end();
    has_ended = true;
  });
  TestOrb other;  // whose requests do not wait behind the creation
  const auto manager = other.use(domain->manager);
  const auto is_closed = [&] {
    try {
      manager->identifier();
      return false;
    } catch (const CORBA::OBJECT_NOT_EXIST&) {
      return true;
    }
  };
  EXPECT_TRUE(becomes_true(is_closed));
  may_go_on.release();
  creation.join();
  end.join();
  EXPECT_FALSE(ended_before);
  EXPECT_EQ(domain->model->applications().at(0).state, ApplicationState::stopped);
}

TEST_F(DomainTest, ReportsExceptionsOfTheThreadsOfItsRecovery) {
  std::optional<TestNode> other(std::in_place, "node-2");
  join();
  client->registerDeviceManager(use(other->manager()));
  domain.reset();
  node.reset();
  other.reset();
  disk.is_broken = true;
  EXPECT_THROW(start(), std::runtime_error) << "each lost node is removed in a thread";
  disk.is_broken = false;
  start();
  EXPECT_THAT(client->deviceManagers(), IsEmpty());
}

TEST_F(DomainTest, FindsEverythingAgainAfterARestart) {
  join();
  const auto application = create();
  application->start();
  start();
  ASSERT_EQ(client->deviceManagers().size(), 1u);
  EXPECT_EQ(client->applicationFactories().size(), 1u);
  ASSERT_EQ(client->applications().size(), 1u);
  const auto again = IDL::traits<framework::DomainApplication>::narrow(use(client->applications()[0]));
  EXPECT_EQ(again->state(), State::APPLICATION_STARTED);
  EXPECT_TRUE(use(client->fileMgr())->exists("/label-of-node-1/gpp.spd.xml"));
  EXPECT_EQ(domain->domain.devices().at(0).candidate.properties.size(), 3u);
  create("second");
  again->releaseObject();
  EXPECT_EQ(client->applications().size(), 1u);
}

TEST_F(DomainTest, KeepsANodeThatAnswersLateAfterARestart) {
  join();
  create();
  watch.limit = std::chrono::milliseconds(50);
  watch.timeouts = 1'000'000;
  domain.reset();
  node->late = std::chrono::milliseconds(200);
  start();
  EXPECT_EQ(client->deviceManagers().size(), 1u);
  EXPECT_EQ(domain->model->applications().at(0).state, ApplicationState::stopped);
}

TEST_F(DomainTest, FailsApplicationsThatWereLostBeforeARestart) {
  join();
  create();
  domain.reset();
  node.reset();
  start();
  EXPECT_THAT(client->deviceManagers(), IsEmpty());
  ASSERT_EQ(domain->model->applications().size(), 1u);
  EXPECT_EQ(domain->model->applications()[0].state, ApplicationState::failed);
}

TEST_F(DomainTest, FinishesWhatARestartHasInterrupted) {
  join();
  create("created");
  create("half-made");
  create("half-released");
  domain.reset();
  for (auto& [key, value] : disk.records) {
    Application record;
    if (!key.starts_with("application/") || !from_json_text(value, record)) continue;
    if (record.name == "half-made") record.state = ApplicationState::deploying;
    if (record.name == "half-released") record.state = ApplicationState::releasing;
    value = to_json_text(record);
  }
  start();
  EXPECT_TRUE(becomes_true([&] { return domain->model->applications().size() == 1; }));
  EXPECT_EQ(domain->model->applications()[0].name, "created");
  domain->domain.end();
  EXPECT_THAT(deployment.undeployed, ::testing::UnorderedElementsAre("half-made", "half-released"));
}

}  // namespace
}  // namespace orbweaver::sca
