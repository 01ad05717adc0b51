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
  explicit Looking(LimitsWatch& watch) : watch_(watch) {}
  int descriptor() noexcept override { return alarm_.fd().get(); }
  After turn() noexcept override {
    alarm_.set(platform::Deadline::never());  // first: the first of new connections sets it again
    watch_.look();
    if (watch_.busy()) wake();
    return After::armed;
  }
  void wake() noexcept { alarm_.set(platform::Deadline::in_ms(watch_.limits_.interval_ms())); }
  void close_in_order(platform::Deadline) noexcept override {}
  void give_up(platform::Deadline) noexcept override {}

 private:
  LimitsWatch& watch_;
  platform::Alarm alarm_;
};

LimitsWatch::LimitsWatch(ConnectionLimits& limits, OutgoingConnections& outgoing, Reactor* reactor)
    : limits_(limits), outgoing_(outgoing), reactor_(reactor) {
  if (limits_.interval_ms() != 0) limits_.on_busy([this] { wake(); });
}

void LimitsWatch::start() {
  if (reactor_ != nullptr) {
    auto looking = std::make_shared<Looking>(*this);
    if (!reactor_->add(looking)) {
      throw CORBA::NO_RESOURCES(minor::kOutOfResources, CORBA::CompletionStatus::COMPLETED_NO,
                                "no descriptor left for the time limits of connections");
    }
    {
      const std::lock_guard lock(mutex_);
      looking_ = std::move(looking);
      if (busy_) looking_->wake();
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
                              std::string("no thread for the time limits of connections: ") + e.what());
  }
}

void LimitsWatch::look() noexcept {
  limits_.look();
  outgoing_.look();
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
    look();
    const bool busy = this->busy();
    lock.lock();
    busy_ = busy_ || busy;
  }
}

void LimitsWatch::stop() {
  limits_.on_busy(nullptr);
  outgoing_.on_busy(nullptr);
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

}  // namespace orbweaver::orb
