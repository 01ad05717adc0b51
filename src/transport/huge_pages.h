#pragma once

#include <cstddef>

#include "platform/memory.h"

/// Huge pages for rings and pools, used with -ORBTune huge-pages where the system has some.
namespace orbweaver::transport {

/// Enables huge pages for all memory that this process allocates from now on. Thread-safe.
void enable_huge_pages(bool enabled) noexcept;
bool huge_pages_enabled() noexcept;

/// Whether memory may come from the system's reserve (hugetlb). Every process that may write to a file can
/// free its pages; a process that then touches them while the reserve is empty is killed. So only memory that
/// no other process can write to may.
enum class HugePageReserve : bool { never, may };

/// Logs, once for each kind of reserve, that no huge pages are available for `bytes` and which settings
/// provide them.
void warn_no_huge_pages(const char* what, std::size_t bytes, HugePageReserve reserve);

/// Calls `make(pages)` with the best kind of pages that succeeds; with ordinary pages its failure is
/// returned. `bytes` (in huge pages) and `what` are for the log message.
template <class Make>
auto with_best_pages(const char* what, std::size_t bytes, HugePageReserve reserve, Make&& make) {
  using platform::Pages;
  if (!huge_pages_enabled()) return make(Pages::ordinary);
  if (reserve == HugePageReserve::may) {
    if (auto made = make(Pages::hugetlb)) return made;
  }
  if (platform::has_transparent_huge_pages()) {
    if (auto made = make(Pages::transparent_huge)) return made;
  }
  warn_no_huge_pages(what, bytes, reserve);
  return make(Pages::ordinary);
}

}  // namespace orbweaver::transport
