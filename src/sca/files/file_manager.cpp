#include "sca/files/file_manager.h"

#include <algorithm>
#include <cerrno>
#include <limits>

#include <orbweaver/any.h>
#include <orbweaver/messaging.h>
#include <orbweaver/orb.h>
#include "sca/files/file_error.h"
#include "sca/files/file_system.h"
#include "sca/files/transfer.h"

namespace orbweaver::sca {
namespace {

/// File systems that one query() calls.
constexpr std::size_t kMaxQueried = 256;

/// Returns a reference to the same file system with a timeout of its calls.
FileSystemRef with_timeout(const FileSystemRef& files, std::int64_t timeout_ns) {
  const auto orb = timeout_ns > 0 && files->_reference() != nullptr ? files->_get_orb() : nullptr;
  if (!orb) return files;
  CORBA::Any value;
  value <<= TimeBase::TimeT{static_cast<std::uint64_t>(timeout_ns) / 100};
  const auto with =
      files->_set_policy_overrides({orb->create_policy(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, value)},
                                   CORBA::SetOverrideType::ADD_OVERRIDE);
  // Of the same type as before: narrow() could ask the file system, which may not answer.
  return FileSystemRef::adopt(CF::FileSystem::_make(with->_reference()));
}

/// Whether `path` is `folder` or below it.
bool is_within(const std::string& path, const std::string& folder) {
  return folder.empty() || (path.compare(0, folder.size(), folder) == 0 &&
                            (path.size() == folder.size() || path[folder.size()] == '/'));
}

/// Calls `operation`. Adds `what` to the messages of its exceptions, and raises a FileException for system
/// exceptions.
template <class Call>
auto with_file_exceptions(const std::string& what, Call operation) {
  try {
    return operation();
  } catch (const CF::FileException& e) {
    throw CF::FileException(e.errorNumber(), what + ": " + e.msg());
  } catch (const CF::InvalidFileName& e) {
    throw CF::InvalidFileName(e.errorNumber(), what + ": " + e.msg());
  } catch (const CORBA::TIMEOUT& e) {
    throw CF::FileException(CF::ErrorNumberType::CF_ETIMEDOUT, what + ": no answer in time: " + e.what());
  } catch (const CORBA::SystemException& e) {
    throw CF::FileException(CF::ErrorNumberType::CF_EIO, what + ": it cannot be called: " + e.what());
  }
}

}  // namespace

/// One call in progress to a mounted file system. Raises FileException (CF_EAGAIN) beyond the limit.
class MountedFileManager::CallInProgress {
 public:
  CallInProgress(Mount& mount, int limit) : calls_(mount.calls) {
    if (++calls_ <= limit) return;
    --calls_;
    throw CF::FileException(CF::ErrorNumberType::CF_EAGAIN,
                            "file system '/" + mount.point + "': " + std::to_string(limit) +
                                " calls are in progress; do mounts form a cycle?");
  }
  ~CallInProgress() { --calls_; }
  CallInProgress(const CallInProgress&) = delete;
  CallInProgress& operator=(const CallInProgress&) = delete;

