#include "platform/file_space.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/fd.h"

namespace orbweaver::platform {
namespace {

int allocate(const Fd& file, int mode, std::uint64_t from, std::uint64_t bytes) noexcept {
  for (;;) {
    if (fallocate(file.get(), mode, static_cast<off_t>(from), static_cast<off_t>(bytes)) == 0) return 0;
    if (errno != EINTR) return errno;
  }
}

}  // namespace

int create_allocated(const std::string& path, std::uint64_t bytes) noexcept {
  const Fd file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (!file) return errno;
  const int error = allocate(file, 0, 0, bytes);
  if (error != 0) unlink(path.c_str());
  return error;
}

int allocate_behind(const std::string& path, std::uint64_t bytes) noexcept {
  const Fd file(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0) return errno;
  return allocate(file, FALLOC_FL_KEEP_SIZE, static_cast<std::uint64_t>(status.st_size), bytes);
}

int remove_file(const std::string& path) noexcept { return unlink(path.c_str()) == 0 ? 0 : errno; }

}  // namespace orbweaver::platform
