#pragma once

#include <orbweaver/loan.h>
#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>

#include "call_log.h"
#include "faultsS.h"

namespace faulttest {

using TargetRef = IDL::traits<Faults::Target>::ref_type;

/// A servant that records its upcalls in a CallLog.
class TargetServant final : public virtual CORBA::servant_traits<Faults::Target>::base_type {
 public:
  explicit TargetServant(CallLog& call_log) : call_log_(call_log) {}

  std::int32_t twice(std::int32_t n) override {
    const Counted counted(call_log_);
    return static_cast<std::int32_t>(2 *
                                     static_cast<std::uint32_t>(n));  // a hostile client may send any number
  }
  void note(std::int32_t) override { const Counted counted(call_log_); }
  void put(const Faults::Octets&) override { const Counted counted(call_log_); }
  Faults::Octets echo(const Faults::Octets& data) override {
    const Counted counted(call_log_);
    return data;
  }
  void keep(orbweaver::span<const double> samples) override {
    const Counted counted(call_log_);
    auto held = orbweaver::hold(samples);
    const std::lock_guard lock(mutex_);
    kept_ = std::move(held);
  }
  double kept_sum() override {
    const Counted counted(call_log_);
    return sum_of_kept();
  }
  void drop() override {
    const Counted counted(call_log_);
    drop_kept();
  }
  Faults::Octets give(std::int32_t octets) override {
    const Counted counted(call_log_);
    giving_.store(true);
    may_give_.wait(false);
    may_give_.store(false);
    giving_.store(false);
    return Faults::Octets(static_cast<std::size_t>(octets));
  }
  std::int32_t stay() override {
    const Counted counted(call_log_);
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }

  /// Whether a call waits in `give`.
  bool gives() const { return giving_; }
  /// Lets that call return.
  void let_give() {
    may_give_ = true;
    may_give_.notify_one();
  }
  double sum_of_kept() const {
    const std::lock_guard lock(mutex_);
    return std::accumulate(kept_.view().begin(), kept_.view().end(), 0.0);
  }
  void drop_kept() {
    const std::lock_guard lock(mutex_);
    kept_ = {};
  }

 private:
  struct Counted {
    explicit Counted(CallLog& l) : call_log(l) { ++call_log.begun; }
    ~Counted() { ++call_log.finished; }
    CallLog& call_log;
  };

  CallLog& call_log_;
  std::atomic<bool> giving_{false}, may_give_{false};
  mutable std::mutex mutex_;
  orbweaver::HeldView<double> kept_;  // guarded by mutex_: calls over several connections are concurrent
};

/// Calls of every kind: small, one-way, larger than a ring of 64 KiB, with a block. `each(call)` makes one
/// call; when it returns false, the script ends.
template <class Each>
void script(Faults::Target& target, Each&& each) {
  const Faults::Octets large(200'000);
  const auto block = [&] {
    auto samples = orbweaver::loan<double>(1024, orbweaver::PoolFull::wait, 120'000);
    std::fill(samples.begin(), samples.end(), 2.0);
    target.keep(samples.view());
  };
  (void)(each([&] { target.twice(1); }) && each([&] { target.note(1); }) && each([&] { target.twice(2); }) &&
         each([&] { target.echo(large); }) && each(block) && each([&] { target.kept_sum(); }) &&
         each([&] { target.twice(3); }) && each([&] { target.drop(); }) && each([&] { target.twice(4); }));
}

}  // namespace faulttest
