// Applications of lost nodes are created again.
#include "sca/cf222/testing/domain_fixture.h"

#include <atomic>
#include <semaphore>
#include <thread>

#include "platform/testing/thread_observer.h"

namespace orbweaver::sca {
namespace {

using namespace orbweaver::sca::testing;
using platform::testing::becomes_true;
using ::testing::ElementsAre;

/// A domain with two nodes; applications are created on the first of them.
class RedeploymentTest : public DomainTest {
 protected:
  /// The record of the application of that name; one without a name if there is none.
  Application record(const std::string& name = "rx") const {
    for (const Application& each : domain->model->applications())
      if (each.name == name) return each;
    return {};
  }
  /// Waits until an application is there, and is executed by this device.
  bool becomes_executed_by(const std::string& device, const std::string& name = "rx") const {
    return becomes_true([&] {
      const Application now = record(name);
      return runs(now) && now.components.at(0).device == device && !now.redeployment.lost;
    });
  }

  /// Creates two applications, and loses their node. Each has failed once with this error, while the other
  /// was in progress, before an attempt succeeds.
  void lose_two(CF::ErrorNumberType number, const std::string& message) {
    join();
    create("rx")->redeploy(true);
    create("tx")->redeploy(true);
    client->registerDeviceManager(use(other->manager()));
    deployment.asked = [=, this](const DeploymentRequest&, DeploymentDomain&) {
      if (attempts_of_two++ >= 2) return;
      EXPECT_TRUE(becomes_true([&] { return attempts_of_two >= 2; }));
      throw CF::ApplicationFactory::CreateApplicationError(number, message);
    };
    node.reset();
  }

