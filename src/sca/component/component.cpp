#include <orbweaver/sca/component.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "platform/crash_report.h"
#include "platform/process.h"
#include "sca/component/exception_text.h"
#include "sca/component/pending_values.h"

namespace orbweaver::sca {
namespace {

constexpr int kPacketsBetweenClockReadings = 64;
/// A thread that waits for a block checks this often whether its component is being stopped.
constexpr std::int64_t kStopCheckIntervalMs = 100;

/// The component whose turn this thread has; of several, the last one in a chain of direct inputs. Null:
/// none.
thread_local const Component* component_of_thread = nullptr;

template <class Port>
Port* find(const std::vector<Port*>& ports, std::string_view name) {
  const auto found = std::find_if(ports.begin(), ports.end(), [&](Port* p) { return p->name() == name; });
  return found == ports.end() ? nullptr : *found;
}

}  // namespace

Component::Component(Context& context)
    : context_(context), identifier_(context.identifier()),
      crash_text_("component " + identifier_ + " failed: ") {}
Component::~Component() { stop(); }  // the ports, members of the derived class, are already destroyed

InputPort* Component::find_input(std::string_view name) const { return find(inputs_, name); }
OutputPort* Component::find_output(std::string_view name) const { return find(outputs_, name); }
PropertyBase* Component::find_property(std::string_view id) const {
  const auto found =
      std::find_if(properties_.begin(), properties_.end(), [&](auto* p) { return p->id() == id; });
  return found == properties_.end() ? nullptr : *found;
}

void Component::check_port_name(const std::string& name) const {
  // getPort() has one name space for inputs and outputs.
  if (find_input(name) != nullptr || find_output(name) != nullptr) {
    throw std::invalid_argument("the component has two ports named '" + name +
                                "'; rename one of them, in the class and in its SCD");
  }
}

Activity Component::activity() const {
  Activity activity;
  activity.state = state_.load(std::memory_order_relaxed);
  activity.steps = steps_.load(std::memory_order_relaxed);
  if (const InputPort* input = handling_.load(std::memory_order_relaxed)) activity.handling = input->name();
  const std::uint64_t stream = sending_stream_.load(std::memory_order_relaxed);
  if (stream == 0) return activity;
  activity.waiting_for_block = waiting_for_block_.load(std::memory_order_relaxed);
  for (const OutputPort* output : outputs_) {
    for (const auto now = output->connections(); const auto& connection : *now) {
      if (connection->stream_id() == stream) activity.sending = connection->id();
    }
  }
  return activity;
}

void Component::check_values(const Values& values) const {
  InvalidProperties::Reasons reasons;
  for (const auto& [id, value] : values) {
    const PropertyBase* const property = find_property(id);
    if (property == nullptr) {
      reasons.emplace_back(id, "the component has no property '" + id + "'");
    } else if (property->mode() == PropertyMode::readonly) {
      reasons.emplace_back(id, "property '" + id + "' is readonly");
    } else {
      try {
        property->check(value);
      } catch (const std::invalid_argument& e) {
        reasons.emplace_back(id, e.what());
      }
    }
  }
  if (!reasons.empty()) throw InvalidProperties(std::move(reasons));
}

void Component::configure(const Values& values) {
  check_values(values);
  const auto leave_to_own_thread = [&] {
    const std::lock_guard lock(values_mutex_);
    if (!running_) return false;
    add_pending(pending_values_, values);
    has_pending_values_.store(true, std::memory_order_release);  // C5: pairs with C6
    event_count_.notify();
    return true;
  };
  if (leave_to_own_thread()) return;
  // Neither a test nor the component's thread runs meanwhile.
  const std::lock_guard not_started(thread_mutex_);
  if (leave_to_own_thread()) return;  // it has been started before
  if (shut_down_) throw std::runtime_error("the component has been released");
  {
    const std::lock_guard lock(values_mutex_);
    pending_values_.insert(pending_values_.end(), values.begin(), values.end());
  }
  apply_pending_values();
}

PropertyValue Component::query(std::string_view id) const {
  const PropertyBase* const property = find_property(id);
  if (property == nullptr)
    throw std::invalid_argument("the component has no property '" + std::string(id) + "'");
  if (property->mode() == PropertyMode::writeonly)
    throw std::invalid_argument("property '" + std::string(id) + "' is writeonly");
  const std::lock_guard lock(values_mutex_);
  return property->read();
}

void Component::apply_pending_values() {
  {
    const std::lock_guard lock(values_mutex_);
    has_pending_values_.store(pending_test_ != nullptr, std::memory_order_relaxed);
    if (pending_values_.empty()) return;
    for (const auto& [id, value] : pending_values_) find_property(id)->set(value);
    pending_values_.clear();
  }
  on_configure();
}

void Component::request_end() {
  end_requested_.store(true, std::memory_order_release);  // C7: pairs with C8
  event_count_.notify();
}

void Component::start() {
  const std::lock_guard starting(thread_mutex_);
  if (thread_.joinable() || finished() || shut_down_) return;
  stopping_.store(false, std::memory_order_release);
  {
    const std::lock_guard lock(values_mutex_);
    running_ = true;
  }
  thread_ = std::thread([this] { work(); });
}

void Component::stop() {
  const std::lock_guard joining(thread_mutex_);
  {
    const std::lock_guard lock(mutex_);
    stopping_.store(true, std::memory_order_release);  // C4: pairs with C3
  }
  stop_requested_.notify_all();
  event_count_.notify();
  if (thread_.joinable()) thread_.join();
}

void Component::shut_down() {
  {
    const std::lock_guard lock(thread_mutex_);
    shut_down_ = true;
  }
  stop();
  close_inputs();
  for (InputPort* input : inputs_) input->discard();
}

void Component::close_inputs() {
  turn_.close();
  for (InputPort* input : inputs_) input->close();
}

void Component::work() {
  platform::set_crash_text(crash_text_.c_str());
  component_of_thread = this;
  turn_.take();
  try {
    enter(Activity::State::working);
    on_start();
    if (inputs_.empty()) {
      run_source();
    } else {
      turn_.admit_senders(true);
      process_inputs();
      turn_.admit_senders(false);
    }
    on_stop();
  } catch (...) {
    update_cpu_time();
    abandon_pending_test();
    fail();
    return turn_.release();
  }
  turn_.release();
  update_cpu_time();
  cpu_before_ns_ = cpu_ns_.load(std::memory_order_relaxed);
  enter(finished() ? Activity::State::finished : Activity::State::stopped);
  abandon_pending_test();
}

void Component::fail() {
  turn_.close();
  if (on_failure_) return on_failure_(std::current_exception());
  std::fprintf(stderr, "component %s failed: %s\n", identifier_.c_str(), current_exception_text().c_str());
  std::_Exit(3);
}

void Component::run_source() {
  for (int count = 0; !stopping(); ++count) {
    if (has_pending_values_.load(std::memory_order_acquire)) handle_pending();  // C6: pairs with C5
    if (end_requested_.load(std::memory_order_acquire) || !produce())
      return end_streams();  // C8: pairs with C7
    step();
    if (count % kPacketsBetweenClockReadings == 0) update_cpu_time();
  }
}

void Component::process_inputs() {
  for (int count = 0; !stopping();) {
    const auto key = event_count_.key();
    if (has_pending_values_.load(std::memory_order_acquire)) handle_pending();  // C6
    bool any = false;
    // Inputs take turns, so that a busy input does not starve the others.
    for (InputPort* input : inputs_) {
      handling_.store(input, std::memory_order_relaxed);
      if (!input->process_packet()) continue;
      step();
      any = true;
    }
    handling_.store(nullptr, std::memory_order_relaxed);
    if (any) {
      if (++count % kPacketsBetweenClockReadings == 0) update_cpu_time();
      turn_.pass();
      continue;
    }
    update_cpu_time();
    if (all_inputs_at_end() || end_requested_.load(std::memory_order_acquire)) return end_streams();  // C8
    enter(Activity::State::waiting);
    turn_.release();
    event_count_.wait(key);
    turn_.take();
    enter(Activity::State::working);
  }
}

bool Component::all_inputs_at_end() const {
  return std::all_of(inputs_.begin(), inputs_.end(), [](auto* input) { return input->at_end(); });
}

void Component::end_streams() {
  on_end();
  for (OutputPort* output : outputs_) output->end();
  turn_.close();
  update_cpu_time();
  finished_.store(true, std::memory_order_release);  // C2: publishes the counters written before
}

void Component::update_cpu_time() {
  cpu_ns_.store(cpu_before_ns_ + platform::thread_cpu_ns(), std::memory_order_relaxed);
}

bool Component::sleep_until_ns(std::int64_t time_ns) {
  std::unique_lock lock(mutex_);
  enter(Activity::State::sleeping);
  while (!stopping()) {
    const std::int64_t left = time_ns - now_ns();
    if (left <= 0) break;
    stop_requested_.wait_for(lock, std::chrono::nanoseconds(left));
  }
  enter(Activity::State::working);
  return !stopping();
}

InputPort::InputPort(Component& owner, std::string name, SampleType type, PortInterface interface)
    : event_count_(owner.event_count_), owner_(owner), name_(std::move(name)), type_(type),
      interface_(interface), direct_(owner.context_.is_direct_input(name_)),
      expected_(owner.context_.streams_expected(name_)) {
  owner.check_port_name(name_);
  owner.inputs_.push_back(this);
  if (direct_) owner.turn_.enable();
}

bool InputPort::begin_call() {
  if (!owner_.turn_.take_as_sender()) return false;
  owner_.sender_ = std::exchange(component_of_thread, &owner_);
  senders_crash_text_ = platform::set_crash_text(owner_.crash_text_.c_str());
  owner_.enter(Activity::State::working);
  owner_.handling_.store(this, std::memory_order_relaxed);
  if (!owner_.has_pending_values_.load(std::memory_order_acquire)) return true;  // C6: pairs with C5
  try {
    owner_.handle_pending();
    return true;
  } catch (...) {
    fail_call();
    return false;
  }
}

void InputPort::end_call(bool end_of_stream) noexcept {
  platform::set_crash_text(senders_crash_text_);
  owner_.step();
  owner_.handling_.store(nullptr, std::memory_order_relaxed);
  owner_.enter(Activity::State::waiting);
  component_of_thread = std::exchange(owner_.sender_, nullptr);
  owner_.turn_.release_as_sender();
  // The component's own thread ends the component when the last stream has ended.
  if (end_of_stream) owner_.event_count_.notify();
}

void InputPort::fail_call() {
  owner_.fail();
  end_call(false);
}

OutputPort::OutputPort(Component& owner, std::string name, SampleType type, PortInterface interface)
    : owner_(owner), name_(std::move(name)), type_(type), interface_(interface),
      connections_(std::make_shared<const Connections>()) {
  owner.check_port_name(name_);
  owner.outputs_.push_back(this);
}

bool OutputPort::connect(std::shared_ptr<OutputConnection> connection) {
  const std::lock_guard lock(mutex_);
  if (std::any_of(connections_->begin(), connections_->end(),
                  [&](auto& l) { return l->id() == connection->id(); }))
    return false;
  auto more = std::make_shared<Connections>(*connections_);
  more->push_back(std::move(connection));
  connections_ = std::move(more);
  return true;
}

bool OutputPort::disconnect(const std::string& connection_id) {
  const std::lock_guard lock(mutex_);
  auto fewer = std::make_shared<Connections>(*connections_);
  const auto removed =
      std::find_if(fewer->begin(), fewer->end(), [&](auto& l) { return l->id() == connection_id; });
  if (removed == fewer->end()) return false;
  copied_bytes_.fetch_add((*removed)->copied_bytes(), std::memory_order_relaxed);
  fewer->erase(removed);
  connections_ = std::move(fewer);
  return true;
}

std::uint64_t OutputPort::copied_bytes() const {
  std::uint64_t bytes = copied_bytes_.load(std::memory_order_relaxed);
  for (const auto now = connections(); const auto& connection : *now) bytes += connection->copied_bytes();
  return bytes;
}

::orbweaver::detail::BlockRef OutputPort::allocate_block(std::size_t bytes, void*& data) {
  using Outcome = ::orbweaver::detail::BlockAccount::Outcome;
  const auto all = connections();
  const auto has_receiver = [&] {
    return std::any_of(all->begin(), all->end(), [](auto& c) { return !c->broken() && c->uses_blocks(); });
  };
  if (!has_receiver()) return {};
  ::orbweaver::detail::BlockRef block;
  Outcome outcome = blocks_in_use_.allocate(bytes, 0, block, data);
  if (outcome != Outcome::share_in_use) return block;
  owner_.waiting_for_block_.store(true, std::memory_order_relaxed);
  sending_on(all->front()->stream_id());
  // In a handler of a direct input, the thread has the turns of the components before, which may be stopped,
  // too.
  const auto is_stopped = [&] {
    for (const Component* c = component_of_thread; c != nullptr; c = c->sender_) {
      if (c->stopping()) return true;
    }
    return owner_.stopping();
  };
  while (outcome == Outcome::share_in_use && !is_stopped() && has_receiver())
    outcome = blocks_in_use_.allocate(bytes, kStopCheckIntervalMs, block, data);
  sending_on(0);
  owner_.waiting_for_block_.store(false, std::memory_order_relaxed);
  return block;
}

std::shared_ptr<const OutputPort::Connections> OutputPort::connections() const {
  const std::lock_guard lock(mutex_);
  return connections_;
}

void OutputPort::sending_on(std::uint64_t stream_id) noexcept {
  owner_.sending_stream_.store(stream_id, std::memory_order_relaxed);
}

Counter::Counter(Component& owner, std::string name) : name_(std::move(name)) {
  for (const Counter* other : owner.counters_) {
    if (other->name() == name_)
      throw std::invalid_argument("the component has two counters named '" + name_ + "'; rename one of them");
  }
  owner.counters_.push_back(this);
}

}  // namespace orbweaver::sca
