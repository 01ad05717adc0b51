#include "platform/descriptors.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>

namespace orbweaver::platform {

std::size_t descriptor_limit() noexcept {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0
             ? static_cast<std::size_t>(std::min<rlim_t>(limit.rlim_cur, SIZE_MAX))
             : 1024;
}

std::size_t available_descriptors() noexcept {
  const Fd lowest = spare_descriptor();
  const std::size_t limit = descriptor_limit();
  if (!lowest || static_cast<std::size_t>(lowest.get()) >= limit) return 0;
  return limit - static_cast<std::size_t>(lowest.get());
}

std::size_t descriptors_in_use() noexcept {
  // Linux 6.2 and later report the number as the size of the folder, earlier ones 0.
  struct stat folder {};
  if (stat("/proc/self/fd", &folder) == 0 && folder.st_size > 0)
    return static_cast<std::size_t>(folder.st_size);
  DIR* const all = opendir("/proc/self/fd");
  if (all == nullptr) return descriptor_limit() - available_descriptors();
  std::size_t count = 0;
  while (const dirent* const entry = readdir(all)) count += entry->d_name[0] != '.';
  closedir(all);
  return count - 1;  // without the descriptor of opendir
}

Fd spare_descriptor() noexcept { return Fd(eventfd(0, EFD_CLOEXEC)); }

void open_standard_descriptors() noexcept {
  for (int fd = 0; fd <= 2; ++fd) {
    if (fcntl(fd, F_GETFD) != -1) continue;
    // Opened with the lowest free number, which is this one unless another thread opens a file now.
    Fd opened(open("/dev/null", O_RDWR));
    if (opened.get() == fd) opened.release();
  }
}

Fd duplicate(const Fd& fd) noexcept { return Fd(fcntl(fd.get(), F_DUPFD_CLOEXEC, 0)); }

}  // namespace orbweaver::platform
