// The log of a domain, as its web monitor serves it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include <httplib.h>

#include "domain_commands.h"
#include "platform/testing/becomes_true.h"

namespace orbweaver {
namespace {

class MonitorLog : public DomainCommands {
 protected:
  /// The records of the log.
  nlohmann::json log(const std::string& url) const {
    httplib::Client client("127.0.0.1", std::stoi(url.substr(url.rfind(':') + 1)));
    client.set_read_timeout(platform::testing::kHangTimeout);
    const auto response = client.Get("/api/v1/log");
    return response ? nlohmann::json::parse(response->body, nullptr, false) : nlohmann::json();
  }
  static nlohmann::json find(const nlohmann::json& records, const std::string& text) {
    for (const auto& each : records)
      if (each.value("text", std::string()).find(text) != std::string::npos) return each;
    return nlohmann::json::object();
  }
};

TEST_F(MonitorLog, HasTheRecordsOfTheLogService) {
  const auto domain =
      start({"domain", "--root", folder_.string(), "--port", port_, "--http", "0"}, "monitor at ");
  domain->until("serving domain");
  const std::size_t begin = domain->output.find("http://");
  const std::string url = domain->output.substr(begin, domain->output.find_first_of(" \n", begin) - begin);
  const auto node =
      start({"node", "--name", "left", "--naming", naming_}, "all its devices and services are registered");
  EXPECT_NE(attempt({"app", "install", "/none.sad.xml"}).second, "exited with status 0");

  const auto records = log(url);
  const auto registered = find(records, "(left) is registered");
  EXPECT_EQ(registered.value("level_name", ""), "ADMINISTRATIVE_EVENT");
  EXPECT_EQ(registered.value("level", ""), "info");
  EXPECT_EQ(registered.value("source", ""), "domain manager");
  EXPECT_EQ(registered.value("source_id", ""), "orbweaver");
  EXPECT_GT(registered.value("time_ms", 0LL), 1'600'000'000'000) << "a time of day";
  const auto failed = find(records, "installApplication of /none.sad.xml has failed");
  EXPECT_EQ(failed.value("level_name", ""), "FAILURE_ALARM");
  EXPECT_EQ(failed.value("level", ""), "error");
  EXPECT_GT(failed.value("number", 0), registered.value("number", 0));
}

}  // namespace
}  // namespace orbweaver
