#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "platform/fd.h"

/// Memory that processes share, without a name in any file system.
namespace orbweaver::platform {

/// A part of a memory file and how often it stands in the mapping, one after the other. Twice makes a ring
/// whose end runs on into its beginning.
struct MapPart {
  std::size_t file_offset = 0;
  std::size_t bytes = 0;
  int times = 1;
};

/// Memory in larger units, so that the processor looks up fewer addresses: 2 MiB, on all machines that have any.
inline constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

/// What memory a file is made of.
enum class Pages : std::uint8_t {
  ordinary,
  transparent,  ///< Huge where the system finds some, ordinary where it does not.
  reserved,     ///< Of the system's reserve of huge pages (hugetlb).
};

/// A mapping of a memory file, all parts in order. Owns the addresses, not the file. The pages before and behind it
/// are nobody's: whoever reads or writes beyond it faults at once.
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
  friend struct MappingResult map_shared(const Fd&, const std::vector<MapPart>&);
  friend struct MappingResult map_read_only(const Fd&, std::size_t) noexcept;
  friend struct LentMemory make_lent_memory(const char*, std::size_t, Pages) noexcept;
  friend int fill_with_huge_pages(const Fd&, std::size_t) noexcept;
  /// Takes addresses for `bytes` and a guard page at each end; 0, or an errno value. Whole huge pages begin at the
  /// address of one.
  int reserve(std::size_t bytes) noexcept;
  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

struct MappingResult {
  Mapping mapping;
  int error = 0;
  explicit operator bool() const noexcept { return error == 0; }
};

/// An anonymous memory file of `bytes` zeros (a multiple of page_bytes()), all of its memory taken already,
/// so that touching it can neither fail later nor raise SIGBUS, and sealed against changes of its size. Whoever it is
/// handed to may seal it further (seal_holes). ENOMEM or ENOSPC where there is not so much memory.
FdResult make_memory_file(const char* label, std::size_t bytes) noexcept;

/// Does the system put huge pages under shared memory that asks for them, without a reserve?
bool has_transparent_pages() noexcept;
/// The same as make_memory_file in such pages. In huge ones `bytes` is a multiple of kHugePageBytes, and so are the
/// offsets at which parts of it are mapped; ENOSPC or ENOMEM, too, where the reserve does not suffice.
FdResult make_memory_file(const char* label, std::size_t bytes, Pages pages) noexcept;

/// Is this a memory file of exactly `bytes` that nobody can shrink any more, and whose memory its maker has taken
/// (touching a hole would take it in this process's name), of ordinary or transparent pages (a hole in reserved ones
/// raises SIGBUS)? What a peer hands over is asked this before it is touched. 0, or an errno value (EPERM: not sealed,
/// EINVAL: another size or kind, ENODATA: it has holes).
int check_memory_file(const Fd& file, std::size_t bytes) noexcept;

/// After mapping a file that check_memory_file found good: from here on nobody, its maker neither, can punch holes into
/// it or map it for writing once more (F_SEAL_FUTURE_WRITE); mappings that there are stay. 0, or an errno value (ENODATA:
/// it has holes already). A file whose maker does not permit it stays as it is, and gives 0.
int seal_holes(const Fd& file, std::size_t bytes) noexcept;

/// The same of memory that its owner alone may write: nobody can punch holes into it any more, either, so that it may
/// be of reserved pages, too.
int check_lent_memory(const Fd& file, std::size_t bytes) noexcept;

/// Maps the parts, readable and writable, page tables filled in.
MappingResult map_shared(const Fd& file, const std::vector<MapPart>& parts);

/// Maps the first `bytes` for reading only, page tables filled in.
MappingResult map_read_only(const Fd& file, std::size_t bytes) noexcept;

/// A memory file as of make_memory_file, with the only writable mapping that it will ever have: whoever it
/// is handed to can map it for reading. `error` is 0, or an errno value.
struct LentMemory {
  Fd file;
  Mapping mapping;
  int error = 0;
  explicit operator bool() const noexcept { return error == 0; }
};
LentMemory make_lent_memory(const char* label, std::size_t bytes, Pages pages = Pages::ordinary) noexcept;

std::size_t page_bytes() noexcept;

}  // namespace orbweaver::platform
