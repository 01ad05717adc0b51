// The page in Chromium. Skipped if Chromium is not installed.
#include <optional>

#include "monitor/testing/browser.h"
#include "monitor/testing/running_monitor.h"

namespace orbweaver::monitor {
namespace {

using platform::testing::becomes_true;
using testing::kToken;

constexpr const char* kTab = "\ue004";
constexpr const char* kEnter = "\ue007";
constexpr const char* kEscape = "\ue00c";

class MonitorPage : public testing::RunningMonitor {
 protected:
  void SetUp() override {
    if (!testing::Browser::is_installed()) GTEST_SKIP() << "chromium and chromium-driver are not installed";
    options_.period_ns = 200'000'000;
  }
  void open() {
    start();
    browser_.emplace();
    browser_->open(monitor_->url());
    ASSERT_TRUE(browser_->shows("document.querySelectorAll('.box').length >= 9"));
  }
  void unlock() {
    browser_->run(
        "document.getElementById('token').click();"
        "document.getElementById('token-input').value = '" +
        std::string(kToken) +
        "';"
        "document.getElementById('token-form').requestSubmit();");
    ASSERT_TRUE(browser_->shows("document.getElementById('token').textContent === 'Changes unlocked'"));
  }
  std::string property(std::size_t index) { return (*source_.properties("channel_1:voice_1"))[index].value; }

