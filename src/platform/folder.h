#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "platform/fd.h"

namespace orbweaver::platform {

/// What a file is. Only regular files are opened.
enum class FileKind { regular, folder, other };

/// Times in seconds since 1970-01-01 00:00:00 UTC.
struct FileStatus {
  FileKind kind = FileKind::other;
  std::uint64_t size = 0;      ///< In bytes.
  std::int64_t created_s = 0;  ///< The oldest known time where the file system does not record it.
  std::int64_t modified_s = 0;
  std::int64_t accessed_s = 0;
};

/// In bytes.
struct FolderSpace {
  std::uint64_t size = 0;
  std::uint64_t available = 0;  ///< To this user.
};

/// The files below a folder. A name is relative to the folder, its parts are separated by "/", and "" is the
/// folder itself; a last part of an operation that changes an entry is the name of that entry. Symbolic links
/// are followed as long as they stay below the folder. No name and no concurrent change by another process
/// leads out of it: neither "..", nor a link, nor a folder that is exchanged for a link meanwhile.
///
/// Functions return an errno value, 0 on success: EXDEV if the name leads out of the folder (except from
/// rename). Nothing blocks on a FIFO or opens a device: ENODEV. Any thread.
class Folder {
 public:
  /// Who resolves names: the kernel (openat2, Linux 5.6 on), or this class, part by part. `best` is the
  /// kernel if it can.
  enum class Resolver { best, own };

  /// `root`: a descriptor of the folder, from open_folder().
  explicit Folder(Fd root, Resolver resolver = Resolver::best)
      : root_(std::move(root)), resolver_(resolver) {}

  /// Opens a regular file: EISDIR or ENODEV for another one.
  FdResult open_file(const std::string& name, bool read_only) const;
  /// Creates a file, which must not exist, and opens it to be read and written.
  FdResult create_file(const std::string& name) const;
  int status(const std::string& name, FileStatus& status) const;
  /// Removes a file that is no folder: EISDIR.
  int remove_file(const std::string& name) const;
  int make_folder(const std::string& name) const;
  /// Removes an empty folder.
  int remove_folder(const std::string& name) const;
  /// Renames a file or folder, replacing a file or an empty folder. EXDEV: `to` is on another device.
  int rename(const std::string& from, const std::string& to) const;
  int space(FolderSpace& space) const;
  /// Calls `found` for the names in a folder, except "." and "..", and for files that are neither regular nor
  /// folders, and links that lead nowhere. `matches` selects the names whose status is wanted. `found`
  /// returns false to stop.
  int list(const std::string& name, const std::function<bool(const std::string&)>& matches,
           const std::function<bool(std::string, const FileStatus&)>& found) const;

 private:
  FdResult open_beneath(const std::string& name, int flags) const;
  FdResult open_parent(const std::string& name, std::string& last) const;

  Fd root_;
  Resolver resolver_;
};

/// Opens the folder at a path of this process.
FdResult open_folder(const std::string& path);
/// The same, and locks the folder among the processes that call this function, as long as the descriptor is
/// open. EWOULDBLOCK if another descriptor has the lock.
FdResult lock_folder(const std::string& path);

}  // namespace orbweaver::platform
