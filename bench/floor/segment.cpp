#include "segment.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace orbweaver::bench {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

Segment Segment::make(std::size_t bytes) {
  const int file = memfd_create("orbweaver-bench", 0);
  if (file < 0) fail("memfd_create");
  if (ftruncate(file, static_cast<off_t>(bytes)) != 0) fail("ftruncate");
  // The file stays open: the other end opens it through this process's /proc directory.
  return Segment(file, bytes, "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file));
}

Segment Segment::open(const std::string& address, std::size_t bytes) {
  const int file = ::open(address.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) fail(address);
  return Segment(file, bytes, address);
}

Segment::Segment(int file, std::size_t bytes, std::string address)
    : bytes_(bytes), address_(std::move(address)) {
  void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
  if (mapped == MAP_FAILED) fail("mmap");
  data_ = static_cast<std::byte*>(mapped);
}

Segment::Segment(Segment&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_), address_(std::move(other.address_)) {}

Segment::~Segment() {
  if (data_) munmap(data_, bytes_);
}

}  // namespace orbweaver::bench
