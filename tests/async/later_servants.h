#pragma once

#include <orbweaver/poa.h>
#include <orbweaver/response.h>

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "laterS.h"
#include "testing/test_orb.h"

namespace asynctest {

using orbtest::becomes_true;
using orbtest::kHangTimeout;
using orbtest::Options;
using orbtest::TestOrb;
using LaterRef = IDL::traits<AsyncTest::Later>::ref_type;

/// A servant that answers `hold` later, when the test says so, and all else at once. Thread-safe.
class DeferringServant final : public virtual CORBA::amh_traits<AsyncTest::Later>::base_type {
 public:
  using Held = orbweaver::Response<std::int32_t>;
  /// Called by `note`; empty: nothing.
  std::function<void()> in_note;

  void get_name(orbweaver::Response<std::string> response) override { response.reply("later"); }
  void get_level(orbweaver::Response<std::int32_t> response) override {
    const std::lock_guard lock(mutex_);
    response.reply(level_);
  }
  void set_level(orbweaver::Response<> response, std::int32_t value) override {
    const std::lock_guard lock(mutex_);
    level_ = value;
    response.reply();
  }
  void add(orbweaver::Response<std::int32_t> response, std::int32_t a, std::int32_t b) override {
    {
      const std::lock_guard lock(mutex_);
      add_thread_ = std::this_thread::get_id();
    }
    response.reply(a + b);
  }
  void turn(orbweaver::Response<std::string, std::int32_t, double> response, const std::string& text,
            std::int32_t counter) override {
    if (text.empty()) throw AsyncTest::Refused("nothing to turn");
    response.reply(std::string(text.rbegin(), text.rend()), counter + 1, counter / 2.0);
  }
  void sum(orbweaver::Response<double> response, orbweaver::span<const double> samples) override {
    response.reply(std::accumulate(samples.begin(), samples.end(), 0.0));
  }
  void nothing(orbweaver::Response<> response) override { response.reply(); }
  void echo(orbweaver::Response<AsyncTest::Octets> response, const AsyncTest::Octets& data) override {
    response.reply(data);
  }
  void ask(orbweaver::Response<std::int32_t> response, LaterRef who, std::int32_t n) override {
    response.reply(who->add(n, 1));
  }
  void hold(Held response, std::int32_t n) override {
    const std::lock_guard lock(mutex_);
    held_.emplace(n, std::move(response));
    changed_.notify_all();
  }
  void note(std::int32_t n) override {
    if (in_note) in_note();
    const std::lock_guard lock(mutex_);
    notes_.push_back(n);
  }
  void twice(orbweaver::Response<std::int32_t> response, std::int32_t n) override { response.reply(2 * n); }
  void wait_at_gate(orbweaver::Response<std::int32_t> response, std::int32_t n) override {
    hold(std::move(response), n);
  }

  /// Waits until that many calls of `hold` are held. False after kHangTimeout.
  bool holds(std::size_t number) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kHangTimeout, [&] { return held_.size() >= number; });
  }
  /// The calls that are held, by their argument.
  std::multimap<std::int32_t, Held> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(held_, {});
  }
  /// The thread that executed the last `add`.
  std::thread::id add_thread() {
    const std::lock_guard lock(mutex_);
    return add_thread_;
  }
  std::vector<std::int32_t> notes() {
    const std::lock_guard lock(mutex_);
    return notes_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::multimap<std::int32_t, Held> held_;
  std::vector<std::int32_t> notes_;
  std::thread::id add_thread_;
  std::int32_t level_ = 0;
};

/// Activates the servant in the root POA of `server`, and returns a reference for `client`.
template <class Servant>
LaterRef serve(TestOrb& server, TestOrb& client, const Servant& servant) {
  server.root->activate_object(servant);
  const auto object =
      client.orb->string_to_object(server.orb->object_to_string(server.root->servant_to_reference(servant)));
  return LaterRef::adopt(AsyncTest::Later::_make(object->_reference()));
}

/// Results of calls, in the order of their arrival. Thread-safe.
class Arrivals {
 public:
  void add(std::string what) {
    const std::lock_guard lock(mutex_);
    all_.push_back(std::move(what));
    changed_.notify_all();
  }
  /// Waits until there are `number`, and returns them all.
  std::vector<std::string> wait_for(std::size_t number) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kHangTimeout, [&] { return all_.size() >= number; });
    return all_;
  }
  std::size_t number() {
    const std::lock_guard lock(mutex_);
    return all_.size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> all_;
};

/// A reply handler that records results and exceptions, and then calls `then`, if it is set.
class Recorder final : public virtual CORBA::amic_traits<AsyncTest::Later>::replyhandler_base_type {
 public:
  using Excep = CORBA::object_reference<Messaging::ExceptionHolder>;

  Arrivals arrivals;
  std::function<void()> then;

  void get_name(const std::string& v) override { record("name " + v); }
  void get_name_excep(Excep e) override { fail(e); }
  void get_level(std::int32_t v) override { record("level " + std::to_string(v)); }
  void get_level_excep(Excep e) override { fail(e); }
  void set_level() override { record("level set"); }
  void set_level_excep(Excep e) override { fail(e); }
  void add(std::int32_t v) override { record("add " + std::to_string(v)); }
  void add_excep(Excep e) override { fail(e); }
  void turn(const std::string& text, std::int32_t counter, double half) override {
    record("turn " + text + " " + std::to_string(counter) + " " + std::to_string(half));
  }
  void turn_excep(Excep e) override { fail(e); }
  void sum(double v) override { record("sum " + std::to_string(v)); }
  void sum_excep(Excep e) override { fail(e); }
  void nothing() override { record("nothing"); }
  void nothing_excep(Excep e) override { fail(e); }
  void echo(const AsyncTest::Octets& data) override { record("echo " + std::to_string(data.size())); }
  void echo_excep(Excep e) override { fail(e); }
  void ask(std::int32_t v) override { record("ask " + std::to_string(v)); }
  void ask_excep(Excep e) override { fail(e); }
  void hold(std::int32_t v) override { record("hold " + std::to_string(v)); }
  void hold_excep(Excep e) override { fail(e); }
  void twice(std::int32_t v) override { record("twice " + std::to_string(v)); }
  void twice_excep(Excep e) override { fail(e); }
  void wait_at_gate(std::int32_t v) override { record("gate " + std::to_string(v)); }
  void wait_at_gate_excep(Excep e) override { fail(e); }

 private:
  void record(std::string what) {
    if (then) then();
    arrivals.add(std::move(what));
  }
  void fail(const Excep& holder) {
    try {
      holder->raise_exception();
    } catch (const AsyncTest::Refused& e) {
      record("refused " + e.why());
    } catch (const CORBA::SystemException& e) {
      static const char* const kCompleted[] = {"yes", "no", "maybe"};
      record(std::string(e._name()).substr(7) + " " + kCompleted[static_cast<int>(e.completed())]);
    }
  }
};

}  // namespace asynctest
