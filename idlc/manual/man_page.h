#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

/// Man pages of programs whose command line is described by CLI11. Any thread.
namespace orbweaver {

/// What a man page has beyond the commands and options of its program.
struct ManPage {
  struct Section {
    std::string title;  ///< "EXIT STATUS"
    std::string text;   ///< As the text of the help: blank lines between paragraphs, examples indented.
  };
  std::string summary;  ///< What the program does, for the line NAME; begins with a small letter.
  std::string version;
  std::vector<Section> sections;  ///< After the options.
};

/// Returns the page in man(7): the description of `app`, its footer, its options and its subcommands, except
/// those that the help does not list. Text outside ASCII is UTF-8.
std::string man_page(const CLI::App& app, const ManPage& page);

}  // namespace orbweaver
