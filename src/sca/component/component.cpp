#include <orbweaver/sca/component.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "platform/process.h"

namespace orbweaver::sca {
namespace {

constexpr int kPacketsBetweenClockReadings = 64;

template <class Port>
Port* find(const std::vector<Port*>& ports, std::string_view name) {
  const auto found = std::find_if(ports.begin(), ports.end(), [&](Port* p) { return p->name() == name; });
  return found == ports.end() ? nullptr : *found;
}

}  // namespace

Component::Component(Context& context) : context_(context), identifier_(context.identifier()) {}
Component::~Component() { stop(); }  // the ports, members of the derived class, are gone

InputPort* Component::find_input(std::string_view name) const { return find(inputs_, name); }
OutputPort* Component::find_output(std::string_view name) const { return find(outputs_, name); }

void Component::start() {
  if (thread_.joinable() || finished()) return;
  stopping_.store(false, std::memory_order_release);
  thread_ = std::thread([this] { work(); });
}

void Component::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_.store(true, std::memory_order_release);  // C4: pairs with C3
  }
  stop_asked_.notify_all();
  bell_.ring();
  if (thread_.joinable()) thread_.join();
}

void Component::shut_down() {
  stop();
  for (InputPort* input : inputs_) input->close();
}

void Component::work() {
  try {
    on_start();
    if (inputs_.empty()) {
      for (int count = 0; !stopping(); ++count) {
        if (!produce()) {
          end_streams();
          break;
        }
        if (count % kPacketsBetweenClockReadings == 0) note_cpu_time();
      }
    } else {
      serve_inputs();
    }
    on_stop();
  } catch (...) {
    note_cpu_time();
    if (told_) return told_(std::current_exception());
    try {
      throw;
    } catch (const std::exception& e) {
      std::fprintf(stderr, "component %s failed: %s\n", identifier_.c_str(), e.what());
    } catch (...) {
      std::fprintf(stderr, "component %s failed\n", identifier_.c_str());
    }
    std::_Exit(3);
  }
  note_cpu_time();
  cpu_before_ns_ = cpu_ns_.load(std::memory_order_relaxed);
}

void Component::serve_inputs() {
  for (int count = 0; !stopping();) {
    const auto heard = bell_.heard();
    bool any = false;
    // In turn, so that a busy input does not keep the others waiting.
    for (InputPort* input : inputs_) any = input->serve_one() || any;
    if (any) {
      if (++count % kPacketsBetweenClockReadings == 0) note_cpu_time();
      continue;
    }
    note_cpu_time();
    if (all_inputs_at_end()) return end_streams();
    bell_.wait(heard);
  }
}

bool Component::all_inputs_at_end() const {
  return std::all_of(inputs_.begin(), inputs_.end(), [](auto* input) { return input->at_end(); });
}

void Component::end_streams() {
  on_end();
  for (OutputPort* output : outputs_) output->end();
  note_cpu_time();
  finished_.store(true, std::memory_order_release);  // C2: what was counted is seen by who sees this
}

void Component::note_cpu_time() {
  cpu_ns_.store(cpu_before_ns_ + platform::thread_cpu_ns(), std::memory_order_relaxed);
}

bool Component::sleep_until_ns(std::int64_t time_ns) {
  std::unique_lock lock(mutex_);
  for (;;) {
    const std::int64_t left = time_ns - now_ns();
    if (stopping()) return false;
    if (left <= 0) return true;
    stop_asked_.wait_for(lock, std::chrono::nanoseconds(left));
  }
}

InputPort::InputPort(Component& owner, std::string name, SampleType type)
    : bell_(owner.bell_),
      name_(std::move(name)),
      type_(type),
      expected_(owner.context_.streams_expected(name_)) {
  owner.inputs_.push_back(this);
}

OutputPort::OutputPort(Component& owner, std::string name, SampleType type)
    : name_(std::move(name)), type_(type), links_(std::make_shared<const Links>()) {
  owner.outputs_.push_back(this);
}

bool OutputPort::connect(std::shared_ptr<Link> link) {
  const std::lock_guard lock(mutex_);
  if (std::any_of(links_->begin(), links_->end(), [&](auto& l) { return l->id() == link->id(); }))
    return false;
  auto more = std::make_shared<Links>(*links_);
  more->push_back(std::move(link));
  links_ = std::move(more);
  return true;
}

bool OutputPort::disconnect(const std::string& connection_id) {
  const std::lock_guard lock(mutex_);
  auto fewer = std::make_shared<Links>(*links_);
  if (std::erase_if(*fewer, [&](auto& l) { return l->id() == connection_id; }) == 0) return false;
  links_ = std::move(fewer);
  return true;
}

std::shared_ptr<const OutputPort::Links> OutputPort::links() const {
  const std::lock_guard lock(mutex_);
  return links_;
}

Counter::Counter(Component& owner, std::string name) : name_(std::move(name)) {
  owner.counters_.push_back(this);
}

namespace detail {
const std::string* parameter(Component& owner, std::string_view id) { return owner.context_.find(id); }
}  // namespace detail

}  // namespace orbweaver::sca
