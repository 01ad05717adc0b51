#include "stamps.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace orbweaver::bench {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

StampFile::StampFile(const std::string& path, std::size_t packets, Mode mode) : count_(packets) {
  const std::size_t bytes = packets * sizeof(PacketStamps);
  const int flags = O_RDWR | O_CLOEXEC | (mode == Mode::create ? O_CREAT | O_EXCL : 0);
  const int fd = ::open(path.c_str(), flags, 0600);
  if (fd < 0) fail(path);
  struct stat found {};
  bool usable = mode == Mode::create
                    ? posix_fallocate(fd, 0, static_cast<off_t>(bytes)) == 0
                    : fstat(fd, &found) == 0 && static_cast<std::size_t>(found.st_size) == bytes;
  void* const memory =
      usable ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0) : MAP_FAILED;
  close(fd);
  if (memory == MAP_FAILED) fail(path + ": " + std::to_string(bytes) + " bytes of stamps");
  stamps_ = static_cast<PacketStamps*>(memory);
}

StampFile::~StampFile() { munmap(stamps_, count_ * sizeof(PacketStamps)); }

}  // namespace orbweaver::bench
