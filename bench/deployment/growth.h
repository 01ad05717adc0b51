// What the processes of a domain hold after each of many applications.
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "measured_domain.h"

namespace orbweaver::bench {

/// Readings after applications of one kind.
struct Growth {
  Assembly assembly;
  std::vector<Held> readings;  ///< after each application

  /// Growth of a process's private memory for each application, in KiB: the slope of the line that fits the
  /// second half of the readings best. `process`: its index in Held::processes.
  double private_kib_each(std::size_t process) const;
};

/// Creates, starts, stops and releases applications, and reads after each what is held when it is at rest.
Growth measure_growth(const Assembly& assembly, unsigned applications, MeasuredDomain& domain);
/// Prints a table with some of the readings, and the slopes.
void print(std::ostream& out, const Growth& growth);
/// All readings.
nlohmann::json to_json(const Growth& growth);

}  // namespace orbweaver::bench
