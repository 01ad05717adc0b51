#pragma once

#include <httplib.h>

#include <memory>
#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

#include "platform/process.h"
#include "platform/testing/becomes_true.h"
#include "platform/testing/reserved_port.h"

namespace orbweaver::monitor::testing {

/// Chromium without a window, operated by chromedriver (W3C WebDriver). Throws std::runtime_error if that
/// fails.
class Browser {
 public:
  static constexpr const char* kDriver = "/usr/bin/chromedriver";
  static constexpr const char* kChromium = "/usr/bin/chromium";
  /// Whether both are installed.
  static bool is_installed() {
    return platform::is_executable(kDriver) && platform::is_executable(kChromium);
  }

  Browser() {
    const std::string port = platform::testing::reserve_port();
    if (driver_.spawn({kDriver, {"--port=" + port, "--log-level=OFF"}, {}}) != 0)
      throw std::runtime_error("chromedriver cannot be started");
    client_ = std::make_unique<httplib::Client>("127.0.0.1", std::stoi(port));
    client_->set_read_timeout(platform::testing::kHangTimeout);
    if (!platform::testing::becomes_true([&] { return static_cast<bool>(client_->Get("/status")); }))
      throw std::runtime_error("chromedriver does not answer");
    const json options{
        {"binary", kChromium},
        {"args", {"--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"}}};
    const json wanted{{"browserName", "chrome"},
                      {"goog:chromeOptions", options},
                      {"goog:loggingPrefs", {{"browser", "ALL"}}}};
    session_ =
        "/session/" +
        post("/session", {{"capabilities", {{"alwaysMatch", wanted}}}})["sessionId"].get<std::string>();
  }
  ~Browser() { client_->Delete(session_.c_str()); }

  void open(const std::string& url) { post(session_ + "/url", {{"url", url}}); }
  /// Runs the body of a function and returns its value.
  nlohmann::json run(const std::string& script) {
    return post(session_ + "/execute/sync", {{"script", script}, {"args", json::array()}});
  }
  /// Waits until a script returns true. False if it does not.
  bool shows(const std::string& condition) {
    return platform::testing::becomes_true([&] { return run("return Boolean(" + condition + ")") == true; });
  }
  /// Presses and releases a key: a character, or a code of WebDriver ("\ue004" is Tab).
  void press(const std::string& key) {
    const json presses{{{"type", "keyDown"}, {"value", key}}, {{"type", "keyUp"}, {"value", key}}};
    post(session_ + "/actions", {{"actions", {{{"type", "key"}, {"id", "keys"}, {"actions", presses}}}}});
  }
  /// Sets the size of the page and the colours that the system prefers.
  void resize(int width, const std::string& colours) {
    command("Emulation.setDeviceMetricsOverride",
            {{"width", width}, {"height", 900}, {"deviceScaleFactor", 1}, {"mobile", false}});
    const json feature{{"name", "prefers-color-scheme"}, {"value", colours}};
    command("Emulation.setEmulatedMedia", {{"features", {feature}}});
  }
  /// What the console has received: errors, and violations of the Content-Security-Policy.
  std::string console() {
    std::string text;
    for (const json& each : post(session_ + "/se/log", {{"type", "browser"}}))
      text += each["message"].get<std::string>() + "\n";
    return text;
  }

 private:
  using json = nlohmann::json;

  void command(const char* name, const json& parameters) {
    post(session_ + "/goog/cdp/execute", {{"cmd", name}, {"params", parameters}});
  }
  json post(const std::string& path, const json& body) {
    const auto response = client_->Post(path.c_str(), body.dump(), "application/json");
    if (!response) throw std::runtime_error(path + ": no response");
    if (response->status != 200) throw std::runtime_error(path + ": " + response->body);
    return json::parse(response->body)["value"];
  }

  platform::ChildProcess driver_;
  std::unique_ptr<httplib::Client> client_;
  std::string session_;
};

}  // namespace orbweaver::monitor::testing
