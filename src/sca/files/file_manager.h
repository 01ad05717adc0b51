#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "FilesS.h"
#include "sca/files/limits.h"

namespace orbweaver::sca {

/// Limits of a file manager, and which names it has.
struct FileManagerOptions {
  FileNameRules names = FileNameRules::standard;
  std::size_t max_mounts = 256;  ///< Of clients: by mount().
  /// Directory at and below which clients mount nothing, a path without "/" at its ends; empty: none.
  std::string reserved = {};
  /// Calls in progress to one mounted file system, beyond which CF_EAGAIN is raised. It ends a cycle of
  /// mounts, and keeps a file system that does not answer from occupying all threads.
  int max_calls = 32;
  std::int64_t call_timeout_ns = 30'000'000'000;  ///< Of one call to a mounted file system; 0: none.
};

/// Servant of a file manager (SCA 2.2.2, 3.1.3.4.3): file systems, here or in other processes, each mounted
/// at a directory name. An operation goes to the file system with the longest mount point above the name; one
/// mounted at "/" has all other names. No lock is held while a file system is called. docs/files.md describes
/// names and errors. Any thread.
class MountedFileManager final
    : public virtual CORBA::servant_traits<::orbweaver::framework::FileManager>::base_type {
 public:
  using FileRef = IDL::traits<CF::File>::ref_type;
  using FileSystemRef = IDL::traits<CF::FileSystem>::ref_type;

  explicit MountedFileManager(const FileManagerOptions& options = {}) : options_(options) {}

  /// Raises NO_RESOURCES beyond max_mounts, and NO_PERMISSION in the reserved directory. Does not call the
  /// file system.
  void mount(const std::string& mountPoint, FileSystemRef file_System) override;
  /// Raises NO_PERMISSION for what mount_fixed() has mounted.
  void unmount(const std::string& mountPoint) override;
  /// As mount() and unmount(), for the owner of this object: clients cannot unmount it, and it does not count
  /// as one of theirs.
  void mount_fixed(const std::string& mountPoint, FileSystemRef file_System);
  void unmount_fixed(const std::string& mountPoint);
  CF::FileManager::MountSequence getMounts() override;

  void remove(const std::string& fileName) override;
  void copy(const std::string& sourceFileName, const std::string& destinationFileName) override;
  void move(const std::string& sourceFileName, const std::string& destinationFileName) override;
  bool exists(const std::string& fileName) override;
  CF::FileSystem::FileInformationSequence list(const std::string& pattern) override;
  FileRef create(const std::string& fileName) override;
  FileRef open(const std::string& fileName, bool read_Only) override;
  void mkdir(const std::string& directoryName) override;
  void rmdir(const std::string& directoryName) override;
  /// Sums over all mounted file systems that answer, each counted once.
  void query(CF::Properties& fileSystemProperties) override;

 private:
  struct Mount {
    std::string point;  // a path as of FileName: "" for "/"
    FileSystemRef files;
    bool is_fixed = false;
    std::atomic<int> calls{0};
  };
  class CallInProgress;
  /// A mounted file system, and what a path is called there.
  struct Target {
    std::shared_ptr<Mount> mount;
    std::string name;
  };

  /// The mount whose point is the longest above or at `path`; null if there is none.
  Target find(const std::string& path);
  /// As find. Raises FileException (CF_ENOENT) if there is none.
  Target target_of(const std::string& path, const std::string& name);
  void add_mount(const std::string& mountPoint, FileSystemRef file_System, bool is_fixed);
  void remove_mount(const std::string& mountPoint, bool is_owner);
  static bool is_in_one_file_system(const Target& a, const Target& b);
  /// Raises FileException (CF_EBUSY) if a file system is mounted at `path` or below it.
  void check_not_mounted(const std::string& path, const std::string& name);
  bool has_mount_below(const std::string& path);
  /// Calls a mounted file system. Raises FileException if it does not answer, and adds the mount point to the
  /// messages of its exceptions.
  template <class Call>
  auto call(const Target& target, Call operation);

  const FileManagerOptions options_;
  std::mutex mutex_;                                      // for the following
  std::map<std::string, std::shared_ptr<Mount>> mounts_;  // by point
};

}  // namespace orbweaver::sca
