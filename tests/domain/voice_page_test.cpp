// The radio in a domain, operated by the page of the web monitor in Chromium. Skipped if Chromium is not
// installed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "domain_commands.h"
#include "monitor/testing/browser.h"
#include "platform/testing/read_file.h"

namespace orbweaver {
namespace {

namespace fs = std::filesystem;
using monitor::testing::Browser;
using platform::testing::becomes_true;
using ::testing::SizeIs;

constexpr const char* kToken = "0123456789abcdef0123";
/// Ten minutes: the radio runs for as long as the test needs.
constexpr int kSamples = 600 * 8000;

/// A domain with a node and the radio, which is paced by the clock, and a browser at its monitor.
class VoiceMonitor : public DomainCommands {
 protected:
  void SetUp() override {
    if (!Browser::is_installed()) GTEST_SKIP() << "chromium and chromium-driver are not installed";
    write_files();
    domain_ = start({"domain", "--root", ORBWEAVER_VOICE_FOLDER, "--port", port_, "--http", "0",
                     "--http-token-file", (folder_ / "token").string()},
                    "monitor at ");
    domain_->until("serving domain");
    node_ =
        start({"node", "--name", "left", "--naming", naming_}, "all its devices and services are registered");
    call({"app", "install", "/" + sad_.filename().string()});
    const std::size_t url = domain_->output.find("http://");
    url_ = domain_->output.substr(url, domain_->output.find_first_of(" \n", url) - url);
    browser_.emplace();
    browser_->open(url_);
    ASSERT_TRUE(browser_->shows("document.getElementById('status').textContent === 'live'"));
  }
  void TearDown() override {
    browser_.reset();
    node_.reset();
    domain_.reset();
    std::error_code ignored;
    fs::remove(sad_, ignored);
  }

  /// Presses a button of the application's row.
  void press(const std::string& label) {
    const std::string button =
        "[...document.querySelectorAll('#applications button')].find("
        "each => each.textContent === '" +
        label + "')";
    ASSERT_TRUE(
        browser_->shows("(() => { const found = " + button + "; return found && !found.disabled; })()"))
        << label;
    browser_->run(button + ".click()");
  }
  bool shows_state(const std::string& state) {
    return browser_->shows("document.querySelector('#applications .badge')?.textContent === '" + state + "'");
  }
  /// A value of the JSON of the monitor, as another client reads it.
  nlohmann::json get(const std::string& path) const {
    httplib::Client client("127.0.0.1", std::stoi(url_.substr(url_.rfind(':') + 1)));
    client.set_read_timeout(platform::testing::kHangTimeout);
    const auto response = client.Get(path.c_str());
    return response ? nlohmann::json::parse(response->body, nullptr, false) : nlohmann::json();
  }
  std::uint64_t packets() const {
    std::uint64_t all = 0;
    for (const auto& each : get("/api/v1/connections")) all += each.value("packets", std::uint64_t{0});
    return all;
  }

  std::unique_ptr<Command> domain_, node_;
  std::optional<Browser> browser_;

 private:
  void write_files() {
    std::ofstream(folder_ / "token") << kToken << "\n";
    chmod((folder_ / "token").c_str(), 0600);
    std::ofstream speech(folder_ / "speech.raw", std::ios::binary);
    for (int i = 0; i < kSamples; ++i) {
      const auto sample = static_cast<std::int16_t>(8000 * std::sin(0.3 * i));
      speech.write(reinterpret_cast<const char*>(&sample), sizeof sample);
    }
    // The assembly, with the files of this test.
    std::string text = platform::testing::read_file(fs::path(ORBWEAVER_VOICE_FOLDER) / "voice.sad.xml");
    const auto set = [&](const std::string& name, const std::string& values) {
      const std::string usage = "<usagename>" + name + "</usagename>";
      text.insert(text.find(usage) + usage.size(),
                  "<componentproperties>" + values + "</componentproperties>");
    };
    set("SpeechSource", "<simpleref refid=\"file\" value=\"" + (folder_ / "speech.raw").string() +
                            "\"/><simpleref refid=\"realtime\" value=\"true\"/>");
    set("WavSink", "<simpleref refid=\"file\" value=\"" + (folder_ / "received.wav").string() + "\"/>");
    sad_ = fs::path(ORBWEAVER_VOICE_FOLDER) / ("monitor-page." + std::to_string(getpid()) + ".sad.xml");
    std::ofstream(sad_) << text;
  }

  fs::path sad_;
  std::string url_;
};

TEST_F(VoiceMonitor, OperatesTheRadio) {
  EXPECT_TRUE(browser_->run("return document.getElementById('create').hidden").get<bool>())
      << "without token";
  browser_->run(
      "document.getElementById('token').click();"
      "document.getElementById('token-input').value = '" +
      std::string(kToken) +
      "';"
      "document.getElementById('token-form').requestSubmit();");
  ASSERT_TRUE(browser_->shows("!document.getElementById('create').hidden"));
  browser_->run(
      "document.getElementById('create-name').value = 'radio';"
      "document.getElementById('create').requestSubmit();");
  ASSERT_TRUE(shows_state("stopped"));
  ASSERT_TRUE(browser_->shows("document.querySelectorAll('.box').length === 9"));
  ASSERT_TRUE(browser_->shows("document.querySelectorAll('.line').length === 8"));
  EXPECT_EQ(packets(), 0u);

  press("Start");
  ASSERT_TRUE(shows_state("started"));
  EXPECT_TRUE(browser_->shows("document.querySelectorAll('.line[data-state=moving]').length === 8"));
  EXPECT_GT(packets(), 0u);

  // The channel gets the value, and the receiver counts bit errors then.
  browser_->run(
      "[...document.querySelectorAll('#components button')].find("
      "each => each.textContent.includes('channel_1')).click()");
  ASSERT_TRUE(browser_->shows("document.querySelector('[data-property=es_n0_db]') !== null"));
  browser_->run(
      "const input = document.querySelector('[data-property=es_n0_db]');"
      "input.value = '6'; input.form.requestSubmit();");
  EXPECT_TRUE(browser_->shows("document.getElementById('message').textContent === 'Set es_n0_db: done'"));
  const auto channel = [&] {
    for (const auto& each : get("/api/v1/components/channel_1:radio/properties"))
      if (each["id"] == "es_n0_db") return each["value"].dump();
    return std::string();
  };
  EXPECT_THAT(channel(), ::testing::HasSubstr("6"));
  EXPECT_TRUE(becomes_true([&] {
    return get("/api/v1/components/deframer_1:radio")["counters"].value("channel_bit_errors", 0.0) > 1000;
  })) << "the receiver counts bit errors";

  press("Stop");
  EXPECT_TRUE(shows_state("stopped"));
  EXPECT_TRUE(browser_->shows("document.querySelectorAll('.line[data-state=moving]').length === 0"));
  std::vector<int> processes;
  for (const auto& each : get("/api/v1/components")) processes.push_back(each["process"]);
  EXPECT_THAT(processes, SizeIs(9));
  browser_->run("window.confirm = () => true");
  press("Release");
  EXPECT_TRUE(browser_->shows("document.querySelectorAll('.box').length === 0"));
  for (const int process : processes)
    EXPECT_TRUE(becomes_true([&] { return kill(process, 0) != 0; })) << process;
  EXPECT_EQ(browser_->console(), "");
}

}  // namespace
}  // namespace orbweaver
