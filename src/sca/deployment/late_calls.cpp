#include "sca/deployment/late_calls.h"

#include <orbweaver/exception.h>

#include <condition_variable>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "base/log.h"
#include "platform/thread.h"
#include "sca/deployment/deployment_context.h"
#include "sca/deployment/worker_threads.h"

namespace orbweaver::sca {
namespace {

/// Calls, and threads, that wait for devices that do not answer, and for one of them: a device that hangs
/// does not stop the deployments on others.
constexpr std::size_t kMaxLateCalls = 256, kMaxLateCallsOfDevice = 16;

struct LateCalls {
  /// Those of one application.
  struct Orders {
    std::size_t pending = 0;
    bool is_known = true;  // what the devices have done
  };
  std::mutex mutex;
  std::condition_variable fewer;
  std::multiset<std::string> names;      // mutex
  std::multiset<std::string> devices;    // mutex; of the same calls, by id
  std::map<std::string, Orders> orders;  // mutex; by application
};

/// Not destroyed: threads of late calls run until the process ends.
LateCalls& late_calls() {
  static LateCalls* const all = new LateCalls;
  return *all;
}

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
    const bool is_known = is_performed ? undo(result) : is_rejected();
    LateCalls& late = late_calls();
    const std::lock_guard lock(late.mutex);
    late.names.erase(late.names.find(made_.name));
    late.devices.erase(late.devices.find(made_.device));
    LateCalls::Orders& orders = late.orders[made_.application];
    --orders.pending;
    orders.is_known = orders.is_known && is_known;
    late.fewer.notify_all();
  }

  /// In the thread of the caller.
  std::int32_t wait(std::chrono::milliseconds limit) {
    std::unique_lock lock(mutex_);
    if (!done_.wait_for(lock, limit, [this] { return is_done_; })) {
      is_late_ = true;
      LateCalls& late = late_calls();
      const std::lock_guard late_lock(late.mutex);
      late.names.insert(made_.name);
      late.devices.insert(made_.device);
      ++late.orders[made_.application].pending;
      throw CORBA::TIMEOUT(0, CORBA::CompletionStatus::COMPLETED_MAYBE);
    }
    // Moved, so that the exception is not destroyed by the other thread.
    if (failure_) std::rethrow_exception(std::move(failure_));
    return result_;
  }

 private:
  bool undo(std::int32_t result) const {
    const std::string name = made_.name + " was performed after its time limit";
    try {
      made_.undo(result);
      log::info([&] { return name + ", and has been undone"; });
      return true;
    } catch (const std::exception&) {
      log::warn(name + ", and cannot be undone: " + printable_reason());
    }
    return false;
  }

  /// Whether the exception of the call says that nothing has been done.
  bool is_rejected() const {
    try {
      std::rethrow_exception(failure_);
    } catch (const CORBA::SystemException& e) {
      return e.completed() == CORBA::CompletionStatus::COMPLETED_NO;
    } catch (const std::exception&) {
      return true;
    }
  }

  const UndoableCall made_;
  std::mutex mutex_;
  std::condition_variable done_;
  bool is_done_ = false, is_late_ = false;  // mutex_
  std::int32_t result_ = 0;                 // mutex_
  std::exception_ptr failure_;              // mutex_
};

/// Raises NO_RESOURCES if too many calls are late, of this device or of all.
void check_number(const std::string& device) {
  const auto fail = [](std::size_t most, const char* of) {
    throw CORBA::NO_RESOURCES(
        0, CORBA::CompletionStatus::COMPLETED_NO,
        std::to_string(most) + " calls of " + of + " have not been answered; restart what hangs");
  };
  LateCalls& late = late_calls();
  const std::lock_guard lock(late.mutex);
  if (late.devices.count(device) >= kMaxLateCallsOfDevice) fail(kMaxLateCallsOfDevice, "the device");
  if (late.names.size() >= kMaxLateCalls) fail(kMaxLateCalls, "devices");
}

}  // namespace

std::int32_t call_within(std::chrono::milliseconds limit, UndoableCall made) {
  check_number(made.device);
  const auto call = std::make_shared<Call>(std::move(made));
  run_in_worker([call] {
    platform::name_this_thread("ow-device-call");
    call->run();
    platform::name_this_thread(kWorkerName);
  });
  return call->wait(limit);
}

LateOrders late_orders_of(const std::string& application) {
  LateCalls& late = late_calls();
  const std::lock_guard lock(late.mutex);
  const auto found = late.orders.find(application);
  if (found == late.orders.end()) return LateOrders::unknown;
  if (found->second.pending > 0) return LateOrders::pending;
  const bool is_known = found->second.is_known;
  late.orders.erase(found);
  return is_known ? LateOrders::settled : LateOrders::unknown;
}

std::vector<std::string> wait_for_late_calls(std::chrono::milliseconds limit) {
  LateCalls& late = late_calls();
  std::unique_lock lock(late.mutex);
  late.fewer.wait_for(lock, limit, [&] { return late.names.empty(); });
  return {late.names.begin(), late.names.end()};
}

void finish_late_calls() {
  for (const std::string& name : wait_for_late_calls(kLateCallsAtEnd))
    log::warn(name +
              " has not answered: what it does from now on is undone by the next domain manager that is "
              "started with this state; without a state, restart the device");
}

}  // namespace orbweaver::sca
