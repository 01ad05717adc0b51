#include "sca/launch/conductor.h"

#include <chrono>
#include <stdexcept>
#include <utility>

#include "platform/clock.h"
#include "sca/launch/stall_watch.h"

namespace orbweaver::sca {
namespace {

using namespace std::chrono_literals;

/// A component that has not bound itself by then never will.
constexpr std::int64_t kBindMs = 20'000;

}  // namespace

Conductor::Conductor(Application& application, const Assembly& assembly, RunResult& result)
    : application_(application), assembly_(assembly), result_(result), thread_([this] { work(); }) {}

Conductor::~Conductor() {
  cancel();
  thread_.join();
}

void Conductor::work() {
  try {
    run_to_the_end();
  } catch (const Deadlocked& e) {
    note(e);
    application_.let_go();
  } catch (const std::exception& e) {
    note(e);
  }
  if (started_ns_ != 0 && finished_ns_ == 0) finished_ns_ = platform::now_ns();
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

void Conductor::note(const std::exception& e) {
  const std::lock_guard lock(mutex_);
  if (!failure_.empty()) return;
  failure_ = e.what();
  unreachable_ = dynamic_cast<const Unreachable*>(&e) != nullptr;
}

void Conductor::run_to_the_end() {
  if (!find_components()) return;
  const auto step = [&](Phase phase, void (Application::*what)()) {
    if (cancelled()) return;
    enter(phase);
    (application_.*what)();
  };
  step(Phase::checking, &Application::check_descriptions);
  step(Phase::initializing, &Application::initialize);
  step(Phase::connecting, &Application::connect);
  step(Phase::configuring, &Application::configure);
  if (cancelled()) return;
  started_ns_ = platform::now_ns();
  step(Phase::starting, &Application::start);
  enter(Phase::running);
  watch_until_finished();
  finished_ns_ = platform::now_ns();
}

void Conductor::watch_until_finished() {
  std::vector<int> pids;
  for (const ComponentResult& component : result_.components) pids.push_back(static_cast<int>(component.pid));
  StallWatch stalls(application_, assembly_, std::move(pids));
  while (!cancelled()) {
    const Progress now = application_.progress();
    {
      const std::lock_guard lock(mutex_);
      progress_ = now;
    }
    if (now.finished) return;
    if (std::string notice = stalls.look(now); !notice.empty()) {
      const std::lock_guard lock(mutex_);
      notices_.push_back(std::move(notice));
    }
    std::this_thread::sleep_for(10ms);
  }
}

bool Conductor::find_components() {
  const auto deadline = platform::Deadline::in_ms(kBindMs);
  while (!application_.find_components()) {
    if (cancelled()) return false;
    if (deadline.passed()) {
      std::string ids;
      for (const std::size_t i : application_.missing())
        ids += (ids.empty() ? "" : ", ") + application_.id(i);
      throw std::runtime_error("these components have not bound themselves in the naming service within " +
                               std::to_string(kBindMs / 1000) + " s: " + ids);
    }
    std::this_thread::sleep_for(1ms);
  }
  return true;
}

std::string Conductor::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

bool Conductor::was_unreachable() const {
  const std::lock_guard lock(mutex_);
  return unreachable_;
}

std::vector<std::string> Conductor::take_notices() {
  const std::lock_guard lock(mutex_);
  return std::exchange(notices_, {});
}

Progress Conductor::progress() const {
  const std::lock_guard lock(mutex_);
  return progress_;
}

double Conductor::seconds() const {
  const std::int64_t start = started_ns_, end = finished_ns_;
  if (start == 0) return 0;
  return static_cast<double>((end != 0 ? end : platform::now_ns()) - start) / 1e9;
}

const char* words(Conductor::Phase phase) {
  switch (phase) {
    case Conductor::Phase::finding:
      return "waiting for the components";
    case Conductor::Phase::checking:
      return "checking the components";
    case Conductor::Phase::configuring:
      return "configuring";
    case Conductor::Phase::initializing:
      return "initializing";
    case Conductor::Phase::connecting:
      return "connecting";
    case Conductor::Phase::starting:
      return "starting";
    case Conductor::Phase::running:
      return "running";
    case Conductor::Phase::stopping:
      return "stopping";
    case Conductor::Phase::releasing:
      return "releasing";
    case Conductor::Phase::done:
      break;
  }
  return "done";
}

}  // namespace orbweaver::sca
