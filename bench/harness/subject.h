// The contract of a subject: a program that can serve one case and can measure it from the other side.
//
//   bench-NAME can  <case>                 exit 0, or exit 3 and one line that says why not
//   bench-NAME serve <case> --cpu N --scratch DIR        prints "ready ADDRESS", serves until killed
//   bench-NAME call  <case> --cpu N --address ADDRESS --server PID    prints one summary line, exit 0
//
// A subject is a program of its own because ORBs share names: two of them cannot live in one process.
// A new peer is a folder with one `main` that hands three functions to `subject_main`.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "case.h"
#include "measure.h"
#include "summary.h"

namespace orbweaver::bench {

struct ServerSide {
  Case what;
  std::string scratch;  ///< an empty folder of this measurement, removed after it
  /// To be called once, when callers may come, with whatever `ClientSide::address` is to be.
  std::function<void(const std::string& address)> ready;
};

struct ClientSide {
  Case what;
  std::string address;  ///< empty where the case has no server
  Loop loop;
};

struct Subject {
  /// Nothing if the subject can run the case, else the reason, in a few words.
  std::function<std::optional<std::string>(const Case&)> cannot;
  /// Serves until it is killed, or its one caller is gone. Throwing fails the measurement.
  std::function<void(const ServerSide&)> serve;
  /// Measures. Throws if anything that came back was wrong: a fast wrong answer is no figure.
  std::function<Summary(const ClientSide&)> call;
};

/// Collocated calls have both ends in the client's process.
inline bool has_server(const Case& c) { return c.transport != "inproc"; }

inline constexpr int kExitCannot = 3;

/// The whole of a subject's `main`. Errors are one line on stderr and exit 1.
int subject_main(int argc, char** argv, const Subject& subject);

}  // namespace orbweaver::bench
