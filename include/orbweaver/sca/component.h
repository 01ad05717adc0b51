#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <orbweaver/sca/activity.h>
#include <orbweaver/sca/built_in_test.h>
#include <orbweaver/sca/context.h>
#include <orbweaver/sca/counter.h>
#include <orbweaver/sca/detail/event_count.h>
#include <orbweaver/sca/detail/turn.h>
#include <orbweaver/sca/input.h>
#include <orbweaver/sca/output.h>
#include <orbweaver/sca/property.h>

namespace orbweaver::sca {

/// Base class of components (SCA 2.2.2, 3.1.3.1.6). A component has one thread of its own, which runs all
/// functions marked "own thread" below, so that a component needs no locks. Handlers of direct inputs run on
/// the threads of senders, but never two functions at a time. docs/sca.md has a complete example.
class Component {
 public:
  /// `context` provides the exec params, and is used during construction only.
  explicit Component(Context& context);
  /// The most derived class must have called shut_down() before: it is already destroyed here, while the
  /// thread may still call its functions.
  virtual ~Component();
  Component(const Component&) = delete;
  Component& operator=(const Component&) = delete;

  /// Id of the component's instantiation in the assembly.
  const std::string& identifier() const { return identifier_; }

  /// @name For the code that deploys the component
  /// Any thread, one call at a time.
  /// @{

  /// Calls initialize().
  void set_up() { initialize(); }
  /// Starts the thread; no effect if it is running, or has ended after on_end(), or after shut_down().
  void start();
  /// Stops the thread after the present handler; no effect if it is not running. Packets stay queued, and
  /// start() continues with them.
  void stop();
  /// stop(), and close_inputs(). Destroys the queued packets: senders may wait for their blocks. Derived
  /// classes call it in their destructor.
  void shut_down();
  /// Closes the inputs: they accept no more packets, and waiting senders return.
  void close_inputs();
  /// Ends the component as if all its inputs had ended: after the queued packets, on_end() is called and the
  /// end of the streams is sent. For components in a loop, whose inputs never end otherwise.
  void request_end();

  /// Ids of properties and their values.
  using Values = std::vector<std::pair<std::string, PropertyValue>>;
  /// Sets properties, all of them or none. Throws InvalidProperties if an id is unknown, a property is
  /// readonly, or a value is not of its type or not permitted by its rules. While the component runs, its own
  /// thread applies them before the next packet, of several values of a property the last one, and
  /// std::runtime_error is thrown if values of more than 64 MiB would wait for that; otherwise they are
  /// applied, and on_configure() has returned, when this returns. Of a stopped component, it waits for
  /// start(), a test and another configure(), and throws std::runtime_error after shut_down().
  void configure(const Values& values);
  /// Returns the property's value. Throws std::invalid_argument if the id is unknown, or the property is
  /// writeonly.
  PropertyValue query(std::string_view id) const;

  /// Runs the built-in test with that id, and waits for its end: on the component's own thread between two
  /// packets while that runs, otherwise on this one. False if there is no such test. Throws InvalidTestValue,
  /// what the test throws, and std::runtime_error after shut_down(), and if the test has not begun within
  /// `time_to_begin`, because another one runs, the component's thread is busy, or start(), stop() or
  /// configure() on another thread does not return. While a test of a stopped component runs, start(), stop()
  /// and configure() on other threads wait for it.
  bool run_test(std::uint32_t id, TestValues& values,
                std::chrono::milliseconds time_to_begin = std::chrono::seconds(10));
  /// @}

  /// Whether on_end() has returned and the end of every stream has been sent. Any thread.
  bool finished() const { return finished_.load(std::memory_order_acquire); }  // C1: pairs with C2
  /// Processor time of the component's thread in nanoseconds, over all starts. Any thread.
  std::int64_t thread_cpu_ns() const { return cpu_ns_.load(std::memory_order_relaxed); }
  /// Input ports of the component, which owns them, in the order of declaration. Any thread once the
  /// component is constructed, as the next three.
  const std::vector<InputPort*>& inputs() const { return inputs_; }
  /// Output ports.
  const std::vector<OutputPort*>& outputs() const { return outputs_; }
  /// Counters.
  const std::vector<Counter*>& counters() const { return counters_; }
  /// Properties.
  const std::vector<PropertyBase*>& properties() const { return properties_; }
  /// Built-in tests.
  const std::vector<BuiltInTest*>& tests() const { return tests_; }
  /// The input port of that name; null if there is none. Any thread, as the next two.
  InputPort* find_input(std::string_view name) const;
  /// The output port of that name; null if there is none.
  OutputPort* find_output(std::string_view name) const;
  /// The property of that id; null if there is none.
  PropertyBase* find_property(std::string_view id) const;
  /// Present state of the component's thread. Any thread. Its members are read one by one while the thread
  /// runs, and may be of slightly different moments.
  Activity activity() const;

  /// Sets the function that the component's thread calls with an exception thrown by a handler, before it
  /// ends. Without it the program terminates with a message: a component that has failed must not appear to
  /// work. Call it before start().
  void on_failure(std::function<void(std::exception_ptr)> function) { on_failure_ = std::move(function); }