  std::optional<testing::Browser> browser_;
};

TEST_F(MonitorPage, ShowsTheRadioAndItsPackets) {
  open();
  EXPECT_EQ(browser_->run("return document.querySelectorAll('.line').length"), 8);
  EXPECT_EQ(browser_->run("return document.querySelectorAll('#connections tbody tr').length"), 8);
  EXPECT_EQ(browser_->run("return document.querySelectorAll('#components tbody tr').length"), 9);
  EXPECT_TRUE(browser_->shows("document.querySelectorAll('.line[data-state=moving]').length === 8"));
  EXPECT_TRUE(browser_->shows("document.getElementById('log').textContent.includes('node channel')"));
  EXPECT_EQ(browser_->run("const texts = of => [...document.querySelector(of).children].map(each => "
                          "each.title || each.textContent); return texts('#log li').slice(1).join('|')"),
            "ADMINISTRATIVE_EVENT|orbweaver|domain orbweaver: state in /var/lib/orbweaver/domain.sqlite");
  EXPECT_EQ(browser_->run("return document.querySelector('#log li .producer').textContent"),
            "domain manager");
  browser_->run("document.querySelector('#connections button').click()");
  EXPECT_TRUE(browser_->shows("document.querySelectorAll('.histogram .column').length > 3"));
  EXPECT_EQ(browser_->console(), "");
}

TEST_F(MonitorPage, SaysThatTheDomainIsBeingReadUntilItIs) {
  start();
  browser_.emplace();
  source_.change([&](Snapshot& snapshot) {  // it cannot be read meanwhile
    snapshot.applications.clear();
    snapshot.components.clear();
    snapshot.connections.clear();
    browser_->open(monitor_->url());
    EXPECT_TRUE(browser_->shows(
        "document.getElementById('applications').textContent.includes('The domain is being read')"));
    EXPECT_FALSE(browser_->run("return document.body.textContent.includes('No application')").get<bool>());
  });
  EXPECT_TRUE(browser_->shows(
      "document.getElementById('applications').textContent.includes('No application has been created')"));
}

TEST_F(MonitorPage, FollowsChangesOfTheDomain) {
  open();
  source_.change([](Snapshot& snapshot) {
    snapshot.applications[0].state = "failed";
    snapshot.applications[0].failure = "node channel is lost";
    std::erase_if(snapshot.components, [](const Component& each) { return each.node == "channel"; });
    std::erase_if(snapshot.nodes, [](const Node& each) { return each.id == "channel"; });
  });
  EXPECT_TRUE(browser_->shows("document.querySelectorAll('.box').length === 8"));
  EXPECT_TRUE(browser_->shows(
      "document.getElementById('applications').textContent.includes('node channel is lost')"));
}

TEST_F(MonitorPage, ShowsMarkupOfTheDomainAsText) {
  const std::string markup = "<img src=x onerror=window.hacked=1><script>window.hacked=1</script>";
  source_.change([&](Snapshot& snapshot) {
    snapshot.domain = markup;
    snapshot.nodes[0].label = markup;
    snapshot.installed[0].name = markup;
    snapshot.applications[0].name = markup;
    snapshot.applications[0].failure = markup;
    snapshot.components[0].name = markup;
    snapshot.components[1].ports.push_back({markup, true, markup});
    snapshot.connections[0].transport = markup;
    snapshot.problem = markup;
  });
  source_.add_log_line("error", markup);
  open();
  EXPECT_TRUE(browser_->shows("document.body.textContent.split('onerror').length > 8"));
  browser_->run("document.querySelector('#components button').click()");
  EXPECT_TRUE(browser_->shows("document.querySelectorAll('.property').length === 4"));
  EXPECT_EQ(browser_->run("return document.querySelectorAll('img, body script').length"), 0);
  EXPECT_EQ(browser_->run("return String(window.hacked)"), "undefined");
  EXPECT_EQ(browser_->console(), "");
}

TEST_F(MonitorPage, ChangesNothingWithoutTheToken) {
  open();
  browser_->run(
      "[...document.querySelectorAll('#components button')].find("
      "each => each.textContent === 'channel_1').click()");
  ASSERT_TRUE(browser_->shows("document.querySelectorAll('.property').length === 4"));
  EXPECT_EQ(browser_->run("return document.querySelectorAll('#applications button:enabled').length"), 0);
  EXPECT_EQ(browser_->run("return document.querySelectorAll('.property button:enabled').length"), 0);
}

TEST_F(MonitorPage, SetsAPropertyAndStopsTheRadioWithTheToken) {
  open();
  unlock();
  browser_->run(
      "[...document.querySelectorAll('#components button')].find("
      "each => each.textContent === 'channel_1').click()");
  ASSERT_TRUE(browser_->shows("document.querySelectorAll('.property').length === 4"));
  browser_->run(
      "const input = document.querySelector('[data-property=es_n0_db]');"
      "input.value = '7'; input.form.requestSubmit();");
  EXPECT_TRUE(becomes_true([&] { return property(0) == "7"; }));
  EXPECT_TRUE(browser_->shows("document.getElementById('message').textContent === 'Set es_n0_db: done'"));
  browser_->run(
      "[...document.querySelectorAll('#applications button')].find("
      "each => each.textContent === 'Stop').click()");
  EXPECT_TRUE(browser_->shows("document.querySelector('#applications .badge').textContent === 'stopped'"));
  EXPECT_TRUE(browser_->shows("document.querySelectorAll('.line[data-state=moving]').length === 0"));
}

TEST_F(MonitorPage, IsOperatedByKeyboard) {
  open();
  for (int i = 0; i < 100; ++i) {
    if (browser_->run("return document.activeElement.classList.contains('box')") == true) break;
    browser_->press(kTab);
  }
  ASSERT_EQ(browser_->run("return document.activeElement.classList.contains('box')"), true);
  browser_->press(kEnter);
  EXPECT_TRUE(browser_->shows("!document.getElementById('detail').hidden"));
  EXPECT_EQ(browser_->run("return document.activeElement.id"), "detail-title");
  browser_->press(kEscape);
  EXPECT_TRUE(browser_->shows("document.getElementById('detail').hidden"));
  EXPECT_EQ(browser_->run("return document.activeElement.classList.contains('box')"), true)
      << "the focus returns to the component";
}

TEST_F(MonitorPage, FitsNarrowAndWideWindowsInBothThemes) {
  open();
  browser_->run("document.querySelector('#components button').click()");
  std::string before;
  for (const char* colours : {"light", "dark"}) {
    for (const int width : {400, 1400}) {
      browser_->resize(width, colours);
      EXPECT_TRUE(browser_->shows("document.documentElement.clientWidth <= " + std::to_string(width)));
      EXPECT_TRUE(
          browser_->shows("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))
          << width;
    }
    const std::string ground = browser_->run("return getComputedStyle(document.body).backgroundColor");
    EXPECT_NE(ground, before) << colours;
    before = ground;
  }
}

}  // namespace
}  // namespace orbweaver::monitor
