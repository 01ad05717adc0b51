#include "sca/launch/lifecycle_driver.h"

#include <fmt/format.h>
#include <orbweaver/deadline.h>

#include <chrono>
#include <stdexcept>
#include <utility>

#include "sca/launch/stall_detector.h"

namespace orbweaver::sca {
namespace {

using namespace std::chrono_literals;

/// Time limit for the components to bind themselves in the naming service.
constexpr std::int64_t kBindMs = 60'000;

const char* words(LifecycleDriver::Phase phase) {
  switch (phase) {
    case LifecycleDriver::Phase::finding: return "waiting for the components";
    case LifecycleDriver::Phase::creating: return "creating components";
    case LifecycleDriver::Phase::checking: return "checking the components";
    case LifecycleDriver::Phase::configuring: return "configuring";
    case LifecycleDriver::Phase::initializing: return "initializing";
    case LifecycleDriver::Phase::connecting: return "connecting";
    case LifecycleDriver::Phase::starting: return "starting";
    case LifecycleDriver::Phase::running: return "running";
    case LifecycleDriver::Phase::stopping: return "stopping";
    case LifecycleDriver::Phase::releasing: return "releasing";
    case LifecycleDriver::Phase::done: break;
  }
  return "done";
}

}  // namespace

LifecycleDriver::LifecycleDriver(LaunchedAssembly& application, const Assembly& assembly, RunResult& result)
    : application_(application), assembly_(assembly), result_(result), thread_([this] { work(); }) {}

LifecycleDriver::~LifecycleDriver() {
  cancel();
  thread_.join();
}

void LifecycleDriver::work() {
  try {
    run_lifecycle();
  } catch (const DeadlockError& e) {
    note(e);
    application_.close_all_inputs();
  } catch (const std::exception& e) {
    note(e);
  }
  if (started_ns_ != 0 && finished_ns_ == 0) finished_ns_ = now_ns();
  try {
    enter(Phase::stopping);
    application_.stop();
    application_.collect(result_);
    enter(Phase::releasing);
    application_.release();
  } catch (const std::exception& e) {
    note(e);
  }
  enter(Phase::done);
}

void LifecycleDriver::note(const std::exception& e) {
  const std::lock_guard lock(mutex_);
  if (!failure_.empty()) return;
  failure_ = e.what();
  unreachable_ = dynamic_cast<const ComponentUnreachable*>(&e) != nullptr;
}

void LifecycleDriver::run_lifecycle() {
  if (!find_components()) return;
  const auto step = [&](Phase phase, void (LaunchedAssembly::*what)()) {
    if (cancelled()) return;
    enter(phase);
    (application_.*what)();
  };
  step(Phase::creating, &LaunchedAssembly::create_components);
  step(Phase::checking, &LaunchedAssembly::check_descriptions);
  step(Phase::initializing, &LaunchedAssembly::initialize);
  step(Phase::connecting, &LaunchedAssembly::connect);
  step(Phase::configuring, &LaunchedAssembly::configure);
  if (cancelled()) return;
  started_ns_ = now_ns();
  step(Phase::starting, &LaunchedAssembly::start);
  enter(Phase::running);
  watch_until_finished();
  finished_ns_ = now_ns();
}

void LifecycleDriver::watch_until_finished() {
  std::vector<int> pids;
  for (const ComponentResult& component : result_.components) pids.push_back(static_cast<int>(component.pid));
  StallDetector stall_detector(application_, assembly_, std::move(pids));
  while (!cancelled()) {
    const Progress now = application_.progress();
    {
      const std::lock_guard lock(mutex_);
      progress_ = now;
    }
    if (now.finished) return;
    if (std::string notice = stall_detector.check(now); !notice.empty()) {
      const std::lock_guard lock(mutex_);
      notices_.push_back(std::move(notice));
    }
    std::this_thread::sleep_for(10ms);
  }
}

bool LifecycleDriver::find_components() {
  const auto deadline = Deadline::in_ms(kBindMs);
  while (!application_.find_components()) {
    if (cancelled()) return false;
    if (deadline.passed()) {
      std::string ids;
      for (const std::string& id : application_.missing()) ids += (ids.empty() ? "" : ", ") + id;
      throw std::runtime_error(
          "these components or factories have not bound themselves in the naming service within " +
          std::to_string(kBindMs / 1000) + " s: " + ids);
    }
    std::this_thread::sleep_for(1ms);
  }
  return true;
}

std::string LifecycleDriver::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

bool LifecycleDriver::failed_unreachable() const {
  const std::lock_guard lock(mutex_);
  return unreachable_;
}

std::vector<std::string> LifecycleDriver::take_notices() {
  const std::lock_guard lock(mutex_);
  return std::exchange(notices_, {});
}

Progress LifecycleDriver::progress() const {
  const std::lock_guard lock(mutex_);
  return progress_;
}

double LifecycleDriver::seconds() const {
  const std::int64_t start = started_ns_, end = finished_ns_;
  if (start == 0) return 0;
  return static_cast<double>((end != 0 ? end : now_ns()) - start) / 1e9;
}

std::string progress_line(const LifecycleDriver& driver) {
  if (driver.phase() < LifecycleDriver::Phase::running) return words(driver.phase());
  const Progress now = driver.progress();
  const double seconds = driver.seconds();
  return fmt::format(
      "{:7.1f} s  {}  {} packets, {:.1f} MB at the sinks{}", seconds, words(driver.phase()), now.packets,
      static_cast<double>(now.bytes) / 1e6,
      seconds > 0 ? fmt::format(", {:.0f} packets/s", static_cast<double>(now.packets) / seconds) : "");
}

}  // namespace orbweaver::sca
