#include "command_words.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/printable.h"
#include "sca/profile/similar_name.h"

namespace orbweaver::tools {
namespace {

std::string listed_names(const CLI::App& app) {
  std::string all;
  for (const CLI::App* sub : listed_commands(app)) all += (all.empty() ? "" : ", ") + sub->get_name();
  return all;
}

bool has_operand(const CLI::App& app) {
  return !app.get_options([](const CLI::Option* option) { return option->get_positional(); }).empty();
}

/// Returns the message if `word` is not a subcommand of `app`, or an empty string. Where it may also be an
/// operand, a file for instance, it is a mistake only if it is similar to a subcommand.
std::string mistake_in_word(const CLI::App& app, const std::string& command, const std::string& word,
                            const std::string& kind) {
  std::vector<std::string_view> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (sub->get_name() == word) return {};
    if (!sub->get_group().empty()) names.push_back(sub->get_name());
  }
  const std::string_view similar = sca::similar_name(word, names);
  std::error_code ignored;
  if (has_operand(app) && (similar.empty() || std::filesystem::exists(word, ignored))) return {};
  return command + ": there is no " + kind + " '" + printable(word, 80) + "'; " +
         (similar.empty() ? "there are " + listed_names(app)
                          : "did you mean '" + std::string(similar) + "'?");
}

}  // namespace

std::vector<const CLI::App*> listed_commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* sub) { return !sub->get_group().empty(); });
}

std::string mistake_in_command(const CLI::App& app, const std::vector<std::string>& words,
                               const std::string& (*kind_of)(const std::string& subcommand)) {
  if (words.empty() || words[0].starts_with('-')) return {};
  if (std::string text = mistake_in_word(app, "orbweaver", words[0], "subcommand"); !text.empty())
    return text;
  const CLI::App* const group = app.get_subcommand(words[0]);
  if (listed_commands(*group).empty()) return {};
  const std::string command = "orbweaver " + words[0];
  const bool required = group->get_require_subcommand_min() != 0;
  if (words.size() > 1 && !words[1].starts_with('-'))
    return mistake_in_word(*group, command, words[1], kind_of(words[0]));
  if (words.size() > 1 || !required) return {};
  return command + ": name " + (kind_of(words[0]) == "experiment" ? "an " : "a ") + kind_of(words[0]) + ": " +
         listed_names(*group);
}

}  // namespace orbweaver::tools
