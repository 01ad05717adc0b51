#include "naming_process.h"

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <stdexcept>

#include "platform/testing/becomes_true.h"
#include "platform/testing/reserved_port.h"

namespace naming_test {
namespace {

namespace platform = orbweaver::platform;

/// Reads the output until it contains `text` or ends. Returns whether it contains it.
bool read_until(platform::ChildProcess& child, std::string& output, const std::string& text) {
  const auto end = std::chrono::steady_clock::now() + platform::testing::kHangTimeout;
  platform::Poller poller;
  const std::size_t readable = poller.add(child.output());
  for (bool at_end = false; !at_end && std::chrono::steady_clock::now() < end;) {
    if (!text.empty() && output.find(text) != std::string::npos) return true;
    if (poller.wait(100) && poller.ready(readable))
      output += platform::read_available(child.output(), at_end);
  }
  return false;
}

}  // namespace

Ended run(const std::string& program, const Words& arguments) {
  platform::ChildProcess child;
  if (child.spawn({program, arguments, {}}) != 0) throw std::runtime_error("cannot start " + program);
  Ended ended;
  read_until(child, ended.output, {});
  child.kill();  // only if it has not ended within the time limit
  const platform::ExitStatus how = child.reap();
  ended.status = how.signalled ? -1 : how.code;
  return ended;
}

Ended naming(Words arguments) {
  arguments.insert(arguments.begin(), "naming");
  return run(ORBWEAVER_COMMAND, arguments);
}

Folder::Folder() {
  static int number = 0;
  path_ = std::filesystem::temp_directory_path().string() + "/orbweaver-naming-" + std::to_string(getpid()) +
          "-" + std::to_string(++number);
  std::filesystem::create_directory(path_);
}
Folder::~Folder() { std::filesystem::remove_all(path_); }

Service::Service(std::string state_file, Words options)
    : state_file_(std::move(state_file)), options_(std::move(options)),
      port_(platform::testing::reserve_port()) {
  start();
}

void Service::start() {
  Words words{"naming", "--port", port_, "--state", state_file_};
  words.insert(words.end(), options_.begin(), options_.end());
  process_ = platform::ChildProcess();
  if (process_.spawn({ORBWEAVER_COMMAND, words, {}}) != 0) throw std::runtime_error("cannot be started");
  std::string output;
  if (!read_until(process_, output, ": serving ")) throw std::runtime_error("does not serve: " + output);
}

void Service::restart() {
  kill();
  start();
}

void Service::kill() {
  process_.kill();
  process_.reap();
}

int Service::end_by(int signal) {
  process_.signal(signal);
  const platform::ExitStatus how = process_.reap();
  return how.signalled ? -1 : how.code;
}

std::string Service::url(const std::string& version) const {
  return "corbaloc:" + (version.empty() ? "" : "iiop:" + version + "@") + (version.empty() ? ":" : "") +
         "127.0.0.1:" + port_ + "/NameService";
}

Ended Service::command(Words arguments) const {
  arguments.insert(arguments.end(), {"--service", url()});
  return naming(std::move(arguments));
}

}  // namespace naming_test
