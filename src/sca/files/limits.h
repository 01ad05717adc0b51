#pragma once

#include <cstddef>
#include <cstdint>

#include "sca/files/file_name.h"

namespace orbweaver::sca {

/// Limits of one file system, and which names it has.
struct FileSystemOptions {
  FileNameRules names = FileNameRules::standard;
  bool read_only = false;  ///< Whatever changes a file raises CF_EROFS.
  /// Files that may be open at a time, of which the files of one peer (a process of this host, or another
  /// host) may be half. To open a further one closes the file that has not been used for the longest time, if
  /// that is at least `idle_ns`.
  std::size_t max_open_files = 256;
  std::int64_t idle_ns = 60'000'000'000;
  std::uint32_t max_read_bytes = 8u << 20;  ///< Of one read.
  std::size_t max_listed = 16384;           ///< Entries that one list() returns.
};

/// The last position that the operations of CF::File can express.
inline constexpr std::uint64_t kMaxFilePosition = 0xffffffff;

}  // namespace orbweaver::sca
