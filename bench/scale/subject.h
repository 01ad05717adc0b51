// The contract of the programs of `orbweaver bench scale`, one for each subject:
//
//   bench-NAME-scale serve <settings> --cpu N
//       prints "ready PORT", serves until killed
//   bench-NAME-scale call  <settings> --cpu N --port PORT --server PID
//       measures clients or objects, prints the lines of sample.h, exit 0
//   bench-NAME-scale start <settings>
//       starts components, prints the lines of sample.h, exit 0
//   bench-NAME-scale component --number N --starter ADDRESS
//       a component of `start`: sends its first packet, and remains until killed
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sample.h"
#include "settings.h"

namespace orbweaver::bench {

/// Key of the server's object in a corbaloc URL.
inline constexpr const char* kScaleKey = "scale";
/// References of objects that a server passes in one reply.
inline constexpr std::uint32_t kItemsOfAReply = 500;
/// Samples of a component's first packet.
inline constexpr std::size_t kFirstPacketSamples = 512;

/// The arguments of ScaleSubject::serve.
struct ScaleServer {
  ScaleSettings settings;
  /// Call once, when the server is ready. It listens on one TCP port: at all addresses of the host for
  /// clients, which reach it by different addresses of the loopback network, otherwise at 127.0.0.1.
  std::function<void()> ready;
};

/// The arguments of ScaleSubject::call.
struct ScaleClient {
  ScaleSettings settings;
  int port = 0;
  pid_t server = 0;
};

/// The arguments of ScaleSubject::component.
struct ScaleComponent {
  std::uint32_t number = 0;
  std::string starter;
};

/// The functions of a program; one without components, clients or objects leaves out those. They throw
/// std::exception, whose text is printed on stderr.
struct ScaleSubject {
  /// Serves until the process is killed.
  std::function<void(const ScaleServer&)> serve;
  std::function<std::vector<ScaleSample>(const ScaleClient&)> call;
  std::function<ScaleSample(const ScaleSettings&)> start;
  std::function<void(const ScaleComponent&)> component;
};

/// Implements `main` of a program. Errors print one line on stderr and return 1.
int scale_subject_main(int argc, char** argv, const ScaleSubject& subject);

/// Address of client `index`, from 0: a different one of the loopback network for each of the first 60,000,
/// so that an ORB, which uses one connection to an address, opens one for each: "127.0.3.17".
std::string address_of_client(std::uint32_t index);
/// URL of the server's object at that address.
std::string url_of_client(std::uint32_t index, int port);

/// The connections that a server must accept beside those of the clients, and descriptors that both ends
/// need.
inline std::uint64_t connections_for(const ScaleSettings& s) { return 2 * std::uint64_t{s.count} + 200; }

}  // namespace orbweaver::bench
