#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "platform/process.h"
#include "platform/testing/marked_processes.h"
#include "platform/testing/read_file.h"

/// Runs `orbweaver run` as a child process of a test, with profiles for it.
namespace orbweaver::sca::testing {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using platform::ChildProcess;
using platform::describe;
using platform::testing::read_file;

inline std::set<std::string> shared_memory() {
  std::set<std::string> names;
  std::error_code ignored;
  for (const auto& file : fs::directory_iterator("/dev/shm", ignored)) {
    if (file.path().filename().string().find("orbweaver") != std::string::npos) names.insert(file.path());
  }
  return names;
}

/// One `orbweaver run`. A mark in the environment identifies its processes and a folder holds its temporary
/// files, so that everything that it leaves behind is found.
class RunProcess {
 public:
  explicit RunProcess(std::vector<std::string> arguments) {
    static int count = 0;
    mark_ = "ORBWEAVER_RUN_TEST=" + std::to_string(::getpid()) + "." + std::to_string(++count);
    folder_ = fs::temp_directory_path() /
              ("orbweaver-run-test." + std::to_string(::getpid()) + "." + std::to_string(count));
    fs::create_directories(folder_ / "tmp");
    arguments.insert(arguments.begin(), "run");
    arguments.insert(arguments.end(), {"--json", (folder_ / "result.json").string()});
    EXPECT_EQ(child_.spawn({ORBWEAVER_COMMAND,
                            arguments,
                            {mark_, "TMPDIR=" + (folder_ / "tmp").string(),
                             "ORBWEAVER_RUN_TEST_RUNNING=" + running().string()}}),
              0);
  }
  ~RunProcess() {
    for (const int pid : processes()) {
      if (pid > 1) ::kill(pid, SIGKILL);
    }
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  /// Waits until the launcher has printed `text` or has ended.
  void until(const std::string& text) {
    const auto deadline = std::chrono::steady_clock::now() + 120s;
    while (output.find(text) == std::string::npos && read_some()) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "no '" << text << "' in:\n" << output;
    }
    EXPECT_THAT(output, ::testing::HasSubstr(text));
  }
  /// Waits for the launcher's end, at most 120 s.
  std::string end() {
    const auto deadline = std::chrono::steady_clock::now() + 120s;
    while (std::chrono::steady_clock::now() < deadline && read_some()) {
    }
    if (std::chrono::steady_clock::now() >= deadline) child_.kill();
    return describe(child_.reap());
  }
  nlohmann::json result() const { return nlohmann::json::parse(read_file(folder_ / "result.json")); }

