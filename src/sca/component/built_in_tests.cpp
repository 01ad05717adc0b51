// The tests of a component, and their execution between its packets.
#include <orbweaver/sca/built_in_test.h>

#include <algorithm>
#include <chrono>
#include <exception>

#include <orbweaver/sca/component.h>

namespace orbweaver::sca {
namespace {

/// Time that the thread of a component has to begin a test.
constexpr std::chrono::seconds kTestBegins{10};

}  // namespace

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

void BuiltInTest::check(const TestValues& values) const {
  for (const TestValues::Value& each : values.inputs()) {
    if (std::find(values_.begin(), values_.end(), each.id) == values_.end())
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

bool Component::run_test(std::uint32_t id, TestValues& values) {
  const auto found = std::find_if(tests_.begin(), tests_.end(), [&](auto* test) { return test->id() == id; });
  if (found == tests_.end()) return false;
  const BuiltInTest& test = **found;
  test.check(values);
  const std::lock_guard one_at_a_time(tests_mutex_);
  while (true) {
    {
      std::unique_lock lock(values_mutex_);
      if (running_) {
        using State = PendingTest::State;
        PendingTest pending{test, values};
        pending_test_ = &pending;
        has_pending_values_.store(true, std::memory_order_release);  // C5: pairs with C6
        event_count_.notify();
        if (!test_done_.wait_for(lock, kTestBegins, [&] { return pending.state != State::waiting; })) {
          pending_test_ = nullptr;
          throw std::runtime_error("test " + std::to_string(id) + " has not begun within " +
                                   std::to_string(kTestBegins.count()) +
                                   " s: the component is busy with a packet, or waits for another one");
        }
        test_done_.wait(lock, [&] { return pending.state != State::running; });
        if (pending.error) std::rethrow_exception(pending.error);
        if (pending.state == State::done) return true;
      }
    }
    // The component is not started meanwhile.
    const std::lock_guard not_started(thread_mutex_);
    {
      const std::lock_guard lock(values_mutex_);
      if (running_) continue;
    }
    test.run(values);
    return true;
  }
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
