#include "sca/device/device_processes.h"

#include <orbweaver/deadline.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "platform/thread.h"

namespace orbweaver::sca {
namespace {

/// Longer lines are passed on in pieces, which bounds the memory for a line that never ends.
constexpr std::size_t kMaxLineBytes = 4096;

std::string failure_text(platform::SpawnStep step, const std::string& program, int error) {
  const std::string why = platform::error_text(error);
  switch (step) {
    case platform::SpawnStep::stack: return "its stack size cannot be set: " + why;
    case platform::SpawnStep::affinity: return "its core affinity cannot be set: " + why;
    case platform::SpawnStep::priority:
      return "its real-time priority cannot be set: " + why + " (RLIMIT_RTPRIO or CAP_SYS_NICE permit it)";
    case platform::SpawnStep::control_group: return "it cannot enter its control group: " + why;
    case platform::SpawnStep::start: return "no process can be started: " + why;
    case platform::SpawnStep::program: break;
  }
  return program + " cannot be executed: " + why;
}

}  // namespace

DeviceProcesses::DeviceProcesses(Line line, OnEnd on_end)
    : line_(std::move(line)), on_end_(std::move(on_end)), wake_(platform::make_pipe()),
      thread_([this] { serve(); }) {}

DeviceProcesses::~DeviceProcesses() {
  terminate_all(0);
  on_thread([this] { stop_ = true; });
  thread_.join();
}

DeviceProcesses::Started DeviceProcesses::start(const std::string& name, platform::SpawnRequest request) {
  request.leads_group = true;
  Started started;
  on_thread([&] {
    {
      const std::lock_guard lock(mutex_);
      if (ending_) {
        started.error = ECANCELED;
        started.message = "the device ends";
        return;
      }
    }
    auto child = std::make_unique<Child>();
    child->name = name;
    platform::SpawnStep step{};
    started.error = child->process.spawn(request, &step);
    if (started.error != 0) {
      started.message = failure_text(step, request.program, started.error);
      return;
    }
    child->id = started.process = {child->process.pid(), ++last_serial_};
    children_.push_back(std::move(child));
    const std::lock_guard lock(mutex_);
    running_.push_back(started.process);
  });
  return started;
}

int DeviceProcesses::write_input(const Process& process, std::string bytes) {
  int error = ESRCH;
  on_thread([&] {
    Child* const child = find(process);
    if (child == nullptr || !child->process.input()) return;
    if (child->input.size() + bytes.size() > kMaxInputBytes) {
      error = EAGAIN;
      return;
    }
    child->input += bytes;
    error = write_to(*child);
  });
  return error;
}

bool DeviceProcesses::terminate(int pid, int grace_ms) {
  Process process;
  {
    const std::lock_guard lock(mutex_);
    const auto found =
        std::find_if(running_.begin(), running_.end(), [&](const Process& each) { return each.pid == pid; });
    if (found == running_.end()) return false;
    process = *found;
  }
  bool found = false;
  const auto send = [&](auto signal) {
    on_thread([&] {
      Child* const child = find(process);
      if (child == nullptr) return;
      found = child->expected = true;
      signal(child->process);
    });
  };
  send([](platform::ChildProcess& child) { child.terminate(); });
  if (!found) return false;
  if (wait_for_end(process, grace_ms)) return true;
  send([](platform::ChildProcess& child) { child.kill(); });
  return wait_for_end(process, -1);
}

void DeviceProcesses::terminate_all(int grace_ms) {
  const auto send = [&](auto signal) {
    on_thread([&] {
      for (const auto& child : children_) {
        child->expected = true;
        signal(child->process);
      }
    });
  };
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  const auto all_ended = [&] { return running_.empty(); };
  if (grace_ms > 0) {
    send([](platform::ChildProcess& process) { process.terminate(); });
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, std::chrono::milliseconds(grace_ms), all_ended)) return;
  }
  send([](platform::ChildProcess& process) { process.kill(); });
  std::unique_lock lock(mutex_);
  changed_.wait(lock, all_ended);
}

std::size_t DeviceProcesses::size() const {
  const std::lock_guard lock(mutex_);
  return running_.size();
}

