#include "sca/files/file_system.h"

#include <atomic>
#include <cerrno>
#include <utility>

#include <orbweaver/any.h>
#include "platform/clock.h"
#include "platform/process_identity.h"
#include "platform/regular_file.h"
#include "sca/files/file_error.h"

namespace orbweaver::sca {
namespace {

using platform::FileKind;
using platform::FileStatus;

CF::DataType property(const char* id, std::uint64_t value) {
  CORBA::Any any;
  any <<= value;
  return {id, std::move(any)};
}

CF::FileSystem::FileInformationType information(std::string name, const FileStatus& status) {
  const bool folder = status.kind == FileKind::folder;
  const auto seconds = [](std::int64_t s) { return s > 0 ? static_cast<std::uint64_t>(s) : 0; };
  return {std::move(name),
          folder ? CF::FileSystem::FileType::DIRECTORY : CF::FileSystem::FileType::PLAIN,
          folder ? 0 : status.size,
          {property(CF::FileSystem::CREATED_TIME_ID.c_str(), seconds(status.created_s)),
           property(CF::FileSystem::MODIFIED_TIME_ID.c_str(), seconds(status.modified_s)),
           property(CF::FileSystem::LAST_ACCESS_TIME_ID.c_str(), seconds(status.accessed_s))}};
}

void check(int error, const std::string& name) {
  if (error != 0) throw_file_exception(error, name);
}

/// A name that no client can use and no other copy uses.
std::string temporary_name() {
  static std::atomic<std::uint64_t> count{0};
  return "~orbweaver-" + std::to_string(platform::process_id()) + "-" + std::to_string(platform::now_ns()) +
         "-" + std::to_string(++count);
}

}  // namespace

FolderFileSystem::FolderFileSystem(platform::Folder folder, OpenFiles::PoaRef poa,
                                   const FileSystemOptions& options)
    : folder_(std::move(folder)), options_(options),
      files_(std::make_shared<OpenFiles>(std::move(poa), options)) {}

FolderFileSystem::~FolderFileSystem() { files_->close_all(); }

void FolderFileSystem::check_writable(const std::string& name) const {
  if (options_.read_only) throw_file_exception(EROFS, name);
}

void FolderFileSystem::remove(const std::string& fileName) {
  const std::string path = checked_path(fileName, options_.names);
  check_writable(fileName);
  check(folder_.remove_file(path), fileName);
}

void FolderFileSystem::copy(const std::string& sourceFileName, const std::string& destinationFileName) {
  const std::string from = checked_path(sourceFileName, options_.names);
  const std::string to = checked_path(destinationFileName, options_.names);
  if (from == to) throw_invalid_name(EINVAL, "'" + sourceFileName + "': source and destination are the same");
  check_writable(destinationFileName);
  replace_by_copy(sourceFileName, from, to, destinationFileName);
}

void FolderFileSystem::replace_by_copy(const std::string& source, const std::string& from,
                                       const std::string& to, const std::string& destination) {
  const platform::FdResult in = folder_.open_file(from, true);
  check(in.error, source);
  FileStatus status;
  if (folder_.status(to, status) == 0 && status.kind == FileKind::folder)
    throw_file_exception(EISDIR, destination);
  const std::string temporary = joined(folder_of(to), temporary_name());
  const platform::FdResult out = folder_.create_file(temporary);
  check(out.error, destination);
  int error = platform::copy_contents(in.fd, out.fd);
  if (error == 0) error = folder_.rename(temporary, to);
  if (error != 0) folder_.remove_file(temporary);
  check(error, destination);
}

void FolderFileSystem::move(const std::string& sourceFileName, const std::string& destinationFileName) {
  const std::string from = checked_path(sourceFileName, options_.names, true);
  const std::string to = checked_path(destinationFileName, options_.names, true);
  if (from == to) throw_invalid_name(EINVAL, "'" + sourceFileName + "': source and destination are the same");
  check_writable(sourceFileName);
  int error = folder_.rename(from, to);
  if (error ==
      EXDEV) {  // another device is mounted below the folder, or a link leads out: that is raised here
    replace_by_copy(sourceFileName, from, to, destinationFileName);
    error = folder_.remove_file(from);
  }
  check(error, sourceFileName + " to " + destinationFileName);
}

bool FolderFileSystem::exists(const std::string& fileName) {
  FileStatus status;
  return folder_.status(checked_path(fileName, options_.names, true), status) == 0 &&
         status.kind != FileKind::other;
}

CF::FileSystem::FileInformationSequence FolderFileSystem::list(const std::string& pattern) {
  const std::string path = checked_pattern(pattern, options_.names);
  const std::string last = last_part_of(path);
  CF::FileSystem::FileInformationSequence listed;
  bool too_many = false;
  const int error = folder_.list(
      folder_of(path),
      [&](const std::string& name) {
        return is_valid_part(name, options_.names) && matches_pattern(last, name);
      },
      [&](std::string name, const FileStatus& status) {
        too_many = listed.size() == options_.max_listed;
        if (!too_many) listed.push_back(information(std::move(name), status));
        return !too_many;
      });
  if (error == ENOENT || error == ENOTDIR) return {};
  check(error, pattern);
  if (too_many) {
    throw CF::FileException(CF::ErrorNumberType::CF_EMSGSIZE,
                            pattern + ": more than " + std::to_string(options_.max_listed) +
                                " files match; list them by narrower patterns");
  }
  return listed;
}

FolderFileSystem::FileRef FolderFileSystem::create(const std::string& fileName) {
  const std::string path = checked_path(fileName, options_.names);
  check_writable(fileName);
  platform::FdResult file = folder_.create_file(path);
  check(file.error, fileName);
  try {
    return files_->add(std::move(file.fd), fileName, false);
  } catch (...) {
    folder_.remove_file(path);
    throw;
  }
}

FolderFileSystem::FileRef FolderFileSystem::open(const std::string& fileName, bool read_Only) {
  const std::string path = checked_path(fileName, options_.names);
  if (!read_Only) check_writable(fileName);
  platform::FdResult file = folder_.open_file(path, read_Only);
  check(file.error, fileName);
  return files_->add(std::move(file.fd), fileName, read_Only);
}

void FolderFileSystem::mkdir(const std::string& directoryName) {
  const std::string path = checked_path(directoryName, options_.names, true);
  check_writable(directoryName);
  for (std::size_t end = path.find('/'); end != std::string::npos; end = path.find('/', end + 1)) {
    const int error = folder_.make_folder(path.substr(0, end));
    if (error != EEXIST) check(error, directoryName);
  }
  check(path.empty() ? EEXIST : folder_.make_folder(path), directoryName);
}

void FolderFileSystem::rmdir(const std::string& directoryName) {
  const std::string path = checked_path(directoryName, options_.names, true);
  check_writable(directoryName);
  check(folder_.remove_folder(path), directoryName);
}

void FolderFileSystem::query(CF::Properties& fileSystemProperties) {
  platform::FolderSpace space;
  folder_.space(space);  // an error leaves both at 0
  answer_query(fileSystemProperties, space);
}

void answer_query(CF::Properties& properties, const platform::FolderSpace& space) {
  if (properties.empty()) {
    properties.emplace_back(CF::FileSystem::SIZE, CORBA::Any());
    properties.emplace_back(CF::FileSystem::AVAILABLE_SPACE, CORBA::Any());
  }
  CF::Properties unknown;
  for (CF::DataType& each : properties) {
    if (each.id() == CF::FileSystem::SIZE) {
      each.value() <<= space.size;
    } else if (each.id() == CF::FileSystem::AVAILABLE_SPACE) {
      each.value() <<= space.available;
    } else {
      unknown.push_back(each);
    }
  }
  if (!unknown.empty()) throw CF::FileSystem::UnknownFileSystemProperties(unknown);
}

IDL::traits<CF::FileSystem>::ref_type make_file_system(const std::string& path, const OpenFiles::PoaRef& poa,
                                                       const FileSystemOptions& options) {
  platform::FdResult folder = platform::open_folder(path);
  if (!folder) throw_file_exception(folder.error, path);
  const auto servant =
      CORBA::make_reference<FolderFileSystem>(platform::Folder(std::move(folder.fd)), poa, options);
  return IDL::traits<CF::FileSystem>::narrow(poa->id_to_reference(poa->activate_object(servant)));
}

}  // namespace orbweaver::sca
