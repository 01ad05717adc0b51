#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orb/options.h"
#include "transport/blocks/pool.h"
#include "transport/plugins.h"

/// Checks and conversions of option values, shared by the tables of options and of tuning keys.
namespace orbweaver::orb {

/// Why a value is rejected: the end of a sentence that begins with the option's name. Empty if the value was
/// accepted.
using Problem = std::string;

/// Options that apply to the whole process. Not set: unchanged.
struct ProcessSettings {
  std::optional<std::size_t> pool_bytes;
  std::optional<transport::blocks::PoolFullPolicy> pool_full;
  std::optional<bool> huge_pages;
  std::optional<std::size_t> reserved_descriptors;
  std::optional<std::string> log_level;

  /// Makes the settings effective.
  void apply() const;
};

/// Values of the options that have been parsed. Nothing takes effect before all of them are valid.
struct ParsedOptions {
  Options options;
  ProcessSettings process;
  transport::StagedPlugins plugins;
};

/// Splits `text` at each `at`; empty parts are omitted.
std::vector<std::string> split(const std::string& text, char at);
/// Whether `value` is a comma-separated list without empty elements.
bool is_list(const std::string& value);

/// Parses a whole number from `min` to `max`.
Problem parse_number(const std::string& text, std::int64_t min, std::int64_t max, std::int64_t& value);
Problem parse_on_off(const std::string& text, bool& value);

/// Setter of a number: parses it and stores it in `Member` of the options or of the process settings.
template <auto Member, std::int64_t min, std::int64_t max>
Problem set_number(ParsedOptions& parsed, const std::string& text) {
  std::int64_t number = 0;
  Problem problem = parse_number(text, min, max, number);
  if (!problem.empty()) return problem;
  const auto store = [number](auto& part) {
    auto& member = part.*Member;
    using Value = std::remove_cvref_t<decltype(member)>;
    if constexpr (std::is_integral_v<Value>)
      member = static_cast<Value>(number);
    else
      member = static_cast<typename Value::value_type>(number);
  };
  if constexpr (std::is_member_object_pointer_v<decltype(Member)> && requires { parsed.options.*Member; })
    store(parsed.options);
  else
    store(parsed.process);
  return problem;
}

inline constexpr std::int64_t kDay_ms = 86'400'000;

}  // namespace orbweaver::orb
