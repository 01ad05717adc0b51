// The floor of `orbweaver bench deployment`: starts processes that do nothing, or loads shared libraries into
// one, and prints the time in microseconds.
//
//   bench-start processes N          until each of N processes has begun main()
//   bench-start libraries FILE…      until one process has loaded the libraries
#include <dlfcn.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

double now_us() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) / 1e3;
}

int fail(const char* what) {
  std::fprintf(stderr, "bench-start: %s\n", what);
  return 1;
}

/// Reports over standard output, and remains until standard input ends, as a component does.
int child(char** files) {
  for (; *files != nullptr; ++files) {
    if (dlopen(*files, RTLD_NOW | RTLD_LOCAL) == nullptr) return fail(dlerror());
  }
  char byte = 'r';
  if (write(STDOUT_FILENO, &byte, 1) != 1) return 1;
  while (read(STDIN_FILENO, &byte, 1) > 0) {
  }
  return 0;
}

/// Starts `count` children with `arguments`, and prints the time until each has reported.
int start(std::size_t count, std::vector<char*> arguments) {
  int input[2], output[2];
  if (pipe(input) != 0 || pipe(output) != 0) return fail("pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
  for (const int end : {input[0], input[1], output[0], output[1]})
    posix_spawn_file_actions_addclose(&actions, end);
  arguments.push_back(nullptr);
  const double begin = now_us();
  std::vector<pid_t> children(count);
  for (pid_t& pid : children) {
    if (posix_spawn(&pid, "/proc/self/exe", &actions, nullptr, arguments.data(), environ) != 0)
      return fail("posix_spawn");
  }
  posix_spawn_file_actions_destroy(&actions);
  close(output[1]);
  close(input[0]);
  std::size_t ready = 0;
  for (char bytes[64]; ready < count;) {
    const ssize_t got = read(output[0], bytes, sizeof bytes);
    if (got <= 0) return fail("a process has ended");
    ready += static_cast<std::size_t>(got);
  }
  std::printf("%.1f\n", now_us() - begin);
  close(input[1]);
  for (const pid_t pid : children) waitpid(pid, nullptr, 0);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  char child_role[] = "child";
  if (argc >= 2 && std::strcmp(argv[1], "child") == 0) return child(argv + 2);
  std::vector<char*> arguments{argv[0], child_role};
  if (argc == 3 && std::strcmp(argv[1], "processes") == 0)
    return start(std::strtoul(argv[2], nullptr, 10), arguments);
  if (argc >= 3 && std::strcmp(argv[1], "libraries") == 0) {
    arguments.insert(arguments.end(), argv + 2, argv + argc);
    return start(1, arguments);
  }
  return fail("a part of `orbweaver bench deployment`, which starts it");
}
