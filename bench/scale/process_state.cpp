#include "process_state.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>

namespace orbweaver::bench {
namespace {

namespace fs = std::filesystem;

std::string folder_of(pid_t process) { return "/proc/" + std::to_string(process) + "/"; }

/// The port on which a socket listens for TCP; 0 if the descriptor is none.
int port_listened_on(int fd) {
  int listens = 0;
  socklen_t length = sizeof listens;
  if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) != 0 || listens == 0) return 0;
  sockaddr_storage address{};
  length = sizeof address;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return 0;
  if (address.ss_family == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
  if (address.ss_family == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6&>(address).sin6_port);
  return 0;
}

/// Adds the ends of the established connections in /proc/net/tcp or tcp6 whose local port is `port`. Lines:
/// "0: 0100007F:1F90 0100007F:C350 01 …", numbers in hexadecimal.
void add_established(const char* file, int port, std::set<std::string>& ends) {
  constexpr const char* kEstablished = "01";
  std::ifstream table(file);
  for (std::string line; std::getline(table, line);) {
    std::istringstream words(line);
    std::string number, local, remote, state;
    if (!(words >> number >> local >> remote >> state) || state != kEstablished) continue;
    const auto colon = local.rfind(':');
    if (colon != std::string::npos && std::strtol(local.c_str() + colon + 1, nullptr, 16) == port)
      ends.insert(local + ' ' + remote);
  }
}

}  // namespace

std::uint64_t threads_of(pid_t process) {
  std::ifstream status(folder_of(process) + "status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("Threads:")) return std::stoull(line.substr(8));
  return 0;
}

std::uint64_t descriptors_of(pid_t process) {
  std::error_code ignored;
  return static_cast<std::uint64_t>(
      std::distance(fs::directory_iterator(folder_of(process) + "fd", ignored), fs::directory_iterator()));
}

std::uint64_t connections_at(int port) {
  // While connections of other programs come and go, a line may be read twice or not at all.
  std::set<std::string> ends;
  for (int reading = 0; reading < 3; ++reading) {
    add_established("/proc/net/tcp", port, ends);
    add_established("/proc/net/tcp6", port, ends);
  }
  return ends.size();
}

int listening_port() {
  std::set<int> ports;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd"))
    if (const int port = port_listened_on(std::stoi(entry.path().filename()))) ports.insert(port);
  if (ports.size() != 1)
    throw std::runtime_error("the server listens on " + std::to_string(ports.size()) +
                             " TCP ports instead of one");
  return *ports.begin();
}

void allow_descriptors(std::uint64_t needed) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
    throw std::system_error(errno, std::generic_category(), "getrlimit");
  if (limit.rlim_max < needed)
    throw std::runtime_error("this number of clients needs " + std::to_string(needed) +
                             " file descriptors in a process, of which the limit is " +
                             std::to_string(limit.rlim_max) + ": raise the hard limit (ulimit -Hn)");
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
    throw std::system_error(errno, std::generic_category(), "setrlimit");
}

}  // namespace orbweaver::bench
