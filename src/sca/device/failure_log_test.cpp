#include "sca/device/failure_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <orbweaver/services/log_service.h>

#include <vector>

#include "platform/testing/becomes_true.h"
#include "sca/files/testing/served_folder.h"
#include "services/naming/naming_context.h"

namespace orbweaver::sca {
namespace {

using platform::testing::becomes_true;
using services::LightweightLog;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::TestOrb;

/// A naming service and logs in another ORB, and the log of a device.
struct LoggingDevice {
  LoggingDevice() : naming(naming::make_naming_service(logs.poa)), domain_log(logs.poa), other_log(logs.poa) {
    naming->bind_new_context({{"radio", ""}});
  }
  void bind_log() { naming->rebind({{"radio", ""}, {"Log", ""}}, domain_log.reference()); }
  static std::vector<std::string> texts(const LightweightLog& log) {
    std::vector<std::string> all;
    for (const services::LogEntry& each : log.read(0, 100)) all.push_back(each.data);
    return all;
  }

  TestOrb logs, own;
  IDL::traits<CosNaming::NamingContextExt>::ref_type naming;
  LightweightLog domain_log, other_log;
  FailureLog log{own.orb, {logs.orb->object_to_string(naming), "radio"}, {"DCE:device", "gpp"}};
};

TEST(FailureLog, WritesRecordsToTheLogOfItsDomain) {
  LoggingDevice device;
  device.log.write("first");
  device.log.write("first");
  device.log.write("second");
  EXPECT_FALSE(device.log.flush(1)) << "there is no log yet";
  device.bind_log();
  EXPECT_TRUE(becomes_true([&] { return device.domain_log.read(0, 100).size() == 2; }));
  EXPECT_THAT(device.texts(device.domain_log), ElementsAre("first", "second"));
  const services::LogEntry record = device.domain_log.read(0, 1).at(0);
  EXPECT_EQ(record.producer_id, "DCE:device");
  EXPECT_EQ(record.producer_name, "gpp");
  EXPECT_EQ(record.level, CosLwLog::FAILURE_ALARM);
}

TEST(FailureLog, WritesRecordsToConnectedLogs) {
  LoggingDevice device;
  device.bind_log();
  LogPort port(device.log);
  port.connectPort(device.other_log.reference(), "c1");
  port.connectPort(device.domain_log.reference(), "c2");
  device.log.write("first");
  EXPECT_TRUE(becomes_true([&] { return device.other_log.read(0, 100).size() == 1; }));
  EXPECT_THAT(device.texts(device.domain_log), ElementsAre("first")) << "once";
  port.disconnectPort("c1");
  EXPECT_THROW(port.disconnectPort("c1"), CF::Port::InvalidPort);
  device.log.write("second");
  EXPECT_TRUE(becomes_true([&] { return device.domain_log.read(0, 100).size() == 2; }));
  EXPECT_THAT(device.texts(device.other_log), ElementsAre("first"));
}

TEST(FailureLog, RejectsWhatIsNoLogAndTooManyOfThem) {
  LoggingDevice device;
  LogPort port(device.log);
  EXPECT_THROW(port.connectPort(nullptr, "c"), CF::Port::InvalidPort);
  EXPECT_THROW(port.connectPort(device.own.use(device.naming), "c"), CF::Port::InvalidPort);
  for (std::size_t i = 0; i < FailureLog::kMaxConnections; ++i)
    port.connectPort(device.other_log.reference(), std::to_string(i));
  EXPECT_THROW(port.connectPort(device.other_log.reference(), "c"), CF::Port::OccupiedPort);
  port.connectPort(device.other_log.reference(), "0");
}

}  // namespace
}  // namespace orbweaver::sca
