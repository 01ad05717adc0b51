// A small file system in memory, for tests of full disks.
#pragma once

#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace orbweaver::state::testing {

/// Fills the file system of `folder` by a file in it.
inline void fill_disk(const std::filesystem::path& folder) {
  std::FILE* const file = std::fopen((folder / "filler").c_str(), "a");
  if (file == nullptr) return;
  std::setvbuf(file, nullptr, _IONBF, 0);
  const std::vector<char> block(4096, 'x');
  while (std::fwrite(block.data(), 1, block.size(), file) == block.size()) {
  }
  std::fclose(file);
}

/// The outcome of on_small_disk().
struct SmallDiskResult {
  bool is_supported = true;  ///< False: file systems cannot be mounted here.
  std::string problem;       ///< What `body` has returned; empty: nothing is wrong.
};

/// Executes `body` in a child process, in whose folder a file system of that many MiB is mounted. Its result
/// is what is wrong.
inline SmallDiskResult on_small_disk(int mib,
                                     const std::function<std::string(const std::filesystem::path&)>& body) {
  constexpr int kUnsupported = 77;
  namespace fs = std::filesystem;
  std::string folder = fs::temp_directory_path() / "orbweaver-small-disk-XXXXXX";
  int output[2];
  if (mkdtemp(folder.data()) == nullptr || pipe(output) != 0) return {false, {}};
  const pid_t child = fork();
  if (child == 0) {
    close(output[0]);
    const int spaces = CLONE_NEWNS | (geteuid() == 0 ? 0 : CLONE_NEWUSER);
    const std::string size = "size=" + std::to_string(mib) + "m";
    if (unshare(spaces) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("tmpfs", folder.c_str(), "tmpfs", 0, size.c_str()) != 0)
      _exit(kUnsupported);
    const std::string problem = body(folder);
    _exit(write(output[1], problem.data(), problem.size()) < 0);
  }
  close(output[1]);
  SmallDiskResult result;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(output[0], buffer, sizeof buffer)) > 0;)
    result.problem.append(buffer, static_cast<std::size_t>(got));
  close(output[0]);
  int status = 0;
  waitpid(child, &status, 0);
  result.is_supported = !WIFEXITED(status) || WEXITSTATUS(status) != kUnsupported;
  if (WIFSIGNALED(status)) result.problem += "signal " + std::to_string(WTERMSIG(status));
  fs::remove_all(folder);
  return result;
}

}  // namespace orbweaver::state::testing
