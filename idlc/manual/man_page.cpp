#include "idlc/manual/man_page.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>

namespace orbweaver {
namespace {

/// Text for the middle of a line: a minus is not a hyphen, and a backslash begins no escape.
std::string escaped(std::string_view text) {
  std::string roff;
  for (const char c : text) {
    if (c == '\\') {
      roff += "\\e";
    } else {
      if (c == '-') roff += '\\';
      roff += c;
    }
  }
  return roff;
}

/// A whole line of text: one that begins with a dot or an apostrophe would be a request.
std::string line(std::string_view text) {
  const bool request = text.starts_with('.') || text.starts_with('\'');
  return (request ? "\\&" : "") + escaped(text) + "\n";
}

std::string bold(std::string_view text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + escaped(text) + "\\fR"; }

/// Paragraphs of the help: blank lines end them, and lines that begin with two spaces are examples.
std::string paragraphs(const std::string& text) {
  std::istringstream in(text);
  std::string roff;
  bool example = false, begins = true;
  for (std::string each; std::getline(in, each);) {
    const bool indented = each.starts_with("  ");
    if (example && !indented) roff += ".fi\n.RE\n";
    if (each.empty()) {
      begins = true;
    } else {
      if (begins && !indented) roff += ".PP\n";
      if (indented && !example) roff += ".PP\n.RS 4\n.nf\n";
      roff += line(indented ? std::string_view(each).substr(2) : std::string_view(each));
      begins = false;
    }
    example = indented;
  }
  return roff + (example ? ".fi\n.RE\n" : "");
}

std::string upper_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }
bool is_listed(const CLI::Option& option) { return !option.get_group().empty(); }

std::vector<const CLI::Option*> operands_of(const CLI::App& app) {
  return app.get_options(
      [](const CLI::Option* option) { return option->get_positional() && is_listed(*option); });
}
std::vector<const CLI::Option*> options_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) {
    return option->nonpositional() && is_listed(*option) && !option->check_lname("help");
  });
}
std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* sub) { return !sub->get_group().empty(); });
}

/// The names of an option, and its value: "\fB-n\fR, \fB--lines\fR \fIN\fR".
std::string heading(const CLI::Option& option) {
  std::string all;
  const auto add = [&](const std::string& name) { all += (all.empty() ? "" : ", ") + bold(name); };
  for (const std::string& name : option.get_snames()) add("-" + name);
  for (const std::string& name : option.get_lnames()) add("--" + name);
  if (takes_value(option)) all += " " + italic(option.get_type_name());
  return all;
}

std::string described(const std::string& heading, const CLI::Option& option) {
  std::string text = option.get_description();
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  if (!text.empty() && text.back() != '.') text += ".";
  if (!option.get_default_str().empty()) text += " Default: " + option.get_default_str() + ".";
  return ".TP\n" + heading + "\n" + line(text);
}

std::string name_of(const CLI::Option& operand) { return operand.get_name(true, false); }

/// One line of the synopsis: "\fBorbweaver ior\fR [\fIREFERENCE\fR] [\fIOPTION\fR \&...]".
std::string synopsis(const CLI::App& app, const std::string& command) {
  std::string text = bold(command);
  for (const CLI::Option* operand : operands_of(app)) {
    const std::string name =
        italic(name_of(*operand)) + (operand->get_items_expected_max() > 1 ? " \\&..." : "");
    text += operand->get_required() ? " " + name : " [" + name + "]";
  }
  if (!options_of(app).empty()) text += " [" + italic("OPTION") + " \\&...]";
  return text + "\n";
}

/// The synopses of a command and of those below it.
void add_synopses(const CLI::App& app, const std::string& command, std::vector<std::string>& all) {
  if (app.get_require_subcommand_min() == 0) all.push_back(synopsis(app, command));
  for (const CLI::App* sub : commands_of(app)) add_synopses(*sub, command + " " + sub->get_name(), all);
}

std::string options_text(const CLI::App& app) {
  std::string roff;
  for (const CLI::Option* operand : operands_of(app)) roff += described(italic(name_of(*operand)), *operand);
  for (const CLI::Option* option : options_of(app)) roff += described(heading(*option), *option);
  return roff;
}

/// The sections of the commands below `app`. CLI11 gives a command the footer of the one above it by default.
std::string commands_text(const CLI::App& app, const std::string& command) {
  std::string roff;
  for (const CLI::App* sub : commands_of(app)) {
    const std::string name = command.empty() ? sub->get_name() : command + " " + sub->get_name();
    std::string summary = sub->get_description();
    if (!summary.empty() && summary.back() != '.') summary += ".";
    roff += ".SS " + escaped(name) + "\n" + paragraphs(summary) +
            (sub->get_footer() == app.get_footer() ? "" : paragraphs(sub->get_footer())) +
            options_text(*sub) + commands_text(*sub, name);
  }
  return roff;
}

}  // namespace

std::string man_page(const CLI::App& app, const ManPage& page) {
  const std::string& name = app.get_name();
  std::string roff = ".TH " + escaped(upper_case(name)) + " 1 \"\" \"Orbweaver " + escaped(page.version) +
                     "\" \"User commands\"\n.SH NAME\n" + escaped(name) + " \\- " + escaped(page.summary) +
                     "\n.SH SYNOPSIS\n.nh\n";
  std::vector<std::string> all;
  add_synopses(app, name, all);
  for (std::size_t i = 0; i < all.size(); ++i) roff += (i == 0 ? "" : ".br\n") + all[i];
  roff += ".hy\n.SH DESCRIPTION\n" + paragraphs(app.get_description()) + paragraphs(app.get_footer());
  if (const std::string text = options_text(app); !text.empty()) roff += ".SH OPTIONS\n" + text;
  if (!commands_of(app).empty()) roff += ".SH COMMANDS\n" + commands_text(app, "");
  for (const ManPage::Section& section : page.sections)
    roff += ".SH " + escaped(section.title) + "\n" + paragraphs(section.text);
  return roff;
}

}  // namespace orbweaver