bool DeviceProcesses::runs(const Process& process) const {
  const std::lock_guard lock(mutex_);
  return std::find(running_.begin(), running_.end(), process) != running_.end();
}

bool DeviceProcesses::wait_for_end(const Process& process, int timeout_ms) {
  std::unique_lock lock(mutex_);
  const auto ended = [&] { return std::find(running_.begin(), running_.end(), process) == running_.end(); };
  if (timeout_ms >= 0) return changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms), ended);
  changed_.wait(lock, ended);
  return true;
}

void DeviceProcesses::on_thread(std::function<void()> run) {
  const auto task = std::make_shared<Task>();
  task->run = std::move(run);
  std::unique_lock lock(mutex_);
  tasks_.push_back(task);
  platform::write_all(wake_.write, "x", 1000);
  changed_.wait(lock, [&] { return task->done; });
}

void DeviceProcesses::serve() {
  platform::name_this_thread("ow-processes");
  while (!stop_) {
    handle_events();
    run_tasks();
  }
}

void DeviceProcesses::run_tasks() {
  for (;;) {
    std::shared_ptr<Task> task;
    {
      const std::lock_guard lock(mutex_);
      if (tasks_.empty()) return;
      task = tasks_.front();
      tasks_.pop_front();
    }
    task->run();
    const std::lock_guard lock(mutex_);
    task->done = true;
    changed_.notify_all();
  }
}

void DeviceProcesses::handle_events() {
  platform::Poller poller;
  const platform::Fd no_fd;
  const std::size_t wake = poller.add(wake_.read);
  for (const auto& child : children_) {
    poller.add(child->process.ended());
    poller.add(child->open ? child->process.output() : no_fd);
    poller.add_writer(child->input.empty() ? no_fd : child->process.input());
  }
  if (!poller.wait(-1)) return;
  if (poller.ready(wake)) {
    bool at_end = false;
    platform::read_available(wake_.read, at_end);
  }
  for (std::size_t i = 0; i < children_.size(); ++i) {
    const bool ended = poller.ready(1 + 3 * i);
    if (poller.ready(3 + 3 * i)) write_to(*children_[i]);
    if (poller.ready(2 + 3 * i) || (ended && children_[i]->open)) read_from(*children_[i]);
    if (ended) reap(*children_[i]);
  }
  std::erase_if(children_, [](const auto& child) { return !child->process.running(); });
}

int DeviceProcesses::write_to(Child& child) {
  std::size_t written = 0;
  const int error = platform::write_available(child.process.input(), child.input, written);
  child.input.erase(0, error == 0 ? written : std::string::npos);
  return error;
}

void DeviceProcesses::read_from(Child& child) {
  // At most a few pieces at a time, so that a process that prints without end does not keep the others
  // waiting; all of it once the process has ended.
  for (int pieces = 0; child.open && pieces < 16; ++pieces) {
    bool at_end = false;
    const std::string text = platform::read_available(child.process.output(), at_end);
    if (at_end) child.open = false;
    if (text.empty()) return;
    child.partial += text;
    print_lines(child);
  }
}

void DeviceProcesses::print_lines(Child& child) {
  std::size_t begin = 0;
  for (auto end = child.partial.find('\n'); end != std::string::npos; end = child.partial.find('\n', begin)) {
    line_(child.name, child.id.pid, child.partial.substr(begin, end - begin));
    begin = end + 1;
  }
  child.partial.erase(0, begin);
  if (child.partial.size() > kMaxLineBytes) {
    line_(child.name, child.id.pid, child.partial);
    child.partial.clear();
  }
}

void DeviceProcesses::reap(Child& child) {
  child.process.kill();  // its own children, which are in its group; the process itself has ended
  const platform::ExitStatus status = child.process.reap();
  if (!child.partial.empty()) line_(child.name, child.id.pid, child.partial);
  on_end_({child.id.pid, child.name, status, child.expected});
  const std::lock_guard lock(mutex_);
  std::erase(running_, child.id);
  changed_.notify_all();
}

DeviceProcesses::Child* DeviceProcesses::find(const Process& process) {
  for (const auto& child : children_) {
    if (child->id == process && child->process.running()) return child.get();
  }
  return nullptr;
}

}  // namespace orbweaver::sca
