#include "sca/device/code_cache.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <utility>

#include "platform/folder.h"
#include "sca/device/cache_folder.h"
#include "sca/files/file_error.h"
#include "sca/files/file_name.h"
#include "sca/files/file_system.h"

namespace orbweaver::sca {
namespace {

namespace fs = std::filesystem;
using LoadFail = CF::LoadableDevice::LoadFail;

constexpr const char* kStaging = "/staging";
/// Limit of devices that use the same folder, and those beside it.
constexpr int kMaxDevices = 99;

[[noreturn]] void fail(CF::ErrorNumberType number, const std::string& message) {
  throw LoadFail(number, message);
}

FileSystemRef make_folder(const std::string& folder, const IDL::traits<PortableServer::POA>::ref_type& poa) {
  std::error_code error;
  for (const char* const name : {"files", "staging"}) {
    if (!error) fs::remove_all(fs::path(folder) / name, error);
    if (!error) fs::create_directory(fs::path(folder) / name, error);
  }
  if (error) throw_file_exception(error.value(), folder);
  FileSystemOptions options;
  options.names = FileNameRules::ascii;
  return make_file_system(folder, poa, options);
}

std::uint64_t seconds_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(now).count());
}

/// Calls the file system of another process, and raises LoadFail for its exceptions but InvalidFileName.
template <class Call>
auto with_load_failures(const std::string& name, Call call) {
  try {
    return call();
  } catch (const CF::FileException& e) {
    fail(e.errorNumber(), e.msg());
  } catch (const CORBA::TIMEOUT&) {
    fail(CF::ErrorNumberType::CF_ETIMEDOUT, "/" + name + ": the file system does not respond");
  } catch (const CORBA::SystemException& e) {
    fail(CF::ErrorNumberType::CF_EIO, "/" + name + ": the file system cannot be called: " + e.what());
  }
}

}  // namespace

class CodeCache::Reservation {
 public:
  Reservation(CodeCache& cache, std::string path) : cache_(cache), path_(std::move(path)) {
    std::unique_lock lock(cache_.mutex_);
    cache_.changed_.wait(lock, [&] { return cache_.reserved_.insert(path_).second; });
  }
  ~Reservation() {
    const std::lock_guard lock(cache_.mutex_);
    cache_.reserved_.erase(path_);
    cache_.changed_.notify_all();
  }
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;

 private:
  CodeCache& cache_;
  const std::string path_;
};

CodeCache::CodeCache(const std::string& folder, const IDL::traits<PortableServer::POA>::ref_type& poa,
                     const CodeCacheLimits& limits, std::map<std::string, std::string> installed)
    : own_(own_folder(folder)), limits_(limits), installed_(std::move(installed)),
      copies_(make_folder(folder_, poa)), total_limit_(limits.total_bytes) {}

CodeCache::OwnFolder CodeCache::own_folder(const std::string& folder) {
  const std::string first = fs::absolute(folder).string();
  for (int number = 1;; ++number) {
    std::string path = number == 1 ? first : first + "." + std::to_string(number);
    make_cache_folder(path);
    auto locked = platform::lock_folder(path);
    if (locked.error == 0) return {std::move(path), std::move(locked.fd)};
    if (locked.error != EWOULDBLOCK || number == kMaxDevices) throw_file_exception(locked.error, path);
  }
}

void CodeCache::load(const FileSystemRef& files, const std::string& name, LoadType kind) {
  const std::string path = checked_path(name, FileNameRules::ascii, true);
  if (path.empty())
    throw CF::InvalidFileName(CF::ErrorNumberType::CF_EINVAL, "'" + name + "': name a file or directory");
  if (!files) fail(CF::ErrorNumberType::CF_EINVAL, "the file system is nil");
  const Reservation reservation(*this, path);
  {
    const std::lock_guard lock(mutex_);
    if (!loaded_.contains(path) && loaded_.size() >= limits_.loaded)
      fail(CF::ErrorNumberType::CF_ENFILE, std::to_string(limits_.loaded) + " files are loaded");
  }
  with_load_failures(path, [&] {
    Loaded now;
    now.kind = kind;
    take_all(files, path, now);
    std::vector<std::string> before;
    {
      const std::lock_guard lock(mutex_);
      Loaded& loaded = loaded_[path];
      now.count = loaded.count + 1;
      before = std::move(loaded.files);
      loaded = std::move(now);
    }
    for (const std::string& file : before) release(file);
  });
}

