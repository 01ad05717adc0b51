#pragma once

#include <string>

namespace orbweaver::platform {

/// Describes the permissions of a file of secrets if they are insecure: the file belongs to this user, and
/// its mode gives the group or others access ("its mode is 0644"). Empty if the mode is secure, if the file
/// belongs to another user, or if it cannot be examined. The rule is that of ssh for private keys.
std::string insecure_permissions_of(const std::string& path);

/// Tells how a user other than this one and root could exchange the contents of a folder ("/tmp/x belongs to
/// user 1001", "/srv/x can be written by others (mode 0777)"): by the folder, by one of those above it, or by
/// a symbolic link in the path. Empty if there is no such user. A folder above others that is sticky, as /tmp
/// is, may be written by others; and each folder by the group that has the number of its owner, the private
/// group of that user. The path is examined up to the first part that does not exist: a folder is to be
/// examined before it is created, so that no link is followed, and again afterwards.
std::string insecure_path_of(const std::string& folder);

/// Creates a folder, and those above it that do not exist, each without access of others from its creation
/// on, whatever the umask is; one that exists is not changed. Returns 0 or an errno value: ENOTDIR if a file
/// is in its place.
int make_private_folders(const std::string& folder);

/// Creates an empty file that only this user may read and write from its creation on, whatever the umask is,
/// unless there is something of that name. An error is left to the later use of the file.
void make_private_file(const std::string& path) noexcept;

}  // namespace orbweaver::platform
