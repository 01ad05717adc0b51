// The log of a domain manager.
#include "sca/cf222/testing/domain_fixture.h"

#include <orbweaver/services/log_service.h>

namespace orbweaver::sca {
namespace {

using namespace orbweaver::sca::testing;

TEST_F(DomainTest, WritesFailuresOfOperationsToTheLog) {
  const auto fails = [&](const std::string& record, const std::function<void()>& call) {
    EXPECT_THROW(call(), CORBA::UserException) << record;
    EXPECT_TRUE(has_logged(domain->domain, record, CosLwLog::FAILURE_ALARM)) << record;
  };
  const auto manager = use(node->manager());
  fails("registerDeviceManager has failed: the device manager is nil",
        [&] { client->registerDeviceManager(nullptr); });
  fails("unregisterDeviceManager has failed: the device manager is not registered",
        [&] { client->unregisterDeviceManager(manager); });
  fails("registerDevice has failed: the device is nil", [&] { client->registerDevice(nullptr, manager); });
  fails("unregisterDevice has failed: the device is not registered",
        [&] { client->unregisterDevice(use(node->device())); });
  fails("registerService of clock has failed:", [&] { client->registerService(nullptr, manager, "clock"); });
  fails("unregisterService of clock has failed: service 'clock' is not registered",
        [&] { client->unregisterService(manager, "clock"); });
  fails("installApplication of /none.sad.xml has failed: /none.sad.xml: there is no such file",
        [&] { client->installApplication("/none.sad.xml"); });
  fails("uninstallApplication of DCE:none has failed: there is no installed",
        [&] { client->uninstallApplication("DCE:none"); });
  join();
  const auto factory = install();
  fails("installApplication of /chain.sad.xml has failed: the application is installed already",
        [&] { client->installApplication("/chain.sad.xml"); });
  fails("application '' cannot be created: the name of the application is empty",
        [&] { factory->create("", {}, {}); });
  deployment.asked = [](const DeploymentRequest&, DeploymentDomain&) {
    throw CF::ApplicationFactory::CreateApplicationRequestError(
        CF::DeviceAssignmentSequence{CF::DeviceAssignmentType("source_1", "nowhere")});
  };
  fails("application 'rx' cannot be created: it rejects the assignments source_1 on nowhere",
        [&] { factory->create("rx", {}, {}); });
  deployment.asked = [](const DeploymentRequest&, DeploymentDomain&) {
    throw CF::ApplicationFactory::InvalidInitConfiguration(
        CF::Properties{CF::DataType("gain", CORBA::Any())});
  };
  fails("application 'rx' cannot be created: it rejects the properties gain",
        [&] { factory->create("rx", {}, {}); });
}

TEST_F(DomainTest, WritesRepeatedFailuresOnceAlsoIfTheyAlternate) {
  const auto manager = use(node->manager());
  for (int i = 0; i < 3; ++i) {
    EXPECT_THROW(client->registerDeviceManager(nullptr), CF::InvalidObjectReference);
    EXPECT_THROW(client->unregisterDeviceManager(manager), CF::InvalidObjectReference);
  }
  std::vector<std::string> all;
  for (const services::LogEntry& each : domain->domain.log_records(0, 100)) all.push_back(each.data);
  EXPECT_THAT(all, ::testing::ElementsAre(
                       "registerDeviceManager has failed: the device manager is nil",
                       ::testing::HasSubstr("unregisterDeviceManager has failed: the device manager")));
}

TEST_F(DomainTest, WritesWhatHasHappenedToTheLog) {
  const auto logged = [&](const std::string& record) {
    EXPECT_TRUE(has_logged(domain->domain, record, CosLwLog::ADMINISTRATIVE_EVENT)) << record;
  };
  join();
  logged("node 'node-1' (label-of-node-1) is registered");
  logged("device 'node-1/gpp' (label of node-1/gpp) of node 'node-1' is registered");
  const auto application = create();
  logged("application 'Chain' (/chain.sad.xml) is installed");
  logged("application 'rx' (/chain.sad.xml) is created");
  application->start();
  logged("application 'rx' is started");
  application->stop();
  logged("application 'rx' is stopped");
  application->releaseObject();
  logged("application 'rx' is released");
  client->registerService(use(node->device()), use(node->manager()), "clock");
  logged("service 'clock' of node 'node-1' is registered");
  client->unregisterService(use(node->device()), "clock");
  logged("service 'clock' is unregistered");
  client->unregisterDevice(use(node->device()));
  logged("device 'node-1/gpp' (label of node-1/gpp) is unregistered");
  client->unregisterDeviceManager(use(node->manager()));
  logged("node 'node-1' (label-of-node-1) is removed: it was unregistered");
}

TEST_F(DomainTest, TellsTheLatestRecordsOfItsLog) {
  const auto texts = [&](std::uint64_t after, std::size_t most) {
    std::vector<std::string> all;
    for (const services::LogEntry& each : domain->domain.log_records(after, most)) all.push_back(each.data);
    return all;
  };
  const auto log = IDL::traits<CosLwLog::LogProducer>::narrow(use(domain->domain.find_log("")));
  const std::uint64_t before = domain->domain.log_records(0, 1000).size();
  for (const char* const text : {"a", "b", "c"})
    log->write_record(CosLwLog::ProducerLogRecord("id", "a client", CosLwLog::USAGE_ERROR, text));
  log->get_availability_status();  // the writing operation is oneway
  EXPECT_THAT(texts(before, 1000), ::testing::ElementsAre("a", "b", "c"));
  EXPECT_THAT(texts(0, 2), ::testing::ElementsAre("b", "c"));
  EXPECT_THAT(texts(before + 1, 2), ::testing::ElementsAre("b", "c"));
  EXPECT_THAT(texts(before + 2, 2), ::testing::ElementsAre("c"));
  EXPECT_THAT(texts(before + 3, 2), ::testing::IsEmpty());
  EXPECT_THAT(texts(std::uint64_t(-1), 2), ::testing::IsEmpty());
  EXPECT_EQ(domain->domain.log_records(before, 1, 3).at(0).producer_name, "a c");
}

TEST_F(DomainTest, WritesItsRecordsToTheLogServicesOfItsProfile) {
  root.write("domain.dmd.xml",
             "<domainmanagerconfiguration id=\"DCE:radio\" name=\"radio\"><domainmanagersoftpkg><localfile "
             "name=\"sink.spd.xml\"/></domainmanagersoftpkg><services><service><usesidentifier>a"
             "</usesidentifier><findby><domainfinder type=\"log\" name=\"recorder\"/></findby></service>"
             "<service><usesidentifier>b</usesidentifier><findby><domainfinder type=\"log\" name=\"Log\"/>"
             "</findby></service></services></domainmanagerconfiguration>");
  profile = "/domain.dmd.xml";
  start();
  join();
  const services::LightweightLog recorder(components.orb().poa);
  client->registerService(use(recorder.reference()), use(node->manager()), "recorder");
  install();
  const auto is_recorded = [&](const std::string& text) {
    const auto records = recorder.read(0, 1000);
    return std::any_of(records.begin(), records.end(), [&](const services::LogEntry& each) {
      return each.data == text && each.level == CosLwLog::ADMINISTRATIVE_EVENT &&
             each.producer_id == "DCE:radio";
    });
  };
  EXPECT_TRUE(platform::testing::becomes_true(
      [&] { return is_recorded("application 'Chain' (/chain.sad.xml) is installed"); }));
  EXPECT_TRUE(is_recorded("node 'node-1' (label-of-node-1) is registered"))
      << "it has waited for the service";
}

TEST_F(DomainTest, WritesAnIncompleteReleaseToTheLog) {
  join();
  const auto application = create();
  deployment.left = {"device 'gpp' does not answer"};
  EXPECT_THROW(application->releaseObject(), CF::LifeCycle::ReleaseError);
  EXPECT_TRUE(has_logged(domain->domain,
                         "application 'rx': its release is incomplete: device 'gpp' does not answer",
                         CosLwLog::FAILURE_ALARM));
}

}  // namespace
}  // namespace orbweaver::sca