void CodeCache::take_all(const FileSystemRef& files, const std::string& path, Loaded& now) {
  const auto installed = installed_.find(last_part_of(path));
  if (installed != installed_.end() && now.kind == LoadType::EXECUTABLE && !files->exists("/" + path)) {
    now.installed = installed->second;
    return;
  }
  try {
    for (const Found& file : list(files, path, now.is_folder)) {
      take(files, file);
      now.files.push_back(file.path);
    }
  } catch (...) {
    for (const std::string& file : now.files) release(file);
    throw;
  }
}

void CodeCache::unload(const std::string& name) {
  const std::string path = checked_path(name, FileNameRules::ascii, true);
  const Reservation reservation(*this, path);
  std::vector<std::string> unused;
  {
    const std::lock_guard lock(mutex_);
    const auto found = loaded_.find(path);
    if (found == loaded_.end())
      throw CF::InvalidFileName(CF::ErrorNumberType::CF_ENOENT, "'" + name + "' is not loaded");
    if (--found->second.count > 0) return;
    unused = std::move(found->second.files);
    loaded_.erase(found);
  }
  for (const std::string& file : unused) release(file);
}

CodeCache::Code CodeCache::find(const std::string& name) const {
  const std::string path = checked_path(name, FileNameRules::ascii);
  const std::lock_guard lock(mutex_);
  for (std::string loaded = path; !loaded.empty(); loaded = folder_of(loaded)) {
    const auto found = loaded_.find(loaded);
    if (found == loaded_.end()) continue;
    if (found->second.is_folder && loaded == path)
      throw CF::InvalidFileName(CF::ErrorNumberType::CF_EISDIR,
                                "'" + name + "' is a directory; name a program or library in it");
    if (!found->second.installed.empty() && loaded == path)
      return {found->second.installed, found->second.kind};
    const auto& files = found->second.files;
    if (std::find(files.begin(), files.end(), path) == files.end()) continue;
    return {folder_ + "/files/" + path, found->second.kind};
  }
  throw CF::InvalidFileName(CF::ErrorNumberType::CF_ENOENT, "'" + name + "' is not loaded");
}

CodeCache::LoadedFiles CodeCache::files_of(const std::string& name) const {
  const std::string path = checked_path(name, FileNameRules::ascii, true);
  const std::string folder = folder_ + "/files/";
  const std::lock_guard lock(mutex_);
  const auto found = loaded_.find(path);
  if (found == loaded_.end())
    throw CF::InvalidFileName(CF::ErrorNumberType::CF_ENOENT, "'" + name + "' is not loaded");
  LoadedFiles loaded{folder + path, found->second.is_folder, {}};
  for (const std::string& file : found->second.files) loaded.files.push_back(folder + file);
  return loaded;
}

std::map<std::string, std::size_t> CodeCache::loaded_names() const {
  const std::lock_guard lock(mutex_);
  std::map<std::string, std::size_t> names;
  for (const std::string& path : reserved_) names["/" + path] = 0;
  for (const auto& [path, loaded] : loaded_) names["/" + path] = loaded.count;
  return names;
}

std::size_t CodeCache::loads() const {
  const std::lock_guard lock(mutex_);
  std::size_t all = 0;
  for (const auto& [path, loaded] : loaded_) all += loaded.count;
  return all;
}

std::size_t CodeCache::copies() const {
  const std::lock_guard lock(mutex_);
  return copied_;
}

void CodeCache::set_total_bytes(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  total_limit_ = bytes;
}

std::uint64_t CodeCache::total_bytes() const {
  const std::lock_guard lock(mutex_);
  return total_limit_;
}

CodeCache::Found CodeCache::found(const CF::FileSystem::FileInformationType& information, std::string path) {
  Found file{std::move(path), information.size(), 0};
  for (const CF::DataType& property : information.fileProperties()) {
    if (property.id() == CF::FileSystem::MODIFIED_TIME_ID) property.value() >>= file.modified_s;
  }
  return file;
}

