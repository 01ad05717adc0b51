#include "platform/file_permissions.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

namespace orbweaver::platform {

std::string insecure_permissions_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || status.st_uid != geteuid() || (status.st_mode & 077) == 0)
    return {};
  char mode[8];
  std::snprintf(mode, sizeof mode, "%04o", static_cast<unsigned>(status.st_mode & 07777));
  return std::string("its mode is ") + mode;
}

}  // namespace orbweaver::platform
