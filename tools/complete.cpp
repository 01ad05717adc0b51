#include "complete.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <optional>
#include <thread>

#include "call/signatures.h"
#include "command_words.h"
#include "sca/control/domain_words.h"
#include "subcommand.h"

namespace orbweaver::tools {
namespace {

using sca::DomainWord;

/// A domain is asked for at most this time: somebody waits for the completion.
constexpr int kCallLimitMs = 500;
constexpr std::chrono::milliseconds kLimit{1'000};

/// What an operand or the value of an option is.
struct Value {
  enum class Kind { other, file, folder, in_domain, operation } kind = Kind::other;
  DomainWord word = DomainWord::application;  // if it is in a domain
};

Value in_domain(DomainWord word) { return {Value::Kind::in_domain, word}; }

/// An operand of a command below "app", "domain", "event" or "log", which call a domain.
std::optional<Value> value_in_domain(const std::string& command, const std::string& operand) {
  if (operand == "APPLICATION") return in_domain(DomainWord::application);
  if (command == "app install") return in_domain(DomainWord::file);
  if ((command == "app create" || command == "app uninstall") && operand == "NAME")
    return in_domain(DomainWord::installed_application);
  if (command == "domain show") return in_domain(DomainWord::object);
  if (operand == "CHANNEL") return in_domain(DomainWord::channel);
  if (operand == "LOG") return in_domain(DomainWord::log);
  return std::nullopt;
}

/// The names in the help tell what is expected.
Value value_of(const CLI::Option& option, const std::string& command) {
  if (option.get_positional()) {
    const std::string name = option.get_name(true, false);
    if (const auto value = value_in_domain(command, name)) return *value;
    if (command == "call" && name == "OPERATION") return {Value::Kind::operation};
    return {name == "FILE" || name == "REFERENCE" ? Value::Kind::file : Value::Kind::other};
  }
  const auto& names = option.get_lnames();
  if (std::find(names.begin(), names.end(), "domain") != names.end()) return in_domain(DomainWord::domain);
  if (option.get_type_name() == "FILE" || option.get_type_name() == "LIBRARY") return {Value::Kind::file};
  if (option.get_type_name() == "FOLDER") return {Value::Kind::folder};
  return {};
}

/// A command line up to the word that is completed.
class CommandLine {
 public:
  CommandLine(const CLI::App& app, const std::vector<std::string>& words) : app_(&app) {
    for (std::size_t i = 0; i + 1 < words.size(); ++i) read(words[i]);
  }

  const CLI::App& app() const { return *app_; }
  /// "app create"
  const std::string& command() const { return command_; }
  /// The option whose value the next word is; null if it is none.
  const CLI::Option* awaits_value() const { return awaits_value_; }
  bool may_be_command() const { return operands_ == 0; }
  bool may_be_option() const { return !only_operands_; }
  /// The naming service and the domain that were named.
  const sca::ControlOptions& domain() const { return domain_; }
  /// The IDL that was named.
  const call::IdlOptions& idl() const { return idl_; }

  /// The operand that the next word is; null if there is none.
  const CLI::Option* operand() const {
    const auto all = app_->get_options([](const CLI::Option* option) { return option->get_positional(); });
    std::size_t first = 0;  // number of words that the operands before this one take
    for (const CLI::Option* const option : all) {
      const auto most = static_cast<std::size_t>(std::max(option->get_items_expected_max(), 1));
      if (operands_ < first + most) return option;
      first += most;
    }
    return nullptr;
  }

  /// The option of that name: "--json", "-r". Null: there is none.
  const CLI::Option* find_option(const std::string& word) const {
    const bool is_long = word.starts_with("--");
    for (const CLI::Option* const option : app_->get_options([](const CLI::Option*) { return true; })) {
      const auto& names = is_long ? option->get_lnames() : option->get_snames();
      if (std::find(names.begin(), names.end(), word.substr(is_long ? 2 : 1)) != names.end()) return option;
    }
    return nullptr;
  }

 private:
  void read(const std::string& word) {
    if (awaits_value_ != nullptr) {
      set(*awaits_value_, word);
      awaits_value_ = nullptr;
    } else if (word == "--" && !only_operands_) {
      only_operands_ = true;
    } else if (word.size() > 1 && word[0] == '-' && !only_operands_) {
      read_option(word);
    } else if (const CLI::App* const sub = subcommand(word)) {
      app_ = sub;
      command_ += (command_.empty() ? "" : " ") + word;
    } else {
      ++operands_;
    }
  }

  void read_option(const std::string& word) {
    const std::size_t equals = word.find('=');
    const CLI::Option* const found = find_option(word.substr(0, equals));
    if (found == nullptr) return;
    if (equals != std::string::npos) {
      set(*found, word.substr(equals + 1));
    } else if (found->get_items_expected_max() > 0) {
      awaits_value_ = found;
    }
  }

  void set(const CLI::Option& option, const std::string& value) {
    const auto& names = option.get_lnames();
    const auto is = [&](const char* name) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (is("naming")) domain_.naming = value;
    if (is("domain")) domain_.domain = value;
    if (is("idl")) idl_.files.push_back(value);
    if (option.check_name("-I")) idl_.include_folders.push_back(value);
    if (option.check_name("-D")) idl_.defines.push_back(value);
  }

  const CLI::App* subcommand(const std::string& word) const {
    if (operands_ != 0) return nullptr;
    for (const CLI::App* const sub : app_->get_subcommands([](const CLI::App*) { return true; }))
      if (sub->get_name() == word) return sub;
    return nullptr;
  }

  const CLI::App* app_;
  std::string command_;
  const CLI::Option* awaits_value_ = nullptr;
  std::size_t operands_ = 0;
  bool only_operands_ = false;  // after "--"
  sca::ControlOptions domain_;
  call::IdlOptions idl_;
};

/// What is printed.
struct Completions {
  const char* local_names = "words";
  std::vector<std::string> words;
  bool domain_is_silent = false;  // a thread still waits for it
};

/// Adds words of a domain within the time limit.
void add_words_of_domain(sca::ControlOptions options, DomainWord kind, const std::string& prefix,
                         const std::string& before, Completions& result) {
  options.query_timeout_ms = kCallLimitMs;
  std::packaged_task<std::vector<std::string>()> task(
      [options, kind, prefix] { return sca::domain_words(options, kind, prefix); });
  std::future<std::vector<std::string>> found = task.get_future();
  std::thread(std::move(task)).detach();
  if (found.wait_for(kLimit) != std::future_status::ready) {
    result.domain_is_silent = true;
    return;
  }
  for (const std::string& word : found.get()) result.words.push_back(before + word);
}

/// Adds the names of operations and attributes.
void add_operations(const call::IdlOptions& options, const std::string& prefix, Completions& result) {
  const auto idl = call::Idl::compile(options);
  if (!idl) return;
  for (const std::string& name : call::callable_names(**idl))
    if (name.starts_with(prefix)) result.words.push_back(name);
}

/// `prefix`: the begin of the value. `before`: what is in front of it in the word, "--naming=".
void add_values(const CommandLine& line, const CLI::Option& option, const std::string& prefix,
                const std::string& before, Completions& result) {
  const Value value = value_of(option, line.command());
  switch (value.kind) {
    case Value::Kind::file: result.local_names = "files"; break;
    case Value::Kind::folder: result.local_names = "folders"; break;
    case Value::Kind::in_domain:
      add_words_of_domain(line.domain(), value.word, prefix, before, result);
      break;
    case Value::Kind::operation: add_operations(line.idl(), prefix, result); break;
    case Value::Kind::other: break;
  }
}

void add_options(const CLI::App& app, const std::string& prefix, Completions& result) {
  for (const CLI::Option* const option : app.get_options([](const CLI::Option*) { return true; })) {
    if (option->get_group().empty()) continue;  // not in the help
    for (const std::string& name : option->get_lnames())
      if (("--" + name).starts_with(prefix)) result.words.push_back("--" + name);
    if (!option->get_lnames().empty()) continue;
    for (const std::string& name : option->get_snames())
      if (("-" + name).starts_with(prefix)) result.words.push_back("-" + name);
  }
}

Completions completions(const CLI::App& app, const std::vector<std::string>& words) {
  const CommandLine line(app, words);
  const std::string word = words.empty() ? "" : words.back();
  Completions result;
  if (line.awaits_value() != nullptr) {
    add_values(line, *line.awaits_value(), word, "", result);
    return result;
  }
  if (line.may_be_option() && word.starts_with('-')) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) {
      add_options(line.app(), word, result);
    } else if (const CLI::Option* const option = line.find_option(word.substr(0, equals))) {
      add_values(line, *option, word.substr(equals + 1), word.substr(0, equals + 1), result);
    }
    return result;
  }
  if (line.may_be_command()) {
    for (const CLI::App* const sub : listed_commands(line.app()))
      if (sub->get_name().starts_with(word)) result.words.push_back(sub->get_name());
  }
  if (const CLI::Option* const operand = line.operand()) add_values(line, *operand, word, "", result);
  return result;
}

}  // namespace

int complete(const CLI::App& app, const std::vector<std::string>& words) {
  const Completions found = completions(app, words);
  std::string text = std::string(found.local_names) + "\n";
  for (const std::string& word : found.words) text += word + "\n";
  const int status = print(text).empty() ? 0 : kExitNotWritten;
  // The thread that waits for the domain is not waited for.
  if (found.domain_is_silent) std::_Exit(status);
  return status;
}

}  // namespace orbweaver::tools
