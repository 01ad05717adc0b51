#include "reference_argument.h"

#include <orbweaver/limits.h>

#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <utility>

#include "giop/object_url.h"
#include "naming/naming_commands.h"

namespace orbweaver::tools {
namespace {

/// Whether the argument is a reference itself.
bool is_reference(const std::string& argument) {
  return giop::is_object_url(argument) || argument.starts_with("IOR:") || argument.starts_with("ior:");
}

/// The path of the file that the argument names.
std::string path_of(const std::string& argument) {
  return argument.starts_with("file://") ? argument.substr(7) : argument;
}

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

/// The first word; longer ones than a reference are cut off.
std::istream& read_word(std::istream& in, std::string& text) {
  return in >> std::setw(static_cast<int>(2 * limits::kMaxIorBytes + 64)) >> text;
}

}  // namespace

Result<std::string> reference_text(const std::string& argument) {
  if (is_reference(argument)) return argument;
  std::string text;
  if (argument == "-") {
    read_word(std::cin, text);
    return text;
  }
  const std::string path = path_of(argument);
  if (!exists(path)) {
    return Error{ErrorKind::invalid, "there is no file '" + path +
                                         "', and it is not a reference: those begin with IOR: or corbaloc:"};
  }
  std::ifstream file(path);
  if (read_word(file, text)) return text;
  return Error{ErrorKind::invalid, "the file '" + path + "' cannot be read, or is empty"};
}

Result<std::string> find_reference(const std::string& argument, const std::string& naming,
                                   const call::TargetOptions& target) {
  if (is_reference(argument) || argument == "-" || argument.starts_with("file://") || exists(argument))
    return reference_text(argument);
  naming::CommandOptions options;
  options.service = naming;
  options.service_option = "--naming";
  options.name = argument;
  options.timeout_ms = target.timeout_ms;
  auto words = call::orb_words(target);
  if (!words) return words.take_error();
  options.orb = std::move(*words);
  auto found = naming::resolve_name(options);
  if (found) return found->substr(0, found->find('\n'));
  Error error = found.take_error();
  error.message = "'" + argument + "' is no reference and no file, and as a name: " + error.message;
  return error;
}

}  // namespace orbweaver::tools
