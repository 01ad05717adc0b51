#include "sca/device/execute_options.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>

#include "CF41C.h"
#include "sca/profile/property.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

using CF::ExecutableDevice;

constexpr std::size_t kMaxName = 256;

std::optional<std::uint64_t> whole_number(const CORBA::Any& value) {
  const auto text = text_of(value);
  const auto number = text ? number_of(*text) : std::nullopt;
  if (!number || *number < 0 || *number > 9e15 || *number != std::floor(*number)) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

/// A list as text, or as a sequence of numbers (SCA 4.1).
std::vector<int> cores_of(const CORBA::Any& value) {
  std::vector<std::uint16_t> small;
  std::vector<std::uint32_t> large;
  if (value >>= small) return {small.begin(), small.end()};
  if (value >>= large) return {large.begin(), large.end()};
  const auto text = text_of(value);
  // parse_cpu_list ignores everything from the first mistake on.
  if (!text || text->empty() || text->find_first_not_of("0123456789-,") != std::string::npos) return {};
  return parse_cpu_list(*text);
}

bool read_name(const CORBA::Any& value, std::string& name) {
  return (value >>= name) && !name.empty() && name.size() <= kMaxName && name.find('\0') == std::string::npos;
}

bool read_option(const CF::DataType& option, const Machine& machine, ExecuteOptions& options) {
  if (option.id() == ExecutableDevice::STACK_SIZE_ID) {
    const auto bytes = whole_number(option.value());
    options.limits.stack_bytes = bytes.value_or(0);
    return bytes && *bytes >= kMinStackBytes && *bytes <= kMaxStackBytes;
  }
  if (option.id() == ExecutableDevice::PRIORITY_ID) {
    const auto priority = whole_number(option.value());
    options.limits.real_time_priority = static_cast<int>(std::min<std::uint64_t>(priority.value_or(0), 100));
    return priority && options.limits.real_time_priority <= machine.real_time_priority;
  }
  if (option.id() == CF::ExecutableInterface::CORE_AFFINITY_ID) {
    options.limits.cores = cores_of(option.value());
    const auto is_here = [&](int core) {
      return std::find(machine.cpus.begin(), machine.cpus.end(), core) != machine.cpus.end();
    };
    return !options.limits.cores.empty() &&
           std::all_of(options.limits.cores.begin(), options.limits.cores.end(), is_here);
  }
  if (option.id() == kSchedulingId) {
    std::string policy;
    if (!read_name(option.value(), policy) || (policy != "fifo" && policy != "rr")) return false;
    options.limits.round_robin = policy == "rr";
    return true;
  }
  if (option.id() == kDependenciesId)
    return (option.value() >>= options.dependencies) &&
           options.dependencies.size() <= kMaxExecuteDependencies;
  if (option.id() == kApplicationId) return read_name(option.value(), options.application);
  if (option.id() == CF::ExecutableInterface::ENTRY_POINT_ID)
    return read_name(option.value(), options.entry_point);
  return is_collocation_option(option.id()) && options.collocation.empty() &&
         read_name(option.value(), options.collocation);
}

}  // namespace

bool is_collocation_option(const std::string& id) {
  return id == CF::ExecutableInterface::PROCESS_COLLOCATION_ID || id == "PROCESS_COLLOCATION_ID";
}

ExecuteOptions read_execute_options(const CF::Properties& list, const Machine& machine, bool round_robin) {
  ExecuteOptions options;
  options.limits.round_robin = round_robin;
  CF::Properties invalid;
  std::set<std::string> given;
  for (const CF::DataType& option : list) {
    if (!given.insert(option.id()).second || !read_option(option, machine, options))
      invalid.push_back(option);
  }
  if (!invalid.empty()) throw ExecutableDevice::InvalidOptions(invalid);
  return options;
}

std::vector<std::string> arguments_of(const CF::Properties& parameters) {
  std::vector<std::string> arguments;
  CF::Properties invalid;
  std::size_t bytes = 0;
  for (const CF::DataType& parameter : parameters) {
    std::string text;
    const std::optional<std::string> value =
        (parameter.value() >>= text) ? std::optional<std::string>(std::move(text)) : std::nullopt;
    const auto has_null = [](const std::string& word) { return word.find('\0') != std::string::npos; };
    if (!value || parameter.id().empty() || has_null(parameter.id()) || has_null(*value)) {
      invalid.push_back(parameter);
      continue;
    }
    bytes += parameter.id().size() + value->size();
    arguments.push_back(parameter.id());
    arguments.push_back(*value);
  }
  if (bytes > kMaxArgumentBytes) throw ExecutableDevice::InvalidParameters(parameters);
  if (!invalid.empty()) throw ExecutableDevice::InvalidParameters(invalid);
  return arguments;
}

}  // namespace orbweaver::sca
