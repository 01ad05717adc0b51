#pragma once

#include <orbweaver/poa.h>

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "CFC.h"
#include "platform/fd.h"
#include "sca/files/transfer.h"

namespace orbweaver::sca {

/// Limits of the code that a device keeps.
struct CodeCacheLimits {
  std::uint64_t file_bytes = 1ull << 30;   ///< Of one file.
  std::uint64_t total_bytes = 4ull << 30;  ///< Of all files, those in use and those kept for later.
  std::size_t files = 16384;               ///< Of all files.
  std::size_t loaded = 4096;               ///< Names that are loaded at a time.
  std::size_t depth = 16;                  ///< Directories in each other.
};

/// The code that a loadable device has loaded (SCA 2.2.2 3.1.3.3.2): copies of files of other file systems in
/// a folder of this host, under their names. A file whose name, size and time of modification are those of
/// its copy is not copied again, also after it has been unloaded: copies are kept until space is needed.
///
/// Thread-safe. No lock is held while another file system is called.
class CodeCache {
 public:
  using LoadType = CF::LoadableDevice::LoadType;

  /// Empties the folder, which is created if it does not exist; one beside it (FOLDER.2, FOLDER.3, …) while
  /// another process uses it. `poa` activates its file system. `installed`
  /// are paths of programs of this host, by name: an executable of that name that its file system does not
  /// have stands for the program. Raises CF::FileException, also as make_cache_folder().
  CodeCache(const std::string& folder, const IDL::traits<PortableServer::POA>::ref_type& poa,
            const CodeCacheLimits& limits = {}, std::map<std::string, std::string> installed = {});

  /// Loads a file, or a directory with all that is in it. Each load() takes an unload(). Raises
  /// CF::InvalidFileName, and CF::LoadableDevice::LoadFail for every other failure: then nothing has changed.
  void load(const FileSystemRef& files, const std::string& name, LoadType kind);
  /// Raises CF::InvalidFileName if it is not loaded.
  void unload(const std::string& name);

  /// A loaded file, as it can be executed.
  struct Code {
    std::string path;  ///< On this host.
    LoadType kind = LoadType::EXECUTABLE;
  };
  /// A file that is loaded, or in a directory that is. Raises CF::InvalidFileName if there is none.
  Code find(const std::string& name) const;
  /// What a loaded name stands for.
  struct LoadedFiles {
    std::string path;  ///< On this host.
    bool is_folder = false;
    std::vector<std::string> files;  ///< Paths on this host, all in the folder; or the path itself.
  };
  /// Raises CF::InvalidFileName if it is not loaded.
  LoadedFiles files_of(const std::string& name) const;

  /// How often each name is loaded; 0 while it is being loaded for the first time. Names begin with "/".
  std::map<std::string, std::size_t> loaded_names() const;
  /// Number of load() calls that have not been followed by an unload().
  std::size_t loads() const;
  /// Files that have been copied so far.
  std::size_t copies() const;
  void set_total_bytes(std::uint64_t bytes);
  std::uint64_t total_bytes() const;

 private:
  struct File {
    std::uint64_t size = 0;
    std::uint64_t modified_s = 0;
    bool is_recent = false;  // it may have been changed within the second in which it was copied
    std::size_t uses = 0;    // by names that are loaded
    std::uint64_t last_use = 0;
  };
  struct Loaded {
    LoadType kind = LoadType::EXECUTABLE;
    bool is_folder = false;
    std::size_t count = 0;
    std::vector<std::string> files;
    std::string installed;  // path of the program that it stands for
  };
  struct Found {
    std::string path;
    std::uint64_t size = 0;
    std::uint64_t modified_s = 0;
  };

  /// Waits until no other thread loads or unloads `path`, and keeps them from it.
  class Reservation;

  /// Reads what a name stands for into `now`, and counts uses of its files.
  void take_all(const FileSystemRef& files, const std::string& path, Loaded& now);
  /// The files that a name stands for, as their file system lists them.
  std::vector<Found> list(const FileSystemRef& files, const std::string& path, bool& is_folder) const;
  static Found found(const CF::FileSystem::FileInformationType& information, std::string path);
  /// Makes a current copy of a file, and counts a use of it.
  void take(const FileSystemRef& files, const Found& file);
  void copy(const FileSystemRef& files, const Found& file);
  void release(const std::string& file);
  /// Removes copies that are not used, the oldest first, until there is space for `bytes` more.
  void make_space(std::uint64_t bytes);

  /// A folder that no other cache uses.
  struct OwnFolder {
    std::string path;
    platform::Fd lock;
  };
  static OwnFolder own_folder(const std::string& folder);

  const OwnFolder own_;
  const std::string& folder_ = own_.path;
  const CodeCacheLimits limits_;
  const std::map<std::string, std::string> installed_;
  FileSystemRef copies_;  // of folder_
  mutable std::mutex mutex_;
  std::condition_variable changed_;  // a reservation has ended
  std::set<std::string> reserved_;
  std::map<std::string, File> files_;     // by path
  std::map<std::string, Loaded> loaded_;  // by path
  std::uint64_t total_limit_;
  std::uint64_t bytes_ = 0;  // of files_, and of copies that are being made
  std::uint64_t clock_ = 0;  // counts uses
  std::size_t staged_ = 0, copied_ = 0;
};

}  // namespace orbweaver::sca
