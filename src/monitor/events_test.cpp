// Server-sent events.
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

#include "monitor/testing/running_monitor.h"
#include "platform/testing/becomes_true.h"

namespace orbweaver::monitor {
namespace {

using nlohmann::json;
using platform::testing::becomes_true;

/// A browser: receives the events and keeps the domain as they say.
class Browser {
 public:
  explicit Browser(std::unique_ptr<httplib::Client> client) : client_(std::move(client)) {
    thread_ = std::thread([this] {
      const auto response = client_->Get("/api/v1/events", [this](const char* data, std::size_t size) {
        receive({data, size});
        return !closing_;
      });
      ended_ = true;
    });
  }
  ~Browser() {
    closing_ = true;
    thread_.join();
  }

  template <class Condition>
  bool sees(Condition condition) {
    return becomes_true([&] {
      const std::lock_guard lock(mutex_);
      return condition(*this);
    });
  }

  // What it has received; read in sees().
  json domain;
  std::vector<json> log;
  int snapshots = 0;
  int changes = 0;
  std::atomic<bool> ended_ = false;

 private:
  void receive(std::string_view data) {
    const std::lock_guard lock(mutex_);
    text_ += data;
    for (std::size_t end; (end = text_.find("\n\n")) != std::string::npos; text_.erase(0, end + 2)) {
      const std::string event = text_.substr(0, end);
      const std::size_t at = event.find("\ndata: ");
      if (event.rfind("event: ", 0) != 0 || at == std::string::npos) continue;
      const json value = json::parse(event.substr(at + 7));
      take(event.substr(7, at - 7), value);
    }
  }
  void take(const std::string& name, const json& value) {
    if (name == "snapshot") {
      ++snapshots;
      domain = value;
    } else if (name == "change") {
      ++changes;
      domain.merge_patch(value);
    } else if (name == "log") {
      for (const json& each : value) log.push_back(each);
    }
  }

  std::unique_ptr<httplib::Client> client_;
  std::mutex mutex_;
  std::string text_;
  std::atomic<bool> closing_ = false;
  std::thread thread_;
};

class Events : public testing::RunningMonitor {
 protected:
  double metric(const std::string& name) {
    const std::string text = client()->Get("/metrics")->body;
    return std::stod(text.substr(text.find("\n" + name + " ") + name.size() + 2));
  }
};

TEST_F(Events, BeginWithTheDomainAndFollowItsChanges) {
  start();
  Browser browser(client());
  ASSERT_TRUE(browser.sees([](const Browser& b) { return b.changes >= 3; }));
  EXPECT_TRUE(browser.sees([](const Browser& b) { return b.domain["components"].size() == 9; }));
  source_.change([](Snapshot& snapshot) {
    snapshot.applications[0].state = "failed";
    snapshot.applications[0].failure = "component channel_1 has ended";
    snapshot.components.pop_back();
  });
  EXPECT_TRUE(browser.sees([](const Browser& b) {
    return b.domain["applications"]["voice_1"].value("failure", "") == "component channel_1 has ended" &&
           b.domain["components"].size() == 8;
  }));
  EXPECT_TRUE(browser.sees([](const Browser& b) {
    return b.domain["connections"]["source_1_to_encoder_1:voice_1"].value("packets_per_s", -1.0) == 0;
  }));
}

TEST_F(Events, CarryTheLog) {
  start();
  Browser browser(client());
  ASSERT_TRUE(browser.sees([](const Browser& b) { return b.log.size() == 5; }));
  source_.add_log_line("error", "a line\nof two");
  EXPECT_TRUE(browser.sees(
      [](const Browser& b) { return b.log.size() == 6 && b.log[5]["text"] == "a line\nof two"; }));
}

TEST_F(Events, KeepTheDomainReadOnlyWhileABrowserListens) {
  start();
  EXPECT_EQ(source_.reads(), 0u);
  {
    Browser first(client());
    Browser second(client());
    ASSERT_TRUE(first.sees([](const Browser& b) { return b.changes >= 2; }));
    ASSERT_TRUE(second.sees([](const Browser& b) { return b.changes >= 2; }));
    EXPECT_EQ(metric("orbweaver_monitor_event_streams"), 2);
  }
  EXPECT_TRUE(becomes_true([&] { return metric("orbweaver_monitor_event_streams") == 0; }));
}

TEST_F(Events, AreRefusedBeyondTheirLimit) {
  options_.event_streams = 1;
  start();
  {
    Browser first(client());
    ASSERT_TRUE(first.sees([](const Browser& b) { return b.snapshots == 1; }));
    EXPECT_EQ(client()->Get("/api/v1/events")->status, 503);
    EXPECT_EQ(client()->Get("/api/v1/domain")->status, 200) << "other requests are served";
  }
  EXPECT_TRUE(becomes_true([&] { return metric("orbweaver_monitor_event_streams") == 0; }));
  Browser next(client());
  EXPECT_TRUE(next.sees([](const Browser& b) { return b.snapshots == 1; }));
}

TEST_F(Events, EndWithTheMonitor) {
  start();
  Browser browser(client());
  ASSERT_TRUE(browser.sees([](const Browser& b) { return b.snapshots == 1; }));
  monitor_.reset();
  EXPECT_TRUE(becomes_true([&] { return browser.ended_.load(); }));
}

}  // namespace
}  // namespace orbweaver::monitor
