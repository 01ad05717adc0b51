#include "transport/huge_pages.h"

#include <atomic>
#include <string>

#include "base/log.h"

namespace orbweaver::transport {
namespace {

std::atomic<bool> wanted{false};
std::atomic<bool> told[2];  // by Reserve

}  // namespace

void want_huge_pages(bool yes) noexcept { wanted.store(yes, std::memory_order_relaxed); }
bool huge_pages_wanted() noexcept { return wanted.load(std::memory_order_relaxed); }

void tell_no_huge_pages(const char* what, std::size_t bytes, Reserve reserve) {
  if (told[static_cast<std::size_t>(reserve)].exchange(true)) return;
  const std::string pages = std::to_string(bytes / platform::kHugePageBytes);
  std::string text = std::string("-ORBHugePages: there are no huge pages for ") + what + ", which takes " + pages +
                     " of 2 MiB; ordinary ones are used. ";
  if (reserve == Reserve::may) text += "Reserve " + pages + " or more (sysctl vm.nr_hugepages), or let shared memory have them: ";
  else text += "Let shared memory have them: ";
  log::warn(text + "echo advise > /sys/kernel/mm/transparent_hugepage/shmem_enabled");
}

}  // namespace orbweaver::transport
