#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "platform/fd.h"

/// Shared memory in anonymous files (memfd), and its mappings.
namespace orbweaver::platform {

/// A range of a memory file, mapped `times` times in a row. A ring buffer is mapped twice, so that data that
/// wraps around is contiguous.
struct MappedRange {
  std::size_t file_offset = 0;
  std::size_t bytes = 0;
  int times = 1;
  /// Page tables are populated for as many bytes from the beginning of the first mapping (a multiple of
  /// page_bytes()), or for all mappings completely. The others get an entry at their first access, which the
  /// kernel makes without allocating memory: that of the file is allocated.
  std::size_t populated_bytes = SIZE_MAX;
};

/// The size of a huge page: 2 MiB. Huge pages reduce TLB misses.
inline constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

/// The kind of pages of a memory file.
enum class Pages : std::uint8_t {
  ordinary,
  transparent_huge,  ///< Huge pages as far as available, else ordinary ones.
  hugetlb,           ///< Huge pages of the system's reserve (hugetlb).
};

/// A mapping of ranges of a memory file, in order. Owns the addresses, not the file. Has a guard page at each
/// end: an access beyond the mapping faults.
class Mapping {
 public:
  Mapping() noexcept = default;
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping();

  std::uint8_t* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  explicit operator bool() const noexcept { return data_ != nullptr; }

 private:
  friend struct MappingResult map_shared(const Fd&, const std::vector<MappedRange>&);
  friend struct MappingResult map_read_only(const Fd&, std::size_t) noexcept;
  friend struct ExportedMemory make_exported_memory(const char*, std::size_t, Pages) noexcept;
  friend int populate_huge_pages(const Fd&, std::size_t) noexcept;
  /// Reserves addresses for `bytes` and a guard page at each end; 0, or an errno value. The mapping is
  /// aligned to kHugePageBytes if `bytes` is a multiple of it.
  int reserve(std::size_t bytes) noexcept;
  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

/// A mapping, or an errno value.
struct MappingResult {
  Mapping mapping;
  int error = 0;
  explicit operator bool() const noexcept { return error == 0; }
};

/// Makes an anonymous memory file of `bytes` zeros (a multiple of page_bytes()). All of its memory is
/// allocated, so that an access cannot raise SIGBUS, and its size is sealed. A process that receives the
/// descriptor may add seals (forbid_hole_punching). ENOMEM or ENOSPC if the memory is not available.
FdResult make_memory_file(const char* label, std::size_t bytes) noexcept;

/// Whether the system has transparent huge pages for shared memory (shmem_enabled).
bool has_transparent_huge_pages() noexcept;
/// As make_memory_file above, of pages of this kind. For huge pages, `bytes` and the offsets of mapped ranges
/// are multiples of kHugePageBytes. ENOSPC or ENOMEM also if the reserve of huge pages is too small.
FdResult make_memory_file(const char* label, std::size_t bytes, Pages pages) noexcept;

/// Checks a memory file received from a peer, before any access: it has exactly `bytes` and is sealed against
/// shrinking, its memory is allocated (an access to a hole would allocate memory on behalf of this process),
/// and its pages are ordinary or transparent_huge (an access to a hole in hugetlb pages raises SIGBUS). 0, or
/// an errno value: EPERM: not sealed, EINVAL: another size or kind, ENODATA: it has holes.
int check_memory_file(const Fd& file, std::size_t bytes) noexcept;

/// Seals a mapped file that check_memory_file accepted: no process, including its creator, can punch holes
/// into it or make another writable mapping of it (F_SEAL_FUTURE_WRITE); existing mappings stay valid. 0, or
/// an errno value (ENODATA: it has holes already). If the creator forbade seals (F_SEAL_SEAL), the file is
/// unchanged and the result is 0.
int forbid_hole_punching(const Fd& file, std::size_t bytes) noexcept;

/// As check_memory_file, for an ExportedMemory file of a peer, which only its owner can write. It must be
/// sealed against writing, and thereby against holes, so that hugetlb pages are accepted as well.
int check_imported_memory(const Fd& file, std::size_t bytes) noexcept;

/// Maps the ranges for reading and writing.
MappingResult map_shared(const Fd& file, const std::vector<MappedRange>& parts);

/// Maps the first `bytes` read-only, with page tables populated.
MappingResult map_read_only(const Fd& file, std::size_t bytes) noexcept;

/// A memory file as of make_memory_file, with its only writable mapping: a process that receives the
/// descriptor can map it read-only. `error` is 0, or an errno value.
struct ExportedMemory {
  Fd file;
  Mapping mapping;
  int error = 0;
  explicit operator bool() const noexcept { return error == 0; }
};
/// Makes such a file of `bytes` and seals it. The pages are as for make_memory_file.
ExportedMemory make_exported_memory(const char* label, std::size_t bytes,
                                    Pages pages = Pages::ordinary) noexcept;

/// The size of an ordinary page.
std::size_t page_bytes() noexcept;

}  // namespace orbweaver::platform
