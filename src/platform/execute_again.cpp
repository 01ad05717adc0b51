#include "platform/execute_again.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include "platform/process.h"

extern char** environ;

namespace orbweaver::platform {

int execute_again(const std::string& variable) {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string words((std::istreambuf_iterator<char>(file)), {});
  std::string program = executable_path();
  if (words.empty() || program.empty()) return ENOENT;
  std::vector<char*> arguments;
  for (std::size_t at = 0; at < words.size(); at = words.find('\0', at) + 1) {
    arguments.push_back(&words[at]);
    if (words.find('\0', at) == std::string::npos) break;
  }
  arguments.push_back(nullptr);
  std::string added = variable;
  const std::string_view name(variable.data(), variable.find('=') + 1);
  std::vector<char*> environment{added.data()};
  for (char** each = environ; *each != nullptr; ++each)
    if (!std::string_view(*each).starts_with(name)) environment.push_back(*each);
  environment.push_back(nullptr);
  // A library may have opened descriptors without O_CLOEXEC.
  ::syscall(SYS_close_range, 3u, ~0u, 1u << 2 /* CLOSE_RANGE_CLOEXEC */);
  ::execve(program.c_str(), arguments.data(), environment.data());
  return errno;
}

}  // namespace orbweaver::platform
