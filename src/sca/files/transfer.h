#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <orbweaver/policy.h>

#include "CFC.h"

/// Transfers of whole files between file systems, by the operations of SCA 2.2.2 and in blocks of 256 KiB.
/// The calls have the policies of the FileSystem reference, such as a timeout, those to its files too.
///
/// A file system is not trusted: its sizes are checked against the limits before anything is read, and
/// against what it returns then. All functions raise CF::InvalidFileName, CF::FileException (also for the
/// IOException of a file), and the system exceptions of the calls. Any thread.
namespace orbweaver::sca {

using FileSystemRef = IDL::traits<CF::FileSystem>::ref_type;

/// Reads a file of at most `limit` octets; CF_EFBIG for a larger one, CF_EIO if it ends before the size that
/// its file system reports.
CF::OctetSequence read_file(const FileSystemRef& files, const std::string& name, std::uint64_t limit);

/// Writes a file, replacing one of that name. After an exception there is none.
void write_file(const FileSystemRef& files, const std::string& name, std::span<const std::uint8_t> bytes);

/// Copies a file of at most `limit` octets as read_file and write_file do, and returns its size. Uses memory
/// for one block.
std::uint64_t copy_file(const FileSystemRef& from, const std::string& source, const FileSystemRef& to,
                        const std::string& destination, std::uint64_t limit);

/// Limits of one copy_folder.
struct FolderLimits {
  std::size_t files = 4096;          ///< Files and directories.
  std::uint64_t bytes = 4ull << 30;  ///< Of all files together.
  std::size_t depth = 16;            ///< Directories in each other.
};

/// What copy_folder has copied.
struct CopiedFolder {
  std::size_t files = 0;  ///< Files and directories.
  std::uint64_t bytes = 0;
};

/// Copies a directory with all that is in it. Makes `destination` with the directories above it, and replaces
/// the files that it has already. CF_E2BIG beyond a limit; what has been copied remains.
CopiedFolder copy_folder(const FileSystemRef& from, const std::string& source, const FileSystemRef& to,
                         const std::string& destination, const FolderLimits& limits = {});

/// Returns a reference of the same type to the same object with the policies of `from`. For calls between
/// file systems; nil remains nil.
template <class Interface>
CORBA::object_reference<Interface> with_policies_of(CORBA::Object& from,
                                                    const CORBA::object_reference<Interface>& object) {
  if (!object || object->_reference() == nullptr) return object;
  const CORBA::PolicyList policies = from._get_policy_overrides({});
  if (policies.empty()) return object;
  const auto with = object->_set_policy_overrides(policies, CORBA::SetOverrideType::ADD_OVERRIDE);
  // Of the same type as before: narrow() could ask the object, which may not answer.
  return CORBA::object_reference<Interface>::adopt(Interface::_make(with->_reference()));
}

}  // namespace orbweaver::sca
