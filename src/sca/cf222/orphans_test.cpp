// What released applications and interrupted creations have left on devices.
#include "sca/cf222/orphans.h"

#include "sca/cf222/testing/domain_fixture.h"
#include "sca/domain/record_json.h"

namespace orbweaver::sca {
namespace {

using namespace orbweaver::sca::testing;
using platform::testing::becomes_true;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Changes a record of the disk.
void change_record(Disk& disk, const std::string& prefix, const std::function<void(Application&)>& change) {
  for (auto& [key, value] : disk.records) {
    Application record;
    if (!key.starts_with(prefix) || !from_json_text(value, record)) continue;
    change(record);
    value = to_json_text(record);
  }
}

TEST_F(DomainTest, ForgetsWhatADeviceHasThatDoesNotReturnFor30Days) {
  join();
  const auto application = create();
  client->unregisterDeviceManager(use(node->manager()));
  application->releaseObject();
  ASSERT_EQ(domain->model->orphans().size(), 1u);
  const std::int64_t since = domain->model->orphans()[0].orphaned_s;
  EXPECT_GT(since, 0);
  domain.reset();
  constexpr std::int64_t kDay = 24 * 3600;
  change_record(disk, "orphan/", [&](Application& record) { record.orphaned_s = since - 29 * kDay; });
  start();
  EXPECT_EQ(domain->model->orphans().size(), 1u);
  domain.reset();
  change_record(disk, "orphan/", [&](Application& record) { record.orphaned_s = since - 30 * kDay; });
  start();
  EXPECT_THAT(domain->model->orphans(), IsEmpty());
  EXPECT_TRUE(has_logged(domain->domain, "is forgotten: the device has not registered for 30 days"));
}

TEST_F(DomainTest, KeepsWhatALostDeviceOfSca41HasReturnedForAProcess) {
  join();
  deployment.changed = [](Application& record) { record.components[0].execution = {7, "together", {0, 2}}; };
  const auto application = create();
  client->unregisterDeviceManager(use(node->manager()));
  application->releaseObject();
  ASSERT_EQ(domain->model->orphans().size(), 1u);
  EXPECT_EQ(domain->model->orphans()[0].components.at(0).execution, (Execution41{7, "together", {0, 2}}))
      << "it takes no other identification of the process";
}

TEST_F(DomainTest, UndoesWhatADeviceHasNotConfirmed) {
  join();
  deployment.during = [](const Application&) {
    throw CF::ApplicationFactory::CreateApplicationError(CF::ErrorNumberType::CF_EIO, "no reply");
  };
  deployment.changed = [](Application& record) {
    record.components[0].process = -1;
    record.components[0].unconfirmed = kUnconfirmed;
  };
  EXPECT_EQ(message_of([&] { create(); }), "no reply");
  EXPECT_THAT(client->applications(), IsEmpty()) << "it is no application any more";
  EXPECT_TRUE(becomes_true([&] { return domain->model->orphans().empty(); }));
  EXPECT_THAT(deployment.names_of_undeployed(), ElementsAre("rx")) << "the device is registered";
}

TEST_F(DomainTest, TellsWhatOtherApplicationsHaveExecuted) {
  join();
  const auto others = [&](const std::string& application) {
    return domain->domain.executions_of_others("node-1/gpp", "source_1:rx", application);
  };
  std::vector<bool> in_progress;
  deployment.changed = [](Application& record) {
    record.components[0].process = -1;
    record.components[0].unconfirmed = kUnconfirmed;
  };
  deployment.during = [&](const Application& record) {
    in_progress = {others("earlier").in_progress, others(record.id).in_progress};
    throw CF::ApplicationFactory::CreateApplicationError(CF::ErrorNumberType::CF_EIO, "no reply");
  };
  EXPECT_EQ(message_of([&] { create(); }), "no reply");
  EXPECT_THAT(in_progress, ElementsAre(true, false));
  deployment.changed = [](Application&) {};
  deployment.during = [](const Application&) {};
  create();
  EXPECT_FALSE(others("earlier").in_progress) << "orphans do not wait for each other";
  EXPECT_THAT(others("earlier").processes, ElementsAre(4711));
  EXPECT_THAT(others(domain->model->applications().at(0).id).processes, IsEmpty());
}

TEST_F(DomainTest, UndoesOrdersThatAKilledDomainManagerHasMade) {
  join();
  create();
  domain.reset();
  change_record(disk, "application/", [](Application& record) {
    record.state = ApplicationState::deploying;
    record.components[0].process = -1;
    record.components[0].unconfirmed = kUnconfirmed;
  });
  start();
  EXPECT_TRUE(becomes_true([&] { return deployment.names_of_undeployed().size() == 2; }))
      << "the interrupted creation, and then its orders";
  EXPECT_TRUE(becomes_true([&] { return domain->model->orphans().empty(); }));
}

}  // namespace
}  // namespace orbweaver::sca
