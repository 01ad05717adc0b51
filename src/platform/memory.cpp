#include "platform/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#ifndef MFD_HUGE_2MB
#define MFD_HUGE_2MB (21U << 26)
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23  // Linux 5.14
#endif

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
  const std::size_t page = page_bytes();
  const std::size_t unit = bytes % kHugePageBytes == 0 ? kHugePageBytes : page;
  const std::size_t all = bytes + page + unit;
  void* const found = mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) return errno;
  auto* const base = static_cast<std::uint8_t*>(found);
  const auto first = reinterpret_cast<std::uintptr_t>(base) + page;
  data_ = base + page + ((0 - first) & (unit - 1));
  size_ = bytes;
  // Unmaps the addresses outside of the guard pages: they were reserved for the alignment.
  if (data_ - page != base) munmap(base, static_cast<std::size_t>(data_ - page - base));
  if (data_ + bytes + page != base + all)
    munmap(data_ + bytes + page, static_cast<std::size_t>(base + all - (data_ + bytes + page)));
  return 0;
}

/// Allocates huge pages, as far as available, for an empty memory file of `bytes`. The file has to be mapped
/// with MADV_HUGEPAGE for that, before its memory is allocated.
int populate_huge_pages(const Fd& file, std::size_t bytes) noexcept {
  Mapping mapping;
  if (const int error = mapping.reserve(bytes); error != 0) return error;
  if (mmap(mapping.data(), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file.get(), 0) ==
      MAP_FAILED)
    return errno;
  // If the kernel lacks either, fallocate allocates ordinary pages afterwards. Unlike a write, this cannot
  // raise SIGBUS.
  if (madvise(mapping.data(), bytes, MADV_HUGEPAGE) == 0) madvise(mapping.data(), bytes, MADV_POPULATE_WRITE);
  return 0;
}

namespace {

/// A memory file without seals, all of whose memory is allocated.
FdResult allocate_memory_file(const char* label, std::size_t bytes, Pages pages) noexcept {
  const unsigned reserve = pages == Pages::hugetlb ? MFD_HUGETLB | MFD_HUGE_2MB : 0;
  Fd file(memfd_create(label, MFD_CLOEXEC | MFD_ALLOW_SEALING | reserve));
  if (!file) return {Fd(), errno};
  // Beyond RLIMIT_FSIZE, which applies to memory files, the calls below would raise SIGXFSZ.
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes > limit.rlim_cur) return {Fd(), EFBIG};
  if (pages == Pages::transparent_huge) {
    if (ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) return {Fd(), errno};
    if (const int error = populate_huge_pages(file, bytes); error != 0) return {Fd(), error};
  }
  // fallocate allocates the memory now: a shortage is an error here, not a SIGBUS at a later access.
  if (fallocate(file.get(), 0, 0, static_cast<off_t>(bytes)) != 0) return {Fd(), errno};
  return {std::move(file), 0};
}

}  // namespace

bool has_transparent_huge_pages() noexcept {
  char text[128] = {};
  const Fd file(open("/sys/kernel/mm/transparent_hugepage/shmem_enabled", O_RDONLY | O_CLOEXEC));
  if (!file || read(file.get(), text, sizeof text - 1) <= 0) return false;
  return std::strstr(text, "[never]") == nullptr && std::strstr(text, "[deny]") == nullptr;
}

FdResult make_memory_file(const char* label, std::size_t bytes) noexcept {
  return make_memory_file(label, bytes, Pages::ordinary);
}

