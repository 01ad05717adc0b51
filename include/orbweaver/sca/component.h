#pragma once

#include <atomic>
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
#include <orbweaver/sca/context.h>
#include <orbweaver/sca/counter.h>
#include <orbweaver/sca/input.h>
#include <orbweaver/sca/output.h>
#include <orbweaver/sca/property.h>
#include <orbweaver/sca/detail/doorbell.h>

namespace orbweaver::sca {

/// What a component derives from. It has one thread of its own, on which everything below marked
/// "own thread" runs, so that a component needs no locks. docs/sca.md has a whole one.
class Component {
 public:
  explicit Component(Context& context);
  /// The most derived class is gone by now: whoever owns a component calls shut_down() first.
  virtual ~Component();
  Component(const Component&) = delete;
  Component& operator=(const Component&) = delete;

  const std::string& identifier() const { return identifier_; }

  // For whoever deploys the component; any thread, one call at a time.

  /// Calls initialize().
  void set_up() { initialize(); }
  /// Starts the thread; nothing if it runs. A component whose thread has come to its end stays there.
  void start();
  /// Ends the thread after the handler in which it is; nothing if it does not run. Packets stay queued,
  /// and start() goes on with them.
  void stop();
  /// stop(), and senders that wait at an input are let go.
  void shut_down();
  /// Inputs take no more packets, and senders that wait at one are let go.
  void close_inputs();
  /// Ends the component as if all its inputs had come to their end: after the packets that are queued, on_end() is
  /// called and the end of the streams is sent. For a loop of components, whose inputs never end by themselves.
  void request_end();

  using Values = std::vector<std::pair<std::string, std::string>>;
  /// Sets properties: id and value as text. All of them or none: throws std::invalid_argument where one is unknown or
  /// its text is no value of its type. While the component runs, its own thread takes them over before the next
  /// packet; otherwise they are set, and on_configure() has returned, when this returns.
  void configure(const Values& values);
  /// The property's value as text. Throws std::invalid_argument where there is none of that id.
  std::string query(std::string_view id) const;

  /// Has on_end() returned and the end of every stream been sent?
  bool finished() const { return finished_.load(std::memory_order_acquire); }  // C1: pairs with C2
  /// Processor time of the component's thread, nanoseconds.
  std::int64_t thread_cpu_ns() const { return cpu_ns_.load(std::memory_order_relaxed); }
  const std::vector<InputPort*>& inputs() const { return inputs_; }
  const std::vector<OutputPort*>& outputs() const { return outputs_; }
  const std::vector<Counter*>& counters() const { return counters_; }
  const std::vector<PropertyBase*>& properties() const { return properties_; }
  InputPort* find_input(std::string_view name) const;
  OutputPort* find_output(std::string_view name) const;
  PropertyBase* find_property(std::string_view id) const;
  /// What the component's thread does right now. Read while it runs, so that its members may be a moment apart.
  Activity activity() const;

  /// Called, on the component's thread, with what a handler threw; the thread then ends. Without it the
  /// program ends, with a message: a component that cannot work must not look as if it did.
  void on_failure(std::function<void(std::exception_ptr)> told) { told_ = std::move(told); }

 protected:
  /// Once, before anything is connected. Throw std::runtime_error with a sentence where the component
  /// cannot work: a file that is not there, properties that do not go together.
  virtual void initialize() {}
  /// Own thread, at each start.
  virtual void on_start() {}
  /// Properties have been set by configure(). Own thread while the component runs, otherwise the thread of whoever
  /// configures it.
  virtual void on_configure() {}
  /// Own thread. Sources, which have no inputs, make and push one packet; false where there is no more.
  virtual bool produce() { return false; }
  /// Own thread, once: all inputs have come to their end, or produce() has. Push what is left; the end of
  /// the streams is sent afterwards.
  virtual void on_end() {}
  /// Own thread, at each stop and after on_end().
  virtual void on_stop() {}

  /// Own thread. Sleeps until now_ns() reaches `time_ns`; false where the component is being
  /// stopped, at once.
  bool sleep_until_ns(std::int64_t time_ns);
  bool stopping() const { return stopping_.load(std::memory_order_acquire); }  // C3: pairs with C4

 private:
  friend class InputPort;
  friend class OutputPort;
  friend class Counter;
  friend class PropertyBase;
  friend const std::string* detail::parameter(Component& owner, std::string_view id);

  void check_port_name(const std::string& name) const;
  void work();
  void serve_inputs();
  void make_packets();
  void take_over_values();
  void step() noexcept { steps_.store(steps_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  void enter(Activity::State state) noexcept { state_.store(state, std::memory_order_relaxed); }
  bool all_inputs_at_end() const;
  void end_streams();
  void note_cpu_time();

  Context& context_;  // good while the component is being made
  std::string identifier_;
  Doorbell bell_;
  std::vector<InputPort*> inputs_;
  std::vector<OutputPort*> outputs_;
  std::vector<Counter*> counters_;
  std::vector<PropertyBase*> properties_;
  std::function<void(std::exception_ptr)> told_;

  std::mutex mutex_;  // of stop_asked_
  std::condition_variable stop_asked_;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> finished_{false};
  std::atomic<bool> end_requested_{false};

  mutable std::mutex values_mutex_;  // of the values of properties, while they are written; and of:
  Values new_values_;                // that the component's thread has not taken over yet
  bool running_ = false;             // the component's thread takes them over
  std::atomic<bool> values_changed_{false};

  // For activity(). Written by the component's thread alone; no order between them is needed.
  std::atomic<Activity::State> state_{Activity::State::stopped};
  std::atomic<std::uint64_t> steps_{0};
  std::atomic<std::uint64_t> sending_stream_{0};
  std::atomic<const InputPort*> handling_{nullptr};

  std::atomic<std::int64_t> cpu_ns_{0};
  std::int64_t cpu_before_ns_ = 0;  // of threads that have ended
  std::thread thread_;
};

/// What ORBWEAVER_COMPONENT defines: the way from a program or a library to its component.
using MakeComponent = Component* (*)(Context&);

}  // namespace orbweaver::sca

extern "C" orbweaver::sca::Component* orbweaver_make_component(orbweaver::sca::Context& context);

/// Once in a component's source: makes `Class` the component of the program and of the library that
/// orbweaver_component() in CMake builds from it.
#define ORBWEAVER_COMPONENT(Class)                                                                       \
  extern "C" __attribute__((visibility("default"))) orbweaver::sca::Component* orbweaver_make_component( \
      orbweaver::sca::Context& context) {                                                                \
    return new Class(context);                                                                           \
  }
