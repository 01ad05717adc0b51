#pragma once

#include <memory>
#include <string>

#include "FilesS.h"
#include "platform/folder.h"
#include "sca/files/limits.h"
#include "sca/files/open_files.h"

namespace orbweaver::sca {

/// Servant of a file system (SCA 2.2.2, 3.1.3.4.2) over a folder of this host. Nothing outside the folder can
/// be named (platform/folder.h). docs/files.md describes names, limits and errors. Any thread.
class FolderFileSystem final
    : public virtual CORBA::servant_traits<::orbweaver::framework::FileSystem>::base_type {
 public:
  using FileRef = IDL::traits<CF::File>::ref_type;

  /// `poa` activates open files; it assigns object ids (SYSTEM_ID).
  FolderFileSystem(platform::Folder folder, OpenFiles::PoaRef poa, const FileSystemOptions& options = {});
  /// Closes all open files.
  ~FolderFileSystem() override;

  void remove(const std::string& fileName) override;
  void copy(const std::string& sourceFileName, const std::string& destinationFileName) override;
  void move(const std::string& sourceFileName, const std::string& destinationFileName) override;
  bool exists(const std::string& fileName) override;
  CF::FileSystem::FileInformationSequence list(const std::string& pattern) override;
  FileRef create(const std::string& fileName) override;
  FileRef open(const std::string& fileName, bool read_Only) override;
  /// Creates the missing directories above it, too.
  void mkdir(const std::string& directoryName) override;
  void rmdir(const std::string& directoryName) override;
  void query(CF::Properties& fileSystemProperties) override;

  /// Number of open files.
  std::size_t open_files() const { return files_->size(); }

 private:
  void check_writable(const std::string& name) const;
  /// Copies to a new file and renames that, so that the destination is never a part of the source.
  void replace_by_copy(const std::string& source, const std::string& from, const std::string& to,
                       const std::string& destination);

  const platform::Folder folder_;
  const FileSystemOptions options_;
  const std::shared_ptr<OpenFiles> files_;
};

/// Creates a file system over the folder `path` of this host and activates it in `poa`. Raises
/// CF::FileException if the folder cannot be opened.
IDL::traits<CF::FileSystem>::ref_type make_file_system(const std::string& path, const OpenFiles::PoaRef& poa,
                                                       const FileSystemOptions& options = {});

/// Fills in the properties that CF::FileSystem::query returns; all of them if there are none. Raises
/// UnknownFileSystemProperties.
void answer_query(CF::Properties& properties, const platform::FolderSpace& space);

}  // namespace orbweaver::sca
