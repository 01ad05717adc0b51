// orbweaver new: writes the files of a new component or waveform.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/printable.h"
#include "platform/process.h"
#include "sca/project/new_project.h"
#include "subcommand.h"

namespace orbweaver::tools {
namespace {

constexpr const char* kHelp =
    "Writes code, profiles, CMakeLists.txt and a test, which build and run as they are, into a new folder:\n"
    "\n"
    "  orbweaver new waveform radio\n"
    "  orbweaver new component gain --ports in:float,out:float --properties gain_db:double=0\n"
    "\n"
    "A port is in:TYPE or out:TYPE, or with a name of its own in:NAME:TYPE; its samples are octet, short,\n"
    "float or complex, and with OSSIE's interfaces realChar, realShort, realLong, realFloat, realDouble,\n"
    "complexChar, complexShort, complexLong, complexFloat or complexDouble.\n"
    "A property is ID:TYPE or ID:TYPE=VALUE, with the types of PRFs. Files are not overwritten.\n"
    "\n"
    "Exit status: 0, 1 the files cannot be written, 2 invalid command line.";

struct Options {
  std::string name, folder;
  std::vector<std::string> ports, properties;
  bool json = false;
};

int fail(const std::vector<std::string>& messages, int status) {
  for (const std::string& message : messages) std::fprintf(stderr, "orbweaver new: %s\n", message.c_str());
  return status;
}

/// What is printed: the files, and commands that build them.
std::string report(const Options& options, const std::string& folder, const std::vector<sca::NewFile>& files,
                   bool is_waveform) {
  if (options.json) {
    nlohmann::json names = nlohmann::json::array();
    for (const sca::NewFile& file : files) names.push_back(folder + "/" + file.name);
    return nlohmann::json{{"name", options.name}, {"folder", folder}, {"files", names}}.dump(
               2, ' ', false, nlohmann::json::error_handler_t::replace) +
           "\n";
  }
  std::string text;
  for (const sca::NewFile& file : files) text += printable(folder + "/" + file.name) + "\n";
  const std::string build = printable(folder) + "/build";
  // This program is PREFIX/bin/orbweaver, also in the build folder.
  const auto program = std::filesystem::path(platform::executable_path());
  const std::string prefix = program.parent_path().parent_path().string();
  text += "\nBuild and test it:\n  cmake -S " + printable(folder) + " -B " + build +
          " -DCMAKE_PREFIX_PATH=" + printable(prefix) + "\n  cmake --build " + build +
          " && ctest --test-dir " + build + "\n";
  if (is_waveform) text += "Run it:\n  orbweaver run " + build + "/" + options.name + ".sad.xml\n";
  return text;
}

int create(const Options& options, bool is_waveform) {
  std::vector<std::string> mistakes;
  std::vector<sca::NewFile> files;
  if (is_waveform) {
    mistakes = sca::mistakes_in_name(options.name);
    if (mistakes.empty()) files = sca::files_of_waveform(options.name);
  } else {
    const auto ports =
        options.ports.empty() ? std::vector<std::string>{"in:float", "out:float"} : options.ports;
    const auto component = sca::read_new_component(options.name, ports, options.properties, mistakes);
    if (mistakes.empty()) files = sca::files_of_component(component);
  }
  if (!mistakes.empty()) return fail(mistakes, kExitBadInput);
  const std::string folder = options.folder.empty() ? options.name : options.folder;
  if (const auto problems = sca::write_new_files(folder, files); !problems.empty()) return fail(problems, 1);
  const std::string why = print(report(options, folder, files, is_waveform));
  return why.empty() ? 0 : fail({why}, kExitNotWritten);
}

CLI::App* add_command(CLI::App& app, Options& options, const char* name, const char* summary) {
  CLI::App* const sub = app.add_subcommand(name, summary);
  sub->add_option("NAME", options.name, "Letters, digits, '_' and '-'")->required();
  sub->add_option("--folder", options.folder, "The folder of the files (default: NAME)")->type_name("FOLDER");
  sub->add_flag("--json", options.json, "Prints JSON");
  return sub;
}

std::function<int()> set_up(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  app.footer(kHelp);
  app.require_subcommand(1);
  CLI::App* const component = add_command(app, *options, "component", "Writes a component");
  component->add_option("--ports", options->ports, "Ports (default: in:float,out:float)")
      ->type_name("PORT,…")
      ->delimiter(',')
      ->allow_extra_args(false);
  component->add_option("--properties", options->properties, "Properties that the assembly can set")
      ->type_name("PROPERTY,…")
      ->delimiter(',')
      ->allow_extra_args(false);
  CLI::App* const waveform =
      add_command(app, *options, "waveform", "Writes a waveform of a source, a filter and a sink");
  return [options, waveform] { return create(*options, waveform->parsed()); };
}

const bool registered =
    register_subcommand({"new", "Writes the files of a new component or waveform", set_up});

}  // namespace
}  // namespace orbweaver::tools