 private:
  std::atomic<int>& calls_;
};

void MountedFileManager::mount(const std::string& mountPoint, FileSystemRef file_System) {
  add_mount(mountPoint, std::move(file_System), false);
}
void MountedFileManager::mount_fixed(const std::string& mountPoint, FileSystemRef file_System) {
  add_mount(mountPoint, std::move(file_System), true);
}
void MountedFileManager::unmount(const std::string& mountPoint) { remove_mount(mountPoint, false); }
void MountedFileManager::unmount_fixed(const std::string& mountPoint) { remove_mount(mountPoint, true); }

void MountedFileManager::add_mount(const std::string& mountPoint, FileSystemRef file_System, bool is_fixed) {
  auto mount = std::make_shared<Mount>();
  mount->point = checked_path(mountPoint, options_.names, true);
  if (!file_System) throw CF::FileManager::InvalidFileSystem();
  mount->is_fixed = is_fixed;
  mount->files = with_timeout(file_System, options_.call_timeout_ns);
  if (!is_fixed && !options_.reserved.empty() && is_within(mount->point, options_.reserved)) {
    throw CORBA::NO_PERMISSION(0, CORBA::CompletionStatus::COMPLETED_NO,
                               "clients cannot mount file systems at or below /" + options_.reserved);
  }
  const std::lock_guard lock(mutex_);
  if (mounts_.count(mount->point) != 0) throw CF::FileManager::MountPointAlreadyExists();
  const auto of_clients = static_cast<std::size_t>(
      std::count_if(mounts_.begin(), mounts_.end(), [](const auto& each) { return !each.second->is_fixed; }));
  if (!is_fixed && of_clients >= options_.max_mounts) {
    throw CORBA::NO_RESOURCES(0, CORBA::CompletionStatus::COMPLETED_NO,
                              std::to_string(of_clients) + " file systems are mounted, the limit");
  }
  mounts_.emplace(mount->point, mount);
}

void MountedFileManager::remove_mount(const std::string& mountPoint, bool is_owner) {
  const FileName name = parse_file_name(mountPoint, options_.names);
  std::shared_ptr<Mount> unmounted;  // released without the lock
  const std::lock_guard lock(mutex_);
  const auto found = name.error == 0 ? mounts_.find(name.path) : mounts_.end();
  if (found == mounts_.end()) throw CF::FileManager::NonExistentMount();
  if (found->second->is_fixed && !is_owner) {
    throw CORBA::NO_PERMISSION(0, CORBA::CompletionStatus::COMPLETED_NO,
                               "the file system at " + mountPoint + " is one of the domain, or of a node");
  }
  unmounted = std::move(found->second);
  mounts_.erase(found);
}

CF::FileManager::MountSequence MountedFileManager::getMounts() {
  const std::lock_guard lock(mutex_);
  CF::FileManager::MountSequence mounts;
  for (const auto& [point, mount] : mounts_) mounts.emplace_back("/" + point, mount->files);
  return mounts;
}

MountedFileManager::Target MountedFileManager::find(const std::string& path) {
  const std::lock_guard lock(mutex_);
  for (std::string above = path;; above = folder_of(above)) {
    const auto found = mounts_.find(above);
    if (found != mounts_.end()) {
      std::string rest = path.substr(above.size());
      return {found->second, !rest.empty() && rest[0] == '/' ? rest : "/" + rest};
    }
    if (above.empty()) return {};
  }
}

MountedFileManager::Target MountedFileManager::target_of(const std::string& path, const std::string& name) {
  Target target = find(path);
  if (!target.mount) {
    throw CF::FileException(CF::ErrorNumberType::CF_ENOENT,
                            name + ": no file system is mounted at a directory above it");
  }
  return target;
}

bool MountedFileManager::has_mount_below(const std::string& path) {
  const std::lock_guard lock(mutex_);
  return std::any_of(mounts_.begin(), mounts_.end(),
                     [&](const auto& mount) { return is_within(mount.first, path); });
}

void MountedFileManager::check_not_mounted(const std::string& path, const std::string& name) {
  if (has_mount_below(path)) {
    throw CF::FileException(CF::ErrorNumberType::CF_EBUSY,
                            name + ": a file system is mounted there or below it");
  }
}

template <class Call>
auto MountedFileManager::call(const Target& target, Call operation) {
  const CallInProgress in_progress(*target.mount, options_.max_calls);
  return with_file_exceptions("file system '/" + target.mount->point + "'",
                              [&] { return operation(target.mount->files, target.name); });
}

void MountedFileManager::remove(const std::string& fileName) {
  const std::string path = checked_path(fileName, options_.names);
  check_not_mounted(path, fileName);
  call(target_of(path, fileName),
       [](const FileSystemRef& files, const std::string& name) { files->remove(name); });
}

/// A file system may be mounted more than once.
bool MountedFileManager::is_in_one_file_system(const Target& a, const Target& b) {
  return a.mount == b.mount || a.mount->files->_is_equivalent(b.mount->files);
}

void MountedFileManager::copy(const std::string& sourceFileName, const std::string& destinationFileName) {
  const std::string from = checked_path(sourceFileName, options_.names);
  const std::string to = checked_path(destinationFileName, options_.names);
  if (from == to) throw_invalid_name(EINVAL, "'" + sourceFileName + "': source and destination are the same");
  check_not_mounted(to, destinationFileName);
  const Target source = target_of(from, sourceFileName), destination = target_of(to, destinationFileName);
  if (is_in_one_file_system(source, destination)) {
    if (source.name == destination.name)
      throw_invalid_name(EINVAL, "'" + sourceFileName + "' and '" + destinationFileName + "' are one file");
    call(source,
         [&](const FileSystemRef& files, const std::string& name) { files->copy(name, destination.name); });
    return;
  }
  const CallInProgress reading(*source.mount, options_.max_calls);
  const CallInProgress writing(*destination.mount, options_.max_calls);
  with_file_exceptions("copy of " + sourceFileName + " to " + destinationFileName, [&] {
    copy_file(source.mount->files, source.name, destination.mount->files, destination.name, kMaxFilePosition);
  });
}

void MountedFileManager::move(const std::string& sourceFileName, const std::string& destinationFileName) {
  const std::string from = checked_path(sourceFileName, options_.names, true);
  const std::string to = checked_path(destinationFileName, options_.names, true);
  check_not_mounted(from, sourceFileName);
  check_not_mounted(to, destinationFileName);
  const Target source = target_of(from, sourceFileName), destination = target_of(to, destinationFileName);
  if (is_in_one_file_system(source, destination)) {
    if (source.name == destination.name)
      throw_invalid_name(EINVAL, "'" + sourceFileName + "' and '" + destinationFileName + "' are one file");
    const bool is_moved = call(source, [&](const FileSystemRef& files, const std::string& name) {
      const auto mover = IDL::traits<::orbweaver::framework::FileMover>::narrow(files);
      if (mover) mover->move(name, destination.name);
      return mover != nullptr;
    });
    if (is_moved) return;
  }
  copy(sourceFileName, destinationFileName);
  remove(sourceFileName);
}

bool MountedFileManager::exists(const std::string& fileName) {
  const std::string path = checked_path(fileName, options_.names, true);
  if (path.empty() || has_mount_below(path)) return true;
  const Target target = find(path);
  if (!target.mount) return false;
  try {
    const CallInProgress in_progress(*target.mount, options_.max_calls);
    return target.mount->files->exists(target.name);
  } catch (const CF::FileException& e) {  // which exists() does not declare
    throw CORBA::TRANSIENT(0, CORBA::CompletionStatus::COMPLETED_NO, e.msg());
  }
}

CF::FileSystem::FileInformationSequence MountedFileManager::list(const std::string& pattern) {
  const std::string path = checked_pattern(pattern, options_.names);
  const std::string folder = folder_of(path), last = last_part_of(path);
  // Mount points in the folder, and directories that exist because a mount point is below them.
  std::map<std::string, CF::FileSystem::FileType> mounted;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [point, mount] : mounts_) {
      if (point.size() <= folder.size() || !is_within(point, folder)) continue;
      const std::string below = folder.empty() ? point : point.substr(folder.size() + 1);
      const std::string name = below.substr(0, below.find('/'));
      if (!matches_pattern(last, name)) continue;
      const bool is_mount = name.size() == below.size();
      const auto kind =
          is_mount ? CF::FileSystem::FileType::FILE_SYSTEM : CF::FileSystem::FileType::DIRECTORY;
      if (is_mount || mounted.count(name) == 0) mounted[name] = kind;
    }
  }
  CF::FileSystem::FileInformationSequence listed;
  const Target target = find(folder);
  if (target.mount) {
    listed = call(target, [&](const FileSystemRef& files, const std::string& name) {
      return files->list((name == "/" ? "" : name) + "/" + last);
    });
    std::erase_if(listed, [&](const auto& each) { return mounted.count(each.name()) != 0; });
  }
  for (const auto& [name, kind] : mounted)
    listed.emplace_back(name, kind, std::uint64_t{0}, CF::Properties());
  return listed;
}

