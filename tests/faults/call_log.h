#pragma once

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "platform/memory.h"

namespace faulttest {

/// Record of upcalls, in memory shared by the test and the process that it kills. The test compares the
/// completion status of exceptions with it.
struct CallLog {
  std::atomic<std::uint32_t> begun;     ///< Upcalls that were entered.
  std::atomic<std::uint32_t> finished;  ///< Upcalls that were completed.
  std::atomic<std::int64_t> killed_ns;  ///< Time at which the process under test was killed; 0: not yet.
};

/// The shared page of a CallLog, created by the test. A child process opens it by its `path`.
class CallLogPage {
 public:
  CallLogPage()
      : file_(orbweaver::platform::make_memory_file("orbweaver-call-log", orbweaver::platform::page_bytes())
                  .fd) {
    map();
  }
  explicit CallLogPage(orbweaver::platform::Fd file) : file_(std::move(file)) { map(); }
  CallLog& operator*() const noexcept { return *reinterpret_cast<CallLog*>(page_.data()); }
  CallLog* operator->() const noexcept { return &**this; }
  std::string path() const;

 private:
  void map() {
    auto mapped = orbweaver::platform::map_shared(file_, {{0, orbweaver::platform::page_bytes(), 1}});
    if (!mapped) throw std::runtime_error("cannot map the call log");
    page_ = std::move(mapped.mapping);
  }
  orbweaver::platform::Fd file_;
  orbweaver::platform::Mapping page_;
};

}  // namespace faulttest