std::vector<CodeCache::Found> CodeCache::list(const FileSystemRef& files, const std::string& path,
                                              bool& is_folder) const {
  std::vector<Found> all;
  const auto self = files->list("/" + path);
  if (self.empty())
    throw CF::InvalidFileName(CF::ErrorNumberType::CF_ENOENT, "'/" + path + "' does not exist");
  is_folder = self.front().kind() != CF::FileSystem::FileType::PLAIN;
  if (!is_folder) return {found(self.front(), path)};
  struct Pending {
    std::string path;
    std::size_t depth;
  };
  std::vector<Pending> pending{{path, 1}};
  std::size_t seen = 0;
  while (!pending.empty()) {
    const Pending folder = std::move(pending.back());
    pending.pop_back();
    if (folder.depth > limits_.depth)
      fail(CF::ErrorNumberType::CF_E2BIG,
           "/" + folder.path + ": more than " + std::to_string(limits_.depth) + " directories in each other");
    for (const auto& each : files->list("/" + folder.path + "/*")) {
      // The name becomes one of this host.
      if (!is_valid_part(each.name(), FileNameRules::ascii))
        fail(CF::ErrorNumberType::CF_EINVAL,
             "/" + folder.path + ": the file system lists an invalid file name");
      if (++seen > limits_.files)
        fail(CF::ErrorNumberType::CF_E2BIG,
             "/" + path + ": more than " + std::to_string(limits_.files) + " files");
      const std::string name = folder.path + "/" + each.name();
      if (each.kind() == CF::FileSystem::FileType::PLAIN) {
        all.push_back(found(each, name));
      } else {
        pending.push_back({name, folder.depth + 1});
      }
    }
  }
  return all;
}

void CodeCache::take(const FileSystemRef& files, const Found& file) {
  {
    const std::lock_guard lock(mutex_);
    const auto known = files_.find(file.path);
    if (known != files_.end() && file.modified_s != 0 && known->second.modified_s == file.modified_s &&
        known->second.size == file.size && !known->second.is_recent) {
      ++known->second.uses;
      known->second.last_use = ++clock_;
      return;
    }
  }
  if (file.size > limits_.file_bytes)
    fail(CF::ErrorNumberType::CF_EFBIG, "/" + file.path + ": it has " + std::to_string(file.size) +
                                            " octets, more than " + std::to_string(limits_.file_bytes));
  make_space(file.size);
  try {
    copy(files, file);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    bytes_ -= file.size;
    throw;
  }
  const std::lock_guard lock(mutex_);
  File& now = files_[file.path];
  bytes_ -= now.size;  // of the copy that has been replaced
  now.size = file.size;
  now.modified_s = file.modified_s;
  now.is_recent = file.modified_s + 2 >= seconds_now();
  ++now.uses;
  now.last_use = ++clock_;
  ++copied_;
}

void CodeCache::copy(const FileSystemRef& files, const Found& file) {
  std::string staged;
  {
    const std::lock_guard lock(mutex_);
    staged = kStaging + ("/" + std::to_string(++staged_));
  }
  std::uint64_t size = 0;
  try {
    size = copy_file(files, "/" + file.path, copies_, staged, file.size);
  } catch (const CF::FileException& e) {
    if (!e.msg().starts_with(staged + ": ")) throw;
    throw CF::FileException(e.errorNumber(),
                            folder_ + e.msg());  // where its disk is, not a name in the cache
  }
  // A complete file replaces the one of that name: processes that execute that one keep it.
  if (size != file.size) {
    copies_->remove(staged);
    fail(CF::ErrorNumberType::CF_EIO,
         "/" + file.path + ": it has another size than its file system lists for it");
  }
  std::error_code error;
  fs::permissions(folder_ + staged, fs::perms::owner_all, error);
  const std::string parent = folder_of("files/" + file.path);
  if (!error) fs::create_directories(fs::path(folder_) / parent, error);
  if (!error) fs::rename(folder_ + staged, fs::path(folder_) / "files" / file.path, error);
  if (!error) return;
  copies_->remove(staged);
  fail(error_number(error.value()), "/" + file.path + ": " + error.message());
}

void CodeCache::release(const std::string& file) {
  const std::lock_guard lock(mutex_);
  const auto found = files_.find(file);
  if (found != files_.end() && found->second.uses > 0) --found->second.uses;
}

void CodeCache::make_space(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  while (bytes_ + bytes > total_limit_ || files_.size() >= limits_.files) {
    auto oldest = files_.end();
    for (auto each = files_.begin(); each != files_.end(); ++each) {
      if (each->second.uses > 0 || reserved_.contains(each->first)) continue;
      if (oldest == files_.end() || each->second.last_use < oldest->second.last_use) oldest = each;
    }
    if (oldest == files_.end())
      fail(CF::ErrorNumberType::CF_ENOSPC, "the device keeps at most " + std::to_string(total_limit_) +
                                               " octets of code in " + std::to_string(limits_.files) +
                                               " files");
    std::error_code ignored;
    fs::remove(fs::path(folder_) / "files" / oldest->first, ignored);
    bytes_ -= oldest->second.size;
    files_.erase(oldest);
  }
  bytes_ += bytes;
}

}  // namespace orbweaver::sca