FdResult make_memory_file(const char* label, std::size_t bytes, Pages pages) noexcept {
  FdResult allocated = allocate_memory_file(label, bytes, pages);
  if (!allocated) return allocated;
  if (fcntl(allocated.fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) return {Fd(), errno};
  return allocated;
}

namespace {

/// Checks size and holes. Called after the seals were checked: without them the peer can change the result.
int check_size(const Fd& file, std::size_t bytes) noexcept {
  struct stat status {};
  if (fstat(file.get(), &status) != 0) return errno;
  if (!S_ISREG(status.st_mode) || status.st_size < 0 || static_cast<std::size_t>(status.st_size) != bytes)
    return EINVAL;
  return static_cast<std::size_t>(status.st_blocks) * 512 < bytes ? ENODATA : 0;
}

}  // namespace

int check_memory_file(const Fd& file, std::size_t bytes) noexcept {
  const int seals = fcntl(file.get(), F_GET_SEALS);
  if (seals < 0) return errno;
  if ((seals & F_SEAL_SHRINK) == 0) return EPERM;
  struct statfs system {};
  if (fstatfs(file.get(), &system) != 0) return errno;
  if (static_cast<unsigned long>(system.f_type) == HUGETLBFS_MAGIC) return EINVAL;
  return check_size(file, bytes);
}

int forbid_hole_punching(const Fd& file, std::size_t bytes) noexcept {
  if (fcntl(file.get(), F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) != 0)
    return errno == EPERM ? 0 : errno;
  return check_size(file, bytes);  // detects holes punched since check_memory_file
}

int check_imported_memory(const Fd& file, std::size_t bytes) noexcept {
  const int seals = fcntl(file.get(), F_GET_SEALS);
  if (seals < 0) return errno;
  if ((seals & F_SEAL_SHRINK) == 0 || (seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE)) == 0) return EPERM;
  return check_size(file, bytes);
}

MappingResult map_shared(const Fd& file, const std::vector<MappedRange>& parts) {
  MappingResult result;
  std::size_t total = 0;
  for (const MappedRange& part : parts) total += part.bytes * static_cast<std::size_t>(part.times);
  // One reservation, so that the parts are contiguous and one munmap removes them all.
  result.error = result.mapping.reserve(total);
  if (result.error != 0) return result;
  std::uint8_t* at = result.mapping.data_;
  const auto map = [&](std::size_t offset, std::size_t bytes, int flags) {
    if (bytes == 0 || result.error != 0) return;
    if (mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | flags, file.get(),
             static_cast<off_t>(offset)) == MAP_FAILED)
      result.error = errno;
    at += bytes;
  };
  for (const MappedRange& part : parts) {
    for (int i = 0; i < part.times; ++i) {
      const std::size_t populated = part.populated_bytes >= part.bytes ? part.bytes
                                    : i == 0                           ? part.populated_bytes
                                                                       : 0;
      // The kernel joins the two to one mapping.
      map(part.file_offset, populated, MAP_POPULATE);
      map(part.file_offset + populated, part.bytes - populated, 0);
    }
  }
  return result;
}

MappingResult map_read_only(const Fd& file, std::size_t bytes) noexcept {
  MappingResult result;
  result.error = result.mapping.reserve(bytes);
  if (result.error != 0) return result;
  if (mmap(result.mapping.data_, bytes, PROT_READ, MAP_SHARED | MAP_FIXED | MAP_POPULATE, file.get(), 0) ==
      MAP_FAILED) {
    result.error = errno;
  }
  return result;
}

ExportedMemory make_exported_memory(const char* label, std::size_t bytes, Pages pages) noexcept {
  ExportedMemory exported;
  FdResult allocated = allocate_memory_file(label, bytes, pages);
  exported.error = allocated.error;
  if (!allocated) return exported;
  exported.file = std::move(allocated.fd);
  exported.error = exported.mapping.reserve(bytes);
  if (exported.error != 0) return exported;
  if (mmap(exported.mapping.data_, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE,
           exported.file.get(), 0) == MAP_FAILED) {
    exported.error = errno;
    return exported;
  }
  // The writable mapping above stays valid; no other can be made from here on (Linux 5.1).
  if (fcntl(exported.file.get(), F_ADD_SEALS,
            F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) != 0) {
    exported.error = errno;
  }
  return exported;
}

std::size_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace orbweaver::platform
