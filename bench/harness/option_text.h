// Options as text: of the command lines of the experiments' programs, and checks of those that a user gives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orbweaver::bench {

/// Sets `field` to the whole text; false if it is not such a value. Lists have commas.
bool store(std::uint32_t& field, std::string_view text);
bool store(std::string& field, std::string_view text);
bool store(std::vector<std::uint32_t>& field, std::string_view text);
/// The text of a list, for store().
std::string joined(const std::vector<std::uint32_t>& numbers);

/// Settings from arguments "--key value …"; nullopt if `store_option(settings, key, value)` rejects one.
template <class Settings, class StoreOption>
std::optional<Settings> settings_from_args(const std::vector<std::string>& args, StoreOption store_option) {
  Settings settings;
  if (args.size() % 2 != 0) return std::nullopt;
  for (std::size_t i = 0; i < args.size(); i += 2)
    if (!store_option(settings, args[i], args[i + 1])) return std::nullopt;
  return settings;
}

/// The words with commas and spaces between them, for messages.
std::string listed(const std::vector<std::string>& words);
/// Throws InvalidPlan with that text unless `valid`.
void check_option(bool valid, const std::string& what);
/// Throws InvalidPlan, which names the first value that is none of `known`.
void check_words(const std::string& option, const std::vector<std::string>& values,
                 const std::vector<std::string>& known);

}  // namespace orbweaver::bench
