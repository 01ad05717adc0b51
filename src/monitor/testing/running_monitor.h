#pragma once

#include <gtest/gtest.h>
#include <httplib.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "monitor/monitor.h"
#include "monitor/testing/fake_source.h"

namespace orbweaver::monitor::testing {

inline constexpr const char* kToken = "0123456789abcdef0123";

/// A file with a token, readable by its owner only.
class TokenFile {
 public:
  explicit TokenFile(const std::string& text = std::string(kToken) + "\n", unsigned mode = 0600) {
    std::string name = std::filesystem::temp_directory_path() / "orbweaver-monitor-XXXXXX";
    folder_ = mkdtemp(name.data());
    std::ofstream(path()) << text;
    chmod(path().c_str(), mode);
  }
  ~TokenFile() { std::filesystem::remove_all(folder_); }
  TokenFile(const TokenFile&) = delete;
  TokenFile& operator=(const TokenFile&) = delete;
  std::string path() const { return folder_ / "token"; }

 private:
  std::filesystem::path folder_;
};

/// Tests with a monitor of a FakeSource, which reads fifty times a second, and a client of it.
class RunningMonitor : public ::testing::Test {
 protected:
  RunningMonitor() {
    options_.address = "0";
    options_.token_file = token_file_.path();
    options_.period_ns = 20'000'000;
  }

  /// Starts the monitor. Called by each test, which may change options_ before.
  void start() {
    auto started = Monitor::start(options_, source_);
    ASSERT_TRUE(started) << started.error().message;
    monitor_ = std::move(*started);
  }
  int port() const {
    const std::string url = monitor_->url();
    return std::stoi(url.substr(url.rfind(':') + 1));
  }
  std::unique_ptr<httplib::Client> client() const {
    auto made = std::make_unique<httplib::Client>("127.0.0.1", port());
    made->set_read_timeout(std::chrono::seconds(60));
    return made;
  }
  static httplib::Headers with_token() { return {{"Authorization", std::string("Bearer ") + kToken}}; }

  TokenFile token_file_;
  MonitorOptions options_;
  FakeSource source_;
  std::unique_ptr<Monitor> monitor_;
};

}  // namespace orbweaver::monitor::testing
