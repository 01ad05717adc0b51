#include "orb/server/limits_watch.h"

#include <chrono>
#include <system_error>

#include "orb/minor_codes.h"
#include "orb/system_exceptions.h"
#include "platform/thread.h"
#include "platform/timer_fd.h"

namespace orbweaver::orb {

/// Event handler of the timer that is set while there are connections.
class LimitsWatch::LimitsAlarm final : public EventHandler {
 public:
  explicit LimitsAlarm(LimitsWatch& watch) : watch_(watch) {}
  int descriptor() noexcept override { return alarm_.fd().get(); }
  TurnResult handle_event() noexcept override {
    alarm_.set(platform::Deadline::never());  // before `enforce`: a new connection sets it again
    watch_.enforce();
    if (watch_.busy()) wake();
    return TurnResult::wait;
  }
  void wake() noexcept { alarm_.set(platform::Deadline::in_ms(watch_.incoming_.interval_ms())); }
  void close_orderly(platform::Deadline) noexcept override {}
  void close_by(platform::Deadline) noexcept override {}

 private:
  LimitsWatch& watch_;
  platform::TimerFd alarm_;
};

LimitsWatch::LimitsWatch(IncomingConnections& incoming, OutgoingConnections& outgoing, Reactor* reactor)
    : incoming_(incoming), outgoing_(outgoing), reactor_(reactor) {
  if (incoming_.interval_ms() != 0) incoming_.on_busy([this] { wake(); });
}

void LimitsWatch::start() {
  if (reactor_ != nullptr) {
    auto handler = std::make_shared<LimitsAlarm>(*this);
    if (!reactor_->add(handler)) {
      throw CORBA::NO_RESOURCES(minor::kOutOfResources, CORBA::CompletionStatus::COMPLETED_NO,
                                "no descriptor for the timer of connection limits");
    }
    {
      const std::lock_guard lock(mutex_);
      alarm_handler_ = std::move(handler);
      if (busy_) alarm_handler_->wake();
    }
    outgoing_.on_busy([this] { wake(); });
    return;
  }
  try {
    {
      const std::lock_guard lock(mutex_);
      start_thread();
    }
    outgoing_.on_busy([this] { wake(); });
  } catch (const std::system_error& e) {
    throw CORBA::NO_RESOURCES(minor::kOutOfResources, CORBA::CompletionStatus::COMPLETED_NO,
                              std::string("cannot start the thread of connection limits: ") + e.what());
  }
}

void LimitsWatch::enforce() noexcept {
  incoming_.enforce();
  outgoing_.enforce();
}

/// Starts the thread if it does not run. Called with the lock.
void LimitsWatch::start_thread() {
  if (!thread_.joinable() && !stopping_) thread_ = std::thread([this] { run(); });
}

void LimitsWatch::wake() {
  const std::lock_guard lock(mutex_);
  busy_ = true;
  if (alarm_handler_ != nullptr) return alarm_handler_->wake();
  start_thread();
  changed_.notify_all();
}

void LimitsWatch::run() {
  platform::name_this_thread("ow-limits");
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    changed_.wait(lock, [&] { return busy_ || stopping_; });
    if (changed_.wait_for(lock, std::chrono::milliseconds(incoming_.interval_ms()),
                          [&] { return stopping_; }))
      return;
    busy_ = false;  // before `enforce`: a new connection sets it again
    lock.unlock();
    enforce();
    const bool busy = this->busy();
    lock.lock();
    busy_ = busy_ || busy;
  }
}

void LimitsWatch::stop() {
  incoming_.on_busy(nullptr);
  outgoing_.on_busy(nullptr);
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

}  // namespace orbweaver::orb
