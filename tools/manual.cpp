#include "manual.h"

#include <cstdio>

#include "idlc/manual/man_page.h"
#include "subcommand.h"
#include "version.h"

namespace orbweaver::tools {
namespace {

constexpr const char* kExitStatus =
    "0 on success; 1 if something failed, or if check found a mistake; 2 for an invalid command line or "
    "input;\n"
    "128 + N if a run was stopped by signal N. The section of a command says more.";

constexpr const char* kEnvironment =
    "ORBWEAVER_LOG is the log level: off, error, warn (the default), info or debug.\n"
    "\n"
    "ORBWEAVER_TRANSPORT_PLUGINS has libraries with additional transports, separated by colons.";

constexpr const char* kFiles =
    "orbweaver/ in $XDG_STATE_HOME, by default ~/.local/state, has the state of naming services and domains.";

constexpr const char* kSeeAlso = "orbweaver-idl(1), orbweaver-host(1), orbweaver-device(1)";

}  // namespace

int print_manual(const CLI::App& app) {
  const ManPage page{"run waveforms and domains, make and check profiles, inspect references, measure calls",
                     kVersion,
                     {{"EXIT STATUS", kExitStatus},
                      {"ENVIRONMENT", kEnvironment},
                      {"FILES", kFiles},
                      {"SEE ALSO", kSeeAlso}}};
  const std::string why = print(man_page(app, page));
  if (why.empty()) return 0;
  std::fprintf(stderr, "orbweaver manual: %s\n", why.c_str());
  return kExitNotWritten;
}

}  // namespace orbweaver::tools