  std::optional<TestNode> other{std::in_place, "node-2"};
  std::atomic<int> attempts_of_two = 0;
};

TEST_F(RedeploymentTest, CreatesAgainWhatWasLostBeforeARestartOnceItHasAskedTheOthers) {
  client->registerDeviceManager(use(other->manager()));
  create("stays");
  join();
  create("rx")->redeploy(true);
  std::counting_semaphore<> has_asked(0);
  deployment.components[0]->on_existence = [&] { has_asked.release(); };
  deployment.asked = [&](const DeploymentRequest&, DeploymentDomain&) { has_asked.acquire(); };
  domain.reset();
  node.reset();
  start();
  EXPECT_TRUE(becomes_executed_by("node-2/gpp"));
  EXPECT_FALSE(has_logged(domain->domain, "was interrupted"));
  domain->domain.end();  // waits for the threads of the recovery
  EXPECT_TRUE(runs(record()));
  EXPECT_THAT(deployment.undeployed, ElementsAre("rx")) << "on the lost node alone";
}

TEST_F(RedeploymentTest, TriesAgainAfterANodeHasRegisteredDuringAnAttempt) {
  join();
  create("rx")->redeploy(true);
  int attempts = 0;
  deployment.asked = [&](const DeploymentRequest&, DeploymentDomain&) {
    if (attempts++ > 0) return;
    TestOrb orb;
    orb.use(domain->manager)->registerDeviceManager(orb.use(other->manager()));
    throw CF::ApplicationFactory::CreateApplicationError(CF::ErrorNumberType::CF_ENODEV, "no device yet");
  };
  node.reset();
  EXPECT_TRUE(becomes_executed_by("node-2/gpp"));
  domain->domain.end();
  EXPECT_EQ(attempts, 2);
}

TEST_F(RedeploymentTest, RepeatsAttemptsThatFailedBecauseOthersWereInProgress) {
  lose_two(CF::ErrorNumberType::CF_ENOSPC, "the other one has allocated the capacity");
  EXPECT_TRUE(becomes_executed_by("node-2/gpp", "rx"));
  EXPECT_TRUE(becomes_executed_by("node-2/gpp", "tx"));
  domain->domain.end();
  EXPECT_EQ(attempts_of_two, 4);
}

TEST_F(RedeploymentTest, RepeatsNoAttemptsThatFailedForOtherReasons) {
  lose_two(CF::ErrorNumberType::CF_EIO, "no answer");
  const auto has_failed = [&](const std::string& name) {
    return record(name).failure.find("no answer") != std::string::npos;
  };
  EXPECT_TRUE(becomes_true([&] {
    if (attempts_of_two > 2) return true;
    return has_failed("rx") && has_failed("tx") && platform::testing::other_threads_sleep();
  }));
  domain->domain.end();
  EXPECT_EQ(attempts_of_two, 2);
}

TEST_F(RedeploymentTest, CreatesNoApplicationAgainWhoseReleaseIsIncomplete) {
  join();
  const auto application = create("rx");
  const std::string id = application->identifier();
  node.reset();
  ASSERT_TRUE(becomes_true([&] { return record().redeployment.lost; }));
  deployment.left = {"device 'gpp' does not answer"};
  EXPECT_THROW(application->releaseObject(), CF::LifeCycle::ReleaseError);
  application->redeploy(true);
  EXPECT_FALSE(record().redeployment.lost) << "it waits for its release";
  client->registerDeviceManager(use(other->manager()));
  domain->domain.end();
  EXPECT_EQ(record().state, ApplicationState::failed);
  EXPECT_EQ(record().id, id);
}

TEST_F(RedeploymentTest, IsSwitchedOffDuringARelease) {
  join();
  const auto application = create("rx");
  application->redeploy(true);
  deployment.undeploying = [&](const Application& record) {
    domain->domain.applications().set_redeploy(record.id, false);
  };
  deployment.left = {"device 'gpp' does not answer"};
  EXPECT_THROW(application->releaseObject(), CF::LifeCycle::ReleaseError);
  EXPECT_FALSE(application->redeploy());
  EXPECT_EQ(application->state(), State::APPLICATION_FAILED);
}

TEST_F(RedeploymentTest, IsSwitchedOffDuringTheReleaseOfWhatTheLostNodeHasLeft) {
  join();
  client->registerDeviceManager(use(other->manager()));
  create("rx")->redeploy(true);
  deployment.undeploying = [&](const Application& record) {
    domain->domain.applications().set_redeploy(record.id, false);
  };
  const std::string id = record().id;
  node.reset();
  EXPECT_TRUE(becomes_true([&] { return record().id != id; }));
  EXPECT_FALSE(record().redeployment.enabled);
  domain->domain.end();  // waits for the thread that creates applications again
  EXPECT_EQ(record().state, ApplicationState::failed);
  EXPECT_EQ(record().failure.find("again"), std::string::npos) << record().failure;
}

TEST_F(RedeploymentTest, RejectsTheReleaseOfTheNextApplicationUntilItIsCreated) {
  std::vector<std::string> answers;
  std::string first;
  DomainFacade facade;
  facade.name = "other-edition";
  facade.manager = [](Domain&) { return CORBA::make_reference<TestComponent>("manager"); };
  facade.factory = [](Domain&, const std::string&) {
    return CORBA::make_reference<TestComponent>("factory");
  };
  // Called as soon as clients can find an application.
  facade.application = [&](Domain& of, const std::string& id) {
    const auto made = CORBA::make_reference<TestComponent>(id);
    if (first.empty() || id == first) return made;
    try {
      of.applications().release(id);
      answers.push_back("released");
    } catch (const CF::LifeCycle::ReleaseError& e) {
      answers.push_back(e.errorMessages().at(0));
    }
    return made;
  };
  facades.push_back(facade);
  start();
  join();
  client->registerDeviceManager(use(other->manager()));
  const auto application = create("rx");
  application->redeploy(true);
  first = application->identifier();
  node.reset();
  EXPECT_TRUE(becomes_executed_by("node-2/gpp"));
  domain->domain.end();
  EXPECT_THAT(answers, ::testing::Each("another operation of the application is in progress"));
  EXPECT_THAT(deployment.undeployed, ElementsAre("rx"));
}

TEST_F(RedeploymentTest, RejectsApplicationsWhoseArgumentsAreTooLargeToBeKept) {
  join();
  const std::string large(300'000, 'x');
  use(install()->create("rx", {CF::DataType("text", any_of("string", large))}, {}));
  const auto application =
      IDL::traits<framework::DomainApplication>::narrow(use(client->applications().at(0)));
  EXPECT_FALSE(application->redeploy());
  try {
    application->redeploy(true);
    ADD_FAILURE() << "no exception";
  } catch (const CORBA::IMP_LIMIT& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("its creation have more than 256 KiB"));
  }
  application->redeploy(false);
  for (const auto& [key, value] : disk.records) EXPECT_LT(value.size(), large.size()) << key;
}

TEST_F(RedeploymentTest, PausesAfterLossesInSuccession) {
  join();
  const auto application = create("rx");
  application->redeploy(true);
  // Each node is lost as soon as the application is there.
  for (int i = 2; i < 4; ++i) {
    TestNode next("node-" + std::to_string(i));
    client->registerDeviceManager(use(next.manager()));
    node.reset();
    ASSERT_TRUE(becomes_executed_by(next.id() + "/gpp"));
  }
  ASSERT_TRUE(becomes_true([&] { return record().state == ApplicationState::failed; }));
  EXPECT_THAT(record().failure,
              ::testing::HasSubstr("created again after a pause of 10 s, because 2 times in succession"));
  client->registerDeviceManager(use(other->manager()));
  EXPECT_EQ(record().state, ApplicationState::failed);
  const auto again = IDL::traits<framework::DomainApplication>::narrow(use(client->applications().at(0)));
  again->redeploy(false);
  again->redeploy(true);
  EXPECT_TRUE(becomes_executed_by("node-2/gpp")) << "at once";
}

TEST_F(RedeploymentTest, DeactivatesAnApplicationThatIsCreatedAgainDuringTheEnd) {
  join();
  client->registerDeviceManager(use(other->manager()));
  create("rx")->redeploy(true);
  std::binary_semaphore has_begun(0);
  deployment.during = [&](const Application&) {
    has_begun.release();
    TestOrb orb;
    const auto manager = orb.use(domain->manager);
    const auto is_closed = [&] {
      try {
        manager->identifier();
        return false;
      } catch (const CORBA::OBJECT_NOT_EXIST&) {
        return domain->domain.servants().wait_for_none(std::chrono::milliseconds(0));
      }
    };
    EXPECT_TRUE(becomes_true(is_closed));
  };
  node.reset();
  has_begun.acquire();
  domain->domain.end();
  ASSERT_TRUE(runs(record()));
  EXPECT_THROW(use(domain->domain.application(record().id))->name(), CORBA::OBJECT_NOT_EXIST);
}

}  // namespace
}  // namespace orbweaver::sca
