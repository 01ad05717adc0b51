#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "CFC.h"
#include "platform/process.h"
#include "sca/device/machine.h"

namespace orbweaver::sca {

/// Options of CF::ExecutableDevice::execute (SCA 2.2.2 3.1.3.3.3.5.2): STACK_SIZE and PRIORITY, of SCA 4.1
/// (3.1.3.4) CORE_AFFINITY, ENTRY_POINT and PROCESS_COLLOCATION, and of Orbweaver SCHEDULING, APPLICATION and
/// DEPENDENCIES.
struct ExecuteOptions {
  platform::ProcessLimits limits;
  std::string entry_point;  ///< Function of a shared library; empty: the default one.
  std::string collocation;  ///< Components with the same value share a process; empty: none.
  std::string application;  ///< Id of the application, with which its allocation_ids begin; empty: unknown.
  /// Names of loaded files and folders, whose libraries and Python modules the process finds (code_paths.h).
  std::vector<std::string> dependencies;
};

/// Whether this is PROCESS_COLLOCATION, or PROCESS_COLLOCATION_ID, the name of the option in domain managers
/// of Orbweaver.
bool is_collocation_option(const std::string& id);

/// Option: the scheduling policy of PRIORITY, "fifo" (SCHED_FIFO) or "rr" (SCHED_RR).
inline constexpr const char* kSchedulingId = "SCHEDULING";
/// Option: the id of the application. A device that takes it has the allocation property
/// `application_groups`.
inline constexpr const char* kApplicationId = "APPLICATION";

/// Option: the names of loaded files and folders that the program depends on, a CF::StringSequence. A device
/// that takes it has the allocation property `dependency_paths`.
inline constexpr const char* kDependenciesId = "DEPENDENCIES";
/// Limit of the names of DEPENDENCIES.
inline constexpr std::size_t kMaxExecuteDependencies = 1024;

/// Reads options; `round_robin` is the scheduling policy without SCHEDULING. Raises
/// CF::ExecutableDevice::InvalidOptions with those that are unknown, given twice, of a wrong type, or not
/// possible on this machine: an affinity to processors that this process may not use, a priority that it may
/// not set.
ExecuteOptions read_execute_options(const CF::Properties& options, const Machine& machine,
                                    bool round_robin = false);

/// The arguments of a process: id, value, id, value, … (SCA 2.2.2 3.1.3.3.3.5.2.3). Raises
/// CF::ExecutableDevice::InvalidParameters with those whose values are no strings, or contain a null
/// character, and with all of them beyond the limit of their size.
std::vector<std::string> arguments_of(const CF::Properties& parameters);

/// Limits of STACK_SIZE.
inline constexpr std::uint64_t kMinStackBytes = 64u << 10, kMaxStackBytes = 1ull << 30;

/// Limit of the characters of all arguments together.
inline constexpr std::size_t kMaxArgumentBytes = 1u << 20;

}  // namespace orbweaver::sca
