#include "platform/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

namespace orbweaver::platform {

Mapping::Mapping(Mapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

Mapping::~Mapping() {
  if (data_ != nullptr) munmap(data_ - page_bytes(), size_ + 2 * page_bytes());
}

int Mapping::reserve(std::size_t bytes) noexcept {
  void* base = mmap(nullptr, bytes + 2 * page_bytes(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return errno;
  data_ = static_cast<std::uint8_t*>(base) + page_bytes();
  size_ = bytes;
  return 0;
}

FdResult make_memory_file(const char* label, std::size_t bytes) noexcept {
  Fd file(memfd_create(label, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file) return {Fd(), errno};
  // fallocate takes the memory now: a later shortage is then an error here, not a SIGBUS there.
  if (fallocate(file.get(), 0, 0, static_cast<off_t>(bytes)) != 0) return {Fd(), errno};
  if (fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) return {Fd(), errno};
  return {std::move(file), 0};
}

int check_memory_file(const Fd& file, std::size_t bytes) noexcept {
  struct stat status {};
  if (fstat(file.get(), &status) != 0) return errno;
  if (!S_ISREG(status.st_mode) || status.st_size < 0 || static_cast<std::size_t>(status.st_size) != bytes) return EINVAL;
  if (static_cast<std::size_t>(status.st_blocks) * 512 < bytes) return ENODATA;
  const int seals = fcntl(file.get(), F_GET_SEALS);
  if (seals < 0) return errno == EINVAL ? EINVAL : errno;
  return (seals & F_SEAL_SHRINK) != 0 ? 0 : EPERM;
}

MappingResult map_shared(const Fd& file, const std::vector<MapPart>& parts) {
  MappingResult result;
  std::size_t total = 0;
  for (const MapPart& part : parts) total += part.bytes * static_cast<std::size_t>(part.times);
  // One reservation first, so that the parts lie side by side and one munmap ends them all.
  result.error = result.mapping.reserve(total);
  if (result.error != 0) return result;
  std::uint8_t* at = result.mapping.data_;
  for (const MapPart& part : parts) {
    for (int i = 0; i < part.times; ++i, at += part.bytes) {
      if (mmap(at, part.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE, file.get(),
               static_cast<off_t>(part.file_offset)) == MAP_FAILED) {
        result.error = errno;
        return result;
      }
    }
  }
  return result;
}

MappingResult map_read_only(const Fd& file, std::size_t bytes) noexcept {
  MappingResult result;
  result.error = result.mapping.reserve(bytes);
  if (result.error != 0) return result;
  if (mmap(result.mapping.data_, bytes, PROT_READ, MAP_SHARED | MAP_FIXED | MAP_POPULATE, file.get(), 0) == MAP_FAILED) {
    result.error = errno;
  }
  return result;
}

LentMemory make_lent_memory(const char* label, std::size_t bytes) noexcept {
  LentMemory made;
  made.file = Fd(memfd_create(label, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!made.file || fallocate(made.file.get(), 0, 0, static_cast<off_t>(bytes)) != 0) {
    made.error = errno;
    return made;
  }
  made.error = made.mapping.reserve(bytes);
  if (made.error != 0) return made;
  if (mmap(made.mapping.data_, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE, made.file.get(), 0) ==
      MAP_FAILED) {
    made.error = errno;
    return made;
  }
  // The writable mapping above stays; from here on there can be no other (Linux 5.1).
  if (fcntl(made.file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) != 0) {
    made.error = errno;
  }
  return made;
}

std::size_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace orbweaver::platform