 protected:
  /// Called once, before anything is connected. Throws std::runtime_error with a message if the component
  /// cannot work: a missing file, properties that contradict each other.
  virtual void initialize() {}
  /// Own thread. Called at each start.
  virtual void on_start() {}
  /// Called when configure() has set properties. Own thread while the component runs, otherwise the thread
  /// that calls configure().
  virtual void on_configure() {}
  /// Own thread. Called repeatedly if there are no inputs: generates and pushes one packet; false after the
  /// last one.
  virtual bool produce() { return false; }
  /// Own thread. Called once, when all inputs have ended or produce() has returned false. Push the remaining
  /// samples; the end of the streams is sent afterwards.
  virtual void on_end() {}
  /// Own thread. Called at each stop and after on_end().
  virtual void on_stop() {}

  /// Own thread. Sleeps until now_ns() reaches `time_ns`; returns false, immediately, if the component is
  /// being stopped.
  bool sleep_until_ns(std::int64_t time_ns);
  /// Whether the component is being stopped. For long loops in a handler.
  bool stopping() const { return stopping_.load(std::memory_order_acquire); }  // C3: pairs with C4

 private:
  friend class InputPort;
  friend class OutputPort;
  friend class Counter;
  friend class PropertyBase;
  friend class BuiltInTest;
  friend const PropertyValue* detail::parameter(Component& owner, std::string_view id);
  friend std::unique_lock<std::mutex> detail::lock_values(Component& owner);

  void check_port_name(const std::string& name) const;
  void work();
  void fail();
  void process_inputs();
  void run_source();
  void check_values(const Values& values) const;
  void apply_pending_values();
  void handle_pending();
  struct PendingTest;
  struct TimeToBegin;
  class OneTest;
  /// False if the component's thread does not run, or ends before the test.
  bool run_on_own_thread(const BuiltInTest& test, TestValues& values, const TimeToBegin& time);
  void run_pending_test();
  void abandon_pending_test();
  void step() noexcept {
    steps_.store(steps_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  void enter(Activity::State state) noexcept { state_.store(state, std::memory_order_relaxed); }
  bool all_inputs_at_end() const;
  void end_streams();
  void update_cpu_time();

  Context& context_;  // valid during construction only
  std::string identifier_;
  std::string crash_text_;  // begins the line about a crash of a thread in one of its functions
  EventCount event_count_;
  detail::Turn turn_;
  std::vector<InputPort*> inputs_;
  std::vector<OutputPort*> outputs_;
  std::vector<Counter*> counters_;
  std::vector<PropertyBase*> properties_;
  std::vector<BuiltInTest*> tests_;
  std::function<void(std::exception_ptr)> on_failure_;

  std::mutex mutex_;  // for stop_requested_
  std::condition_variable stop_requested_;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> finished_{false};
  std::atomic<bool> end_requested_{false};

  // protects the values of properties while they are written, and the next four
  mutable std::mutex values_mutex_;
  Values pending_values_;                // set by configure(), not yet applied by the component's thread
  bool running_ = false;                 // the component's thread applies them
  PendingTest* pending_test_ = nullptr;  // to be run by the component's thread
  bool in_run_test_ = false;             // one call at a time: the others wait
  std::condition_variable test_done_;    // values_mutex_
  std::atomic<bool> has_pending_values_{false};

  // For activity(). Written by the component's thread only; no order between them is needed.
  std::atomic<Activity::State> state_{Activity::State::stopped};
  std::atomic<std::uint64_t> steps_{0};
  std::atomic<std::uint64_t> sending_stream_{0};
  std::atomic<const InputPort*> handling_{nullptr};
  std::atomic<bool> waiting_for_block_{false};
  // The component whose turn the thread has that has this one's turn: the sender of a direct input, or null.
  const Component* sender_ = nullptr;

  std::atomic<std::int64_t> cpu_ns_{0};
  std::int64_t cpu_before_ns_ = 0;  // of earlier threads
  // Guards the next two. Held until the thread has ended, and while functions of the component run on the
  // thread of a caller; these may call the component.
  std::recursive_timed_mutex thread_mutex_;
  std::thread thread_;
  bool shut_down_ = false;  // it is not started any more
};

/// Function that creates a program's or library's component; the caller owns the result. Defined by
/// ORBWEAVER_COMPONENT.
using MakeComponent = Component* (*)(Context&);

}  // namespace orbweaver::sca

/// Creates the component of this program or library; the caller owns it. Defined by ORBWEAVER_COMPONENT.
extern "C" orbweaver::sca::Component* orbweaver_make_component(orbweaver::sca::Context& context);

/// Makes `Class` the component of the program and of the library that orbweaver_component() in CMake builds
/// from this source. Use it once in each.
#define ORBWEAVER_COMPONENT(Class)                                                                       \
  extern "C" __attribute__((visibility("default"))) orbweaver::sca::Component* orbweaver_make_component( \
      orbweaver::sca::Context& context) {                                                                \
    return new Class(context);                                                                           \
  }
