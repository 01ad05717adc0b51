#include <orbweaver/streams/detail/port_runner.h>

#include <utility>

#include "base/catch_and_log.h"
#include "platform/thread.h"

namespace orbweaver::streams::detail {

void PortRunner::start(std::function<void()> body) {
  thread_ = std::thread([this, body = std::move(body)] {
    platform::name_this_thread(name_.c_str());
    body();
  });
}

void PortRunner::join() {
  const std::lock_guard lock(joining_);
  if (thread_.joinable()) thread_.join();
}

void PortRunner::count_failure(const char* why) noexcept {
  failed_.fetch_add(1, std::memory_order_relaxed);
  catch_and_log("function of a port", [&] { log_caught_exception(("port " + name_).c_str(), why); });
}

}  // namespace orbweaver::streams::detail
