#include "realtime/thread_priority.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>

#include "base/log.h"
#include "giop/priorities.h"
#include "platform/thread_priority.h"
#include "realtime/minor_codes.h"

namespace orbweaver::realtime {
namespace {

using RTCORBA::NativePriority;
using RTCORBA::Priority;

/// Highest native priority of the process. Asked once: permissions are those of its start.
int highest_native() noexcept {
  static const int highest = platform::highest_fifo_priority();
  return highest;
}

/// See orbweaver::set_priority_mapping.
class DefaultMapping final : public RTCORBA::PriorityMapping {
  bool to_native(Priority priority, NativePriority& native) override {
    if (priority < RTCORBA::minPriority) return false;
    const int highest = highest_native();
    native =
        highest == 0
            ? priority
            : static_cast<NativePriority>(1 + std::int64_t{priority} * highest / (RTCORBA::maxPriority + 1));
    return true;
  }
  bool to_CORBA(NativePriority native, Priority& priority) override {
    const int highest = highest_native();
    if (native < (highest == 0 ? 0 : 1) || (highest != 0 && native > highest)) return false;
    // The least priority that has this native one.
    priority = highest == 0
                   ? native
                   : static_cast<Priority>(
                         (std::int64_t{native - 1} * (RTCORBA::maxPriority + 1) + highest - 1) / highest);
    return true;
  }
};

struct Mapping {
  std::mutex mutex;
  std::shared_ptr<RTCORBA::PriorityMapping> current = std::make_shared<DefaultMapping>();
};
Mapping& mapping() {
  // Never destroyed: threads of an ORB may use it while the program exits.
  static Mapping& instance = *new Mapping;
  return instance;
}

/// The priorities of a thread.
struct Thread {
  Priority priority = giop::kNoPriority;
  bool is_mapped = true;  // the mapping has a native priority for it
  /// As the thread had it before its first priority was set.
  std::optional<platform::ThreadPriority> native_before;
  std::optional<platform::ThreadPriority> native;  // as it has been set last
};
thread_local Thread current;

std::optional<int> native_of(Priority priority) noexcept {
  NativePriority native = 0;
  if (!priority_mapping()->to_native(priority, native)) return std::nullopt;
  return native;
}

void warn_of_permission(const std::string& why) noexcept {
  static std::atomic<bool> warned{false};
  if (warned.exchange(true, std::memory_order_relaxed)) return;
  log::warn("priorities of Real-time CORBA do not change the scheduling of threads: " + why +
            "; it needs CAP_SYS_NICE or a limit (ulimit -r)");
}

void set_native(const platform::ThreadPriority& priority) noexcept {
  if (current.native == priority) return;
  if (!current.native_before) current.native_before = platform::this_thread_priority();
  if (const int error = platform::set_this_thread_priority(priority); error != 0)
    return warn_of_permission(std::system_category().message(error));
  current.native = priority;
}

/// Gives the thread the native priority of `priority`. False: there is none.
bool apply(Priority priority) noexcept {
  const std::optional<int> native = native_of(priority);
  if (!native) return false;
  if (highest_native() == 0) {
    warn_of_permission("this process may not use SCHED_FIFO");
    return true;
  }
  if (*native < 0 || *native > 99) return false;
  set_native(platform::fifo_priority(*native));
  return true;
}

}  // namespace

void check_range(Priority priority, const char* what) {
  if (priority >= RTCORBA::minPriority) return;
  throw CORBA::BAD_PARAM(minor::kBadPriority, CORBA::CompletionStatus::COMPLETED_NO,
                         std::string(what) + " " + std::to_string(priority) + " is not within 0 to 32767");
}

Priority thread_priority() noexcept { return current.priority; }

Priority implied_priority() noexcept {
  const platform::ThreadPriority native = platform::this_thread_priority();
  Priority priority = giop::kNoPriority;
  if (native.priority == 0 ||
      !priority_mapping()->to_CORBA(static_cast<NativePriority>(native.priority), priority))
    return giop::kNoPriority;
  return priority;
}

void set_thread_priority(Priority priority) {
  check_range(priority, "the_priority");
  if (!apply(priority)) {
    throw CORBA::DATA_CONVERSION(
        minor::kNotMapped, CORBA::CompletionStatus::COMPLETED_NO,
        "the PriorityMapping has no native priority from 0 to 99 for " + std::to_string(priority));
  }
  current.priority = priority;
  current.is_mapped = true;
}

void set_request_priority(Priority priority) {
  if (current.priority != priority || !current.is_mapped) set_thread_priority(priority);
}

void set_orb_thread_priority(Priority priority) noexcept {
  if (current.priority == priority) return;
  current.priority = priority;
  current.is_mapped = apply(priority);
  if (current.is_mapped) return;
  log::write_limited(log::Level::warn, "priority mapping", "", [&] {
    return "the PriorityMapping has no native priority from 0 to 99 for " + std::to_string(priority);
  });
}

void restore_thread_priority(Priority priority) noexcept {
  if (current.priority == priority) return;
  if (priority != giop::kNoPriority) return set_orb_thread_priority(priority);
  current.priority = priority;
  current.is_mapped = true;
  if (current.native) set_native(*current.native_before);
}

}  // namespace orbweaver::realtime

namespace orbweaver {

void set_priority_mapping(std::shared_ptr<RTCORBA::PriorityMapping> replacement) {
  if (replacement == nullptr) replacement = std::make_shared<realtime::DefaultMapping>();
  realtime::Mapping& mapping = realtime::mapping();
  const std::lock_guard lock(mapping.mutex);
  mapping.current.swap(replacement);
}

std::shared_ptr<RTCORBA::PriorityMapping> priority_mapping() {
  realtime::Mapping& mapping = realtime::mapping();
  const std::lock_guard lock(mapping.mutex);
  return mapping.current;
}

}  // namespace orbweaver
