// The tests of a component, and their execution between its packets.
#include <orbweaver/sca/built_in_test.h>

#include <algorithm>
#include <chrono>
#include <exception>

#include <orbweaver/sca/component.h>

namespace orbweaver::sca {

BuiltInTest::BuiltInTest(Component& owner, std::uint32_t id, std::initializer_list<std::string_view> values,
                         Function function)
    : id_(id), values_(values.begin(), values.end()), function_(std::move(function)) {
  for (const BuiltInTest* other : owner.tests_) {
    if (other->id() == id_)
      throw std::invalid_argument("the component has two tests with the id " + std::to_string(id_) +
                                  "; give one of them another, in the class and in its PRF");
  }
  owner.tests_.push_back(this);
}

bool BuiltInTest::has(std::string_view value) const {
  return std::find(values_.begin(), values_.end(), value) != values_.end();
}

void BuiltInTest::check(const TestValues& values) const {
  for (const TestValues::Value& each : values.inputs()) {
    if (!has(each.id))
      throw InvalidTestValue(each.id, "test " + std::to_string(id_) + " has no value '" + each.id + "'");
  }
}

/// A test that the component's thread is to run.
struct Component::PendingTest {
  enum class State { waiting, running, done, abandoned };

  const BuiltInTest& test;
  TestValues& values;
  State state = State::waiting;
  std::exception_ptr error{};
};

/// The time that a call of run_test() has to begin its test.
struct Component::TimeToBegin {
  std::chrono::milliseconds limit;
  std::chrono::steady_clock::time_point end;

  /// The same for a mutex: GCC's thread sanitizer knows pthread_mutex_timedlock(), which has the system's
  /// clock, but not pthread_mutex_clocklock().
  std::chrono::system_clock::time_point system_end() const {
    return std::chrono::system_clock::now() + std::chrono::duration_cast<std::chrono::system_clock::duration>(
                                                  end - std::chrono::steady_clock::now());
  }

  [[noreturn]] void fail(const BuiltInTest& test, const char* reason) const {
    throw std::runtime_error("test " + std::to_string(test.id()) + " has not begun within " +
                             std::to_string(limit.count()) + " ms: " + reason);
  }
};

/// Held by run_test(): one test of a component at a time.
class Component::OneTest {
 public:
  OneTest(Component& component, const BuiltInTest& test, const TimeToBegin& time) : component_(component) {
    std::unique_lock lock(component.values_mutex_);
    if (!component.test_done_.wait_until(lock, time.end, [&] { return !component.in_run_test_; }))
      time.fail(test, "another test of the component runs, or waits for it");
    component.in_run_test_ = true;
  }
  ~OneTest() {
    const std::lock_guard lock(component_.values_mutex_);
    component_.in_run_test_ = false;
    component_.test_done_.notify_all();
  }
  OneTest(const OneTest&) = delete;
  OneTest& operator=(const OneTest&) = delete;

 private:
  Component& component_;
};

bool Component::run_test(std::uint32_t id, TestValues& values, std::chrono::milliseconds time_to_begin) {
  const auto found = std::find_if(tests_.begin(), tests_.end(), [&](auto* test) { return test->id() == id; });
  if (found == tests_.end()) return false;
  const BuiltInTest& test = **found;
  test.check(values);
  const TimeToBegin time{time_to_begin, std::chrono::steady_clock::now() + time_to_begin};
  const OneTest one_at_a_time(*this, test, time);
  while (true) {
    if (run_on_own_thread(test, values, time)) return true;
    // The component is not started meanwhile.
    const std::unique_lock not_started(thread_mutex_, time.system_end());
    if (!not_started.owns_lock())
      time.fail(test, "start(), stop() or configure() of the component has not returned");
    {
      const std::lock_guard lock(values_mutex_);
      if (running_) continue;
    }
    if (shut_down_) throw std::runtime_error("the component has been released");
    test.run(values);
    return true;
  }
}

bool Component::run_on_own_thread(const BuiltInTest& test, TestValues& values, const TimeToBegin& time) {
  using State = PendingTest::State;
  std::unique_lock lock(values_mutex_);
  if (!running_) return false;
  PendingTest pending{test, values};
  pending_test_ = &pending;
  has_pending_values_.store(true, std::memory_order_release);  // C5: pairs with C6
  event_count_.notify();
  if (!test_done_.wait_until(lock, time.end, [&] { return pending.state != State::waiting; })) {
    pending_test_ = nullptr;
    time.fail(test, "the component is busy with a packet, or waits for another one");
  }
  test_done_.wait(lock, [&] { return pending.state != State::running; });
  if (pending.error) std::rethrow_exception(pending.error);
  return pending.state == State::done;
}

void Component::handle_pending() {
  apply_pending_values();
  run_pending_test();
}

void Component::run_pending_test() {
  PendingTest* pending = nullptr;
  {
    const std::lock_guard lock(values_mutex_);
    pending = std::exchange(pending_test_, nullptr);
    if (pending == nullptr) return;
    pending->state = PendingTest::State::running;
    has_pending_values_.store(!pending_values_.empty(), std::memory_order_relaxed);
  }
  std::exception_ptr error;
  try {
    pending->test.run(pending->values);
  } catch (...) {  // of the caller of run_test()
    error = std::current_exception();
  }
  const std::lock_guard lock(values_mutex_);
  pending->error = error;
  pending->state = PendingTest::State::done;
  test_done_.notify_all();
}

void Component::abandon_pending_test() {
  const std::lock_guard lock(values_mutex_);
  running_ = false;
  if (pending_test_ == nullptr) return;
  std::exchange(pending_test_, nullptr)->state = PendingTest::State::abandoned;
  test_done_.notify_all();
}

}  // namespace orbweaver::sca
