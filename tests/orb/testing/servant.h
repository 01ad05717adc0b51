#pragma once

#include <orbweaver/poa.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "callsS.h"
#include "platform/process_identity.h"
#include "platform/testing/becomes_true.h"

namespace orbtest {

using namespace std::chrono_literals;

/// Blocks calls until the test opens it. Thread-safe.
class Gate {
 public:
  /// Waits until the gate is open for `number`, at most kHangTimeout.
  void pass(std::int32_t number) {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait_for(lock, orbweaver::platform::testing::kHangTimeout, [&] { return number <= open_to_; });
    --waiting_;
  }
  /// Opens the gate for all numbers up to `number`.
  void open(std::int32_t number = std::numeric_limits<std::int32_t>::max()) {
    const std::lock_guard lock(mutex_);
    open_to_ = number;
    changed_.notify_all();
  }
  /// Number of calls that wait at the gate.
  int waiting() {
    const std::lock_guard lock(mutex_);
    return waiting_;
  }
  /// Waits until `count` calls wait at the gate. False after kHangTimeout.
  bool reached_by(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, orbweaver::platform::testing::kHangTimeout,
                             [&] { return waiting_ >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int waiting_ = 0;
  std::int32_t open_to_ = std::numeric_limits<std::int32_t>::min();
};

/// The servant of most tests of the ORB.
class Servant final : public virtual CORBA::servant_traits<OrbTest::Calls>::base_type {
 public:
  using WatcherRef = IDL::traits<OrbTest::Watcher>::ref_type;
  explicit Servant(std::string name = "servant") : name_(std::move(name)) {}
  ~Servant() override {
    if (on_end) on_end();
  }

  Gate gate;
  std::function<void()> on_end;      ///< Called when the last reference is dropped.
  std::function<void()> deactivate;  ///< Called by deactivate_me.
  std::function<void(bool waiting)> shut_orb_down;
  std::function<WatcherRef()> reference;  ///< Called by myself.

  /// Wraps around for large numbers, which a hostile client may send.
  std::int32_t twice(std::int32_t n) override {
    return static_cast<std::int32_t>(2 * static_cast<std::uint32_t>(n));
  }
  std::int32_t value() override { return value_; }
  void value(std::int32_t v) override { value_ = v; }
  std::string name() override { return name_; }

  std::string greet(const std::string& who) override {
    if (who.empty()) throw OrbTest::Refused("empty name", 7);
    return "Hello, " + who + "!";
  }
  OrbTest::Record turn(const OrbTest::Record& data, std::int32_t& counter, std::string& note) override {
    OrbTest::Record turned = data;
    std::reverse(turned.path().begin(), turned.path().end());
    std::reverse(turned.levels().begin(), turned.levels().end());
    counter += static_cast<std::int32_t>(data.path().size());
    note = data.name() + " turned";
    return turned;
  }
  double sum(orbweaver::span<const double> samples) override {
    double sum = 0;
    for (const double sample : samples) sum += sample;
    return sum;
  }
  OrbTest::Octets echo(const OrbTest::Octets& data) override { return data; }

  std::int32_t ask(WatcherRef who, std::int32_t n) override { return who ? who->twice(n) : -1; }
  WatcherRef same(WatcherRef who) override { return who; }
  WatcherRef myself() override { return reference ? reference() : nullptr; }

  void raise_undeclared() override { throw OrbTest::Undeclared(3); }
  void raise_standard() override { throw std::runtime_error("error in the servant"); }
  void raise_number() override { throw 42; }
  void raise_system(std::uint32_t minor, const std::string& text) override {
    throw CORBA::BAD_PARAM(minor, CORBA::CompletionStatus::COMPLETED_YES, text);
  }

  void note(std::int32_t n) override {
    const std::lock_guard lock(mutex_);
    notes_.push_back(n);
  }
  void note_slowly(std::int32_t n, std::int32_t milliseconds) override {
    if (milliseconds > 0) std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    if (n >= 0) note(n);
  }
  void note_at_gate(std::int32_t n) override {
    gate.pass(n);
    note(n);
  }
  OrbTest::Numbers notes() override {
    const std::lock_guard lock(mutex_);
    return notes_;
  }

  std::int32_t slow(std::int32_t milliseconds, std::int32_t n) override {
    const int now = ++inside_;
    int most = most_;
    while (now > most && !most_.compare_exchange_weak(most, now)) {
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    --inside_;
    return n;
  }
  std::int32_t wait_at_gate(std::int32_t n) override {
    gate.pass(n);
    return n;
  }
  void open_gate(std::int32_t n) override { gate.open(n); }
  std::int32_t most_at_once() override { return most_; }

  std::int32_t pass(const OrbTest::Circle& players, std::int32_t n) override {
    if (n == 0) return 0;
    const auto& next = players.at(static_cast<std::size_t>(n - 1) % players.size());
    next->note(n);
    const std::int32_t passed = next->pass(players, n - 1) + 1;
    next->note(-n);
    return passed;
  }

  void deactivate_me() override { deactivate(); }
  void shut_down(bool waiting) override { shut_orb_down(waiting); }
  std::int32_t process() override { return static_cast<std::int32_t>(orbweaver::platform::process_id()); }

 private:
  const std::string name_;
  std::atomic<std::int32_t> value_{0};
  std::mutex mutex_;
  OrbTest::Numbers notes_;
  std::atomic<int> inside_{0}, most_{0};
};

using ServantRef = CORBA::object_reference<Servant>;

}  // namespace orbtest
