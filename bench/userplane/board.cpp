#include "board.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <system_error>

#include "bench/harness/clock.h"

namespace orbweaver::bench {

UserplaneBoard::UserplaneBoard(const std::string& path, Mode mode) {
  const int flags = O_RDWR | O_CLOEXEC | (mode == Mode::create ? O_CREAT | O_EXCL : 0);
  const int fd = ::open(path.c_str(), flags, 0600);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), path);
  struct stat found {};
  const bool usable = mode == Mode::create ? posix_fallocate(fd, 0, sizeof(Memory)) == 0
                                           : fstat(fd, &found) == 0 && found.st_size == sizeof(Memory);
  void* const memory =
      usable ? mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
  const int error = errno;
  close(fd);
  if (memory == MAP_FAILED) throw std::system_error(error, std::generic_category(), path);
  memory_ = static_cast<Memory*>(memory);
}

UserplaneBoard::~UserplaneBoard() { munmap(memory_, sizeof(Memory)); }

void UserplaneBoard::store(std::uint32_t point, const Reception& reception) noexcept {
  if (point < kMostPoints) memory_->receptions[point] = reception;
}

void UserplaneBoard::publish(std::uint32_t progress) noexcept {
  memory_->progress.store(progress, std::memory_order_release);  // U1: publishes the stored point
  syscall(SYS_futex, &memory_->progress, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

bool UserplaneBoard::wait_for(std::uint32_t progress, std::chrono::microseconds limit) noexcept {
  const std::int64_t end_ns = steady_ns() + limit.count() * 1000;
  for (;;) {
    const std::uint32_t seen = memory_->progress.load(std::memory_order_acquire);  // pairs with U1
    if (seen >= progress) return true;
    const std::int64_t left_ns = end_ns - steady_ns();
    if (left_ns <= 0) return false;
    const timespec left{static_cast<time_t>(left_ns / 1'000'000'000),
                        static_cast<long>(left_ns % 1'000'000'000)};
    syscall(SYS_futex, &memory_->progress, FUTEX_WAIT, seen, &left, nullptr, 0);
  }
}

}  // namespace orbweaver::bench
