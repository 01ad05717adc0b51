#include "sca/deployment/late_calls.h"

#include <orbweaver/exception.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "base/log.h"
#include "platform/thread.h"
#include "sca/deployment/deployment_context.h"

namespace orbweaver::sca {
namespace {

/// Calls, and threads, that wait for devices that do not answer.
constexpr int kMaxLateCalls = 256;
std::atomic<int> late_calls{0};

/// A call that its thread and its caller share.
class Call {
 public:
  explicit Call(UndoableCall made) : made_(std::move(made)) {}

  /// In the thread of the call.
  void run() {
    std::int32_t result = 0;
    std::exception_ptr failure;
    try {
      result = made_.call();
    } catch (...) {
      failure = std::current_exception();
    }
    const bool is_performed = !failure;
    {
      const std::lock_guard lock(mutex_);
      is_done_ = true;
      result_ = result;
      failure_ = std::move(failure);
      done_.notify_all();
      if (!is_late_) return;
    }
    if (is_performed) undo(result);
    late_calls.fetch_sub(1, std::memory_order_relaxed);
  }

  /// In the thread of the caller.
  std::int32_t wait(std::chrono::milliseconds limit) {
    std::unique_lock lock(mutex_);
    if (!done_.wait_for(lock, limit, [this] { return is_done_; })) {
      is_late_ = true;
      late_calls.fetch_add(1, std::memory_order_relaxed);
      throw CORBA::TIMEOUT(0, CORBA::CompletionStatus::COMPLETED_MAYBE);
    }
    // Moved, so that the exception is not destroyed by the other thread.
    if (failure_) std::rethrow_exception(std::move(failure_));
    return result_;
  }

 private:
  void undo(std::int32_t result) const {
    const std::string name = made_.name + " was performed after its time limit";
    try {
      made_.undo(result);
      log::info([&] { return name + ", and has been undone"; });
    } catch (const std::exception&) {
      log::warn(name + ", and cannot be undone: " + printable_reason());
    }
  }

  const UndoableCall made_;
  std::mutex mutex_;
  std::condition_variable done_;
  bool is_done_ = false, is_late_ = false;  // mutex_
  std::int32_t result_ = 0;                 // mutex_
  std::exception_ptr failure_;              // mutex_
};

}  // namespace

std::int32_t call_within(std::chrono::milliseconds limit, UndoableCall made) {
  if (late_calls.load(std::memory_order_relaxed) >= kMaxLateCalls)
    throw CORBA::NO_RESOURCES(0, CORBA::CompletionStatus::COMPLETED_NO,
                              std::to_string(kMaxLateCalls) + " calls of devices have not been answered");
  const auto call = std::make_shared<Call>(std::move(made));
  std::thread([call] {
    platform::name_this_thread("ow-device-call");
    call->run();
  }).detach();
  return call->wait(limit);
}

}  // namespace orbweaver::sca
