// The measurements of the calling process, the same for all subjects.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sample.h"
#include "subject.h"

namespace orbweaver::bench {

/// What a subject does as the clients of a server. Different clients may be used by different threads.
struct ClientCalls {
  /// Opens the connection of a client and makes a first call.
  std::function<void(std::uint32_t client)> open;
  /// Makes a two-way call without arguments.
  std::function<void(std::uint32_t client)> call;
};

/// Opens the connections one after another, and measures calls by each number of callers, round-robin: caller
/// K of N uses the clients K, K + N, K + 2 N, … in turn. Throws std::runtime_error if the server does not
/// have a connection for each client.
std::vector<ScaleSample> measure_clients(const ScaleClient&, const ClientCalls&);

/// What a subject does with the objects of a server.
struct ObjectCalls {
  /// Lets the server activate its objects; returns the time in microseconds.
  std::function<double()> activate;
  /// Fetches their references.
  std::function<void()> fetch;
  /// Calls an object, which returns its number.
  std::function<std::uint32_t(std::uint32_t object)> call;
};

/// Measures calls to objects in a pseudo-random order, the same in each process. Throws std::runtime_error if
/// another object than the called one replies.
std::vector<ScaleSample> measure_objects(const ScaleClient&, const ObjectCalls&);

}  // namespace orbweaver::bench
