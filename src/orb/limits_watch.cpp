#include "orb/limits_watch.h"

#include <chrono>
#include <system_error>

#include "orb/minor_codes.h"
#include "orb/system_exceptions.h"
#include "platform/alarm.h"
#include "platform/thread.h"

namespace orbweaver::orb {

/// An alarm that is set while there are connections.
class LimitsWatch::Looking final : public Source {
 public:
  explicit Looking(ConnectionLimits& limits) : limits_(limits) {}
  int descriptor() noexcept override { return alarm_.fd().get(); }
  After turn() noexcept override {
    alarm_.set(platform::Deadline::never());  // first: the first of new connections sets it again
    limits_.look();
    if (limits_.busy()) wake();
    return After::armed;
  }
  void wake() noexcept { alarm_.set(platform::Deadline::in_ms(limits_.interval_ms())); }
  void close_in_order(platform::Deadline) noexcept override {}
  void give_up(platform::Deadline) noexcept override {}

 private:
  ConnectionLimits& limits_;
  platform::Alarm alarm_;
};

LimitsWatch::LimitsWatch(ConnectionLimits& limits, Reactor* reactor) : limits_(limits), reactor_(reactor) {
  if (limits_.interval_ms() != 0) limits_.on_busy([this] { wake(); });
}

void LimitsWatch::start() {
  if (reactor_ != nullptr) {
    auto looking = std::make_shared<Looking>(limits_);
    if (!reactor_->add(looking)) {
      throw CORBA::NO_RESOURCES(minor::kOutOfResources, CORBA::CompletionStatus::COMPLETED_NO,
                                "no descriptor left for the time limits of connections");
    }
    const std::lock_guard lock(mutex_);
    looking_ = std::move(looking);
    if (busy_) looking_->wake();
    return;
  }
  try {
    const std::lock_guard lock(mutex_);
    start_thread();
  } catch (const std::system_error& e) {
    throw CORBA::NO_RESOURCES(minor::kOutOfResources, CORBA::CompletionStatus::COMPLETED_NO,
                              std::string("no thread for the time limits of connections: ") + e.what());
  }
}

/// With the lock.
void LimitsWatch::start_thread() {
  if (!thread_.joinable() && !stopping_) thread_ = std::thread([this] { run(); });
}

void LimitsWatch::wake() {
  const std::lock_guard lock(mutex_);
  busy_ = true;
  if (looking_ != nullptr) return looking_->wake();
  start_thread();
  changed_.notify_all();
}

void LimitsWatch::run() {
  platform::name_this_thread("ow-limits");
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    changed_.wait(lock, [&] { return busy_ || stopping_; });
    if (changed_.wait_for(lock, std::chrono::milliseconds(limits_.interval_ms()), [&] { return stopping_; })) return;
    busy_ = false;  // before the look: one who comes meanwhile sets it again
    lock.unlock();
    limits_.look();
    const bool busy = limits_.busy();
    lock.lock();
    busy_ = busy_ || busy;
  }
}

void LimitsWatch::stop() {
  limits_.on_busy(nullptr);
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

}  // namespace orbweaver::orb