  /// The live processes of this run, including the launcher.
  std::vector<int> processes() const { return platform::testing::marked_processes(mark_); }
  /// The pid of a component; waits until it runs.
  int pid_of(const std::string& component) const {
    for (int i = 0; i < 24'000; ++i) {
      for (const int pid : processes()) {
        if (read_file("/proc/" + std::to_string(pid) + "/cmdline")
                .find(std::string("COMPONENT_IDENTIFIER\0", 21) + component) != std::string::npos)
          return pid;
      }
      std::this_thread::sleep_for(5ms);
    }
    ADD_FAILURE() << component << " never ran";
    return -1;
  }
  /// Sends a signal to one component of this run. Rejects -1 and 0, with which kill() signals all processes
  /// or our own process group.
  int signal(const std::string& component, int number) const {
    const int pid = pid_of(component);
    if (pid > 1) ::kill(pid, number);
    return pid;
  }
  /// Waits until both sinks have received two packets; each creates a file then. `application` follows the
  /// ids of the components: ":chain".
  void until_running(const std::string& application = {}) const {
    for (const char* sink : {".sink_1", ".sink_2"}) {
      const std::string file = running().string() + sink + application;
      for (int i = 0; i < 24'000 && !fs::exists(file); ++i) std::this_thread::sleep_for(5ms);
      EXPECT_TRUE(fs::exists(file)) << "no two packets ever arrived";
    }
  }
  /// Sends a signal to the launcher and waits until it has been delivered, so that the next signal is a
  /// separate one.
  void interrupt() {
    child_.signal(SIGINT);
    const auto pending = [&] {
      const std::string status = read_file("/proc/" + std::to_string(child_.pid()) + "/status");
      const std::size_t at = status.find("ShdPnd:");
      return at != std::string::npos &&
             (std::stoull(status.substr(at + 7), nullptr, 16) >> (SIGINT - 1) & 1) != 0;
    };
    for (int i = 0; i < 120'000 && pending(); ++i) std::this_thread::sleep_for(1ms);
  }
  /// Sends signals to the launcher, as `interrupt`, at least one each second until it ends. Returns as `end`.
  std::string interrupt_until_end() {
    const auto deadline = std::chrono::steady_clock::now() + 120s;
    do interrupt();
    while (read_some() && std::chrono::steady_clock::now() < deadline);
    return end();
  }
  void expect_nothing_left() const {
    for (int i = 0; i < 24'000 && !processes().empty(); ++i) std::this_thread::sleep_for(5ms);
    EXPECT_TRUE(processes().empty()) << processes().size() << " processes";
    EXPECT_TRUE(fs::is_empty(folder_ / "tmp"));
    EXPECT_EQ(shared_memory(), shared_before_);
  }
  ChildProcess& launcher() { return child_; }

  std::string output;

 private:
  fs::path running() const { return folder_ / "running"; }
  /// Returns false at the end of the output.
  bool read_some() {
    bool at_end = false;
    platform::Poller poller;
    poller.add(child_.output());
    poller.wait(1000);
    output += platform::read_available(child_.output(), at_end);
    return !at_end;
  }

  std::set<std::string> shared_before_ = shared_memory();
  std::string mark_;
  fs::path folder_;
  ChildProcess child_;
};

/// A copy of the profiles of these tests, which a test may change. The destructor removes it.
class RunProfiles {
 public:
  RunProfiles() {
    static int count = 0;
    folder_ = fs::temp_directory_path() /
              ("orbweaver-profile-copy." + std::to_string(::getpid()) + "." + std::to_string(++count));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    for (const auto& file : fs::directory_iterator(ORBWEAVER_RUN_TEST_FOLDER)) {
      if (file.path().extension() == ".xml") fs::copy(file.path(), folder_ / file.path().filename());
    }
    // Programs and libraries are not copied.
    for (const char* part : {"source", "filter", "sink", "echo"}) {
      const std::string name = std::string("run_test_") + part;
      for (const std::string suffix : {"\"", ".so\""}) {
        replace(name + ".spd.xml", "localfile name=\"" + name + suffix,
                "localfile name=\"" + std::string(ORBWEAVER_RUN_TEST_FOLDER) + "/" + name + suffix);
      }
    }
  }
  ~RunProfiles() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  RunProfiles(const RunProfiles&) = delete;
  RunProfiles& operator=(const RunProfiles&) = delete;

  /// Replaces every occurrence of `old_text`; fails if there is none.
  RunProfiles& replace(const std::string& file, const std::string& old_text, const std::string& new_text) {
    std::string text = read_file(folder_ / file);
    auto at = text.find(old_text);
    EXPECT_NE(at, std::string::npos) << old_text << " in " << file;
    for (; at != std::string::npos; at = text.find(old_text, at + new_text.size()))
      text.replace(at, old_text.size(), new_text);
    return write(file, text);
  }
  RunProfiles& write(const std::string& file, const std::string& text) {
    std::ofstream(folder_ / file, std::ios::binary) << text;
    return *this;
  }
  std::string read(const std::string& file) const { return read_file(folder_ / file); }
  std::string path(const std::string& file) const { return (folder_ / file).string(); }

 private:
  fs::path folder_;
};

inline nlohmann::json find(const nlohmann::json& list, const char* key, const std::string& value) {
  for (const auto& item : list) {
    if (item[key] == value) return item;
  }
  ADD_FAILURE() << "no " << key << " " << value;
  return {};
}

}  // namespace orbweaver::sca::testing
