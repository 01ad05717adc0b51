#include "transport/huge_pages.h"

#include <atomic>
#include <string>

#include "base/log.h"

namespace orbweaver::transport {
namespace {

std::atomic<bool> enabled{false};
std::atomic<bool> warned[2];  // by HugePageReserve

}  // namespace

void enable_huge_pages(bool yes) noexcept { enabled.store(yes, std::memory_order_relaxed); }
bool huge_pages_enabled() noexcept { return enabled.load(std::memory_order_relaxed); }

void warn_no_huge_pages(const char* what, std::size_t bytes, HugePageReserve reserve) {
  if (warned[static_cast<std::size_t>(reserve)].exchange(true)) return;
  const std::string pages = std::to_string(bytes / platform::kHugePageBytes);
  std::string text = std::string("-ORBTune huge-pages: no huge pages for ") + what + ", which takes " +
                     pages + " of 2 MiB; ordinary ones are used. ";
  if (reserve == HugePageReserve::may)
    text += "Reserve " + pages + " or more (sysctl vm.nr_hugepages), or let shared memory have them: ";
  else
    text += "Let shared memory have them: ";
  log::warn(text + "echo advise > /sys/kernel/mm/transparent_hugepage/shmem_enabled");
}

}  // namespace orbweaver::transport