MountedFileManager::FileRef MountedFileManager::create(const std::string& fileName) {
  const std::string path = checked_path(fileName, options_.names);
  check_not_mounted(path, fileName);
  return call(target_of(path, fileName),
              [](const FileSystemRef& files, const std::string& name) { return files->create(name); });
}

MountedFileManager::FileRef MountedFileManager::open(const std::string& fileName, bool read_Only) {
  const Target target = target_of(checked_path(fileName, options_.names), fileName);
  return call(target, [&](const FileSystemRef& files, const std::string& name) {
    return files->open(name, read_Only);
  });
}

void MountedFileManager::mkdir(const std::string& directoryName) {
  const std::string path = checked_path(directoryName, options_.names, true);
  if (path.empty() || has_mount_below(path)) throw_file_exception(EEXIST, directoryName);
  call(target_of(path, directoryName),
       [](const FileSystemRef& files, const std::string& name) { files->mkdir(name); });
}

void MountedFileManager::rmdir(const std::string& directoryName) {
  const std::string path = checked_path(directoryName, options_.names, true);
  check_not_mounted(path, directoryName);
  call(target_of(path, directoryName),
       [](const FileSystemRef& files, const std::string& name) { files->rmdir(name); });
}

void MountedFileManager::query(CF::Properties& fileSystemProperties) {
  answer_query(fileSystemProperties, {});  // raises an exception for unknown properties
  // Of a mounted file manager, the file systems are asked that are mounted there: a cycle ends at the first
  // one that has been asked already.
  std::vector<FileSystemRef> found;
  for (const auto& mount : getMounts()) found.push_back(mount.fs());
  platform::FolderSpace sum;
  std::size_t queried = 0;
  for (std::size_t i = 0; i < found.size() && queried < kMaxQueried; ++i) {
    const FileSystemRef files = found[i];
    if (std::any_of(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(i),
                    [&](const FileSystemRef& earlier) { return earlier->_is_equivalent(files); }))
      continue;
    ++queried;
    try {
      if (const auto manager = IDL::traits<CF::FileManager>::narrow(files)) {
        for (const auto& mount : manager->getMounts())
          if (mount.fs() && found.size() < kMaxQueried)
            found.push_back(with_timeout(mount.fs(), options_.call_timeout_ns));
        continue;
      }
      CF::Properties both{{CF::FileSystem::SIZE, {}}, {CF::FileSystem::AVAILABLE_SPACE, {}}};
      files->query(both);
      std::uint64_t size = 0, available = 0;
      if (both.size() == 2 && (both[0].value() >>= size) && (both[1].value() >>= available)) {
        sum.size += size;
        sum.available += available;
      }
    } catch (const CORBA::Exception&) {  // it does not answer, or not these properties
    }
  }
  answer_query(fileSystemProperties, sum);
}

}  // namespace orbweaver::sca
