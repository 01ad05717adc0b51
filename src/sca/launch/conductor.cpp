#include "sca/launch/conductor.h"

#include <chrono>
#include <stdexcept>

#include "platform/clock.h"

namespace orbweaver::sca {
namespace {

using namespace std::chrono_literals;

/// A component that has not bound itself by then never will.
constexpr std::int64_t kBindMs = 20'000;

}  // namespace

Conductor::Conductor(Application& application, RunResult& result)
    : application_(application), result_(result), thread_([this] { work(); }) {}

Conductor::~Conductor() {
  cancel();
  thread_.join();
}

void Conductor::work() {
  try {
    run_to_the_end();
  } catch (const std::exception& e) {
    const std::lock_guard lock(mutex_);
    failure_ = e.what();
  }
  if (started_ns_ != 0 && finished_ns_ == 0) finished_ns_ = platform::now_ns();
  try {
    enter(Phase::stopping);
    application_.stop();
    application_.collect(result_);
    enter(Phase::releasing);
    application_.release();
  } catch (const std::exception& e) {
    const std::lock_guard lock(mutex_);
    if (failure_.empty()) failure_ = e.what();
  }
  enter(Phase::done);
}

void Conductor::run_to_the_end() {
  if (!find_components()) return;
  const auto step = [&](Phase phase, void (Application::*what)()) {
    if (cancelled()) return;
    enter(phase);
    (application_.*what)();
  };
  step(Phase::initializing, &Application::initialize);
  step(Phase::connecting, &Application::connect);
  if (cancelled()) return;
  started_ns_ = platform::now_ns();
  step(Phase::starting, &Application::start);
  enter(Phase::running);
  while (!cancelled()) {
    const Progress now = application_.progress();
    {
      const std::lock_guard lock(mutex_);
      progress_ = now;
    }
    if (now.finished) break;
    std::this_thread::sleep_for(10ms);
  }
  finished_ns_ = platform::now_ns();
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
