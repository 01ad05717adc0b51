// The contract of a subject: a program that can serve one case, and can measure it as the client.
//
//   bench-NAME can  <case>         exit 0, or exit 3 and one line with the reason if it is unsupported
//   bench-NAME serve <case> --cpu N --scratch DIR        prints "ready ADDRESS", serves until killed
//   bench-NAME call  <case> --cpu N --address ADDRESS --server PID    prints one summary line, exit 0
//   bench-NAME libraries            prints the files of the libraries that it has loaded, one a line
//   bench-NAME count <case> --cpu N --address ADDRESS    makes the two-way calls untimed, for
//   bench/count-instructions
//
// A subject is a program of its own because ORBs define the same names: two of them cannot share a process. A
// new subject is a folder with a `main` that passes three functions to `subject_main`.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "case.h"
#include "summary.h"
#include "timed_loop.h"

namespace orbweaver::bench {

/// The arguments of Subject::serve.
struct ServerSide {
  Case what;
  std::string scratch;  ///< an empty folder of this measurement, removed after it
  /// Call once, when the server is ready, with the value for `ClientSide::address`.
  std::function<void(const std::string& address)> ready;
};

/// The arguments of Subject::call.
struct ClientSide {
  Case what;
  std::string address;  ///< empty if the case has no server
  Loop loop;
};

/// The three functions of a subject.
struct Subject {
  /// Returns nullopt if the subject supports the case, otherwise a short reason.
  std::function<std::optional<std::string>(const Case&)> cannot;
  /// Serves until the process is killed or its only caller has disconnected. Throwing fails the measurement.
  std::function<void(const ServerSide&)> serve;
  /// Measures the case as its client. Throws if a result was wrong, so that a fast wrong answer is not
  /// reported.
  std::function<Summary(const ClientSide&)> call;
};

/// Whether the case has a server process. Collocated calls have both ends in the client's process, and the
/// client forks the receivers of `hops` and `fanout`.
inline bool has_server(const Case& c) { return c.transport != "inproc" && !has_receivers(c.experiment); }

inline constexpr int kExitUnsupported = 3;

/// Implements `main` of a subject. Errors print one line on stderr and return 1.
int subject_main(int argc, char** argv, const Subject& subject);

}  // namespace orbweaver::bench
