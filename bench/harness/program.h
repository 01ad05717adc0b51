// Common parts of the programs that `orbweaver bench` starts: arguments of the form
// ROLE --key value …, lines on standard output, and errors.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace orbweaver::bench {

/// The command line of such a program.
struct ProgramArguments {
  std::string role;                        ///< the first argument
  std::map<std::string, std::string> own;  ///< options of the program's contract
  std::vector<std::string> rest;           ///< all others: key, value, key, value, …

  /// The value of an option of the contract; empty if it is not given.
  std::string value(const std::string& key) const;
};

/// Splits the command line into role, the options `own_keys`, and the rest. Throws std::runtime_error, which
/// tells the user what to run instead, if the role is not one of `roles` or an option has no value.
ProgramArguments program_arguments(int argc, char** argv, const std::set<std::string>& roles,
                                   const std::set<std::string>& own_keys);

/// Thrown for arguments that `orbweaver bench` does not pass.
[[noreturn]] void throw_not_for_users();

/// Prints the line for which the starter of a server waits: "ready ADDRESS".
void announce_ready(const std::string& address);

/// Returns the exit status of `run`; 1 if it throws std::exception, whose text is printed on stderr.
int program_main(const char* program, const std::function<int()>& run);

}  // namespace orbweaver::bench
