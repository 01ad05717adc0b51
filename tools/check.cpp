// orbweaver check: judges profiles with all that they name.
#include <cstdio>
#include <filesystem>
#include <memory>

#include "sca/profile/check.h"
#include "sca/profile/profiles.h"
#include "subcommand.h"

namespace orbweaver::tools {
namespace {

constexpr const char* kHelp =
    "Judges profiles of SCA 2.2.2, SCA 4.1 and REDHAWK (SAD, SPD, SCD, PRF, DCD, DPD, DMD, and the "
    "deployment\n"
    "descriptors of SCA 4.1) with all files that they name, each once. The outermost element tells the kind "
    "of "
    "a file.\n"
    "All mistakes are printed to standard error in the order of files and positions, and warnings of what "
    "has "
    "no effect\n"
    "here:\n"
    "\n"
    "  orbweaver check voice.sad.xml\n"
    "  orbweaver check --root /opt/sdr/dom /opt/sdr/dom/waveforms/*/*.sad.xml\n"
    "\n"
    "Exit status: 0 no mistake, 1 a mistake, 2 invalid command line.";

/// The mistakes, and as many warnings, that are printed of each file. The others are counted.
constexpr std::size_t kMaxPrinted = 100;

struct Options {
  std::vector<std::string> files;
  std::string root;
  bool no_warnings = false;
};

int run(const Options& options) {
  std::error_code ignored;
  if (!options.root.empty() && !std::filesystem::is_directory(options.root, ignored)) {
    std::fprintf(stderr, "orbweaver check: --root %s: there is no such folder\n", options.root.c_str());
    return kExitBadInput;
  }
  sca::Findings findings;
  sca::Profiles profiles(options.root, sca::Profiles::CodeFiles::warn_if_missing, findings);
  for (const std::string& file : options.files) profiles.check(file);
  sca::check_whole_assemblies(profiles);
  std::fputs(findings.text(kMaxPrinted, !options.no_warnings).c_str(), stderr);
  if (findings.mistakes() == 0) return 0;
  std::fprintf(stderr, "orbweaver check: %zu mistake%s\n", findings.mistakes(),
               findings.mistakes() == 1 ? "" : "s");
  return 1;
}

std::function<int()> set_up(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  app.footer(kHelp);
  app.add_option("FILE", options->files, "Profiles")->required();
  app.add_option("--root", options->root,
                 "Folder at which absolute file names in profiles start; files outside it cannot be named")
      ->type_name("FOLDER");
  app.add_flag("--no-warnings", options->no_warnings, "Prints mistakes only");
  return [options] { return run(*options); };
}

const bool registered =
    register_subcommand({"check", "Judges SCA domain profiles with all that they name", set_up});

}  // namespace
}  // namespace orbweaver::tools
