// orbweaver-idl: command line of the IDL compiler. Parses options and runs the stages.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <new>

#include "idlc/cpp/cpp_generator.h"
#include "idlc/cpp/servant_skeleton.h"
#include "idlc/driver/compile.h"
#include "idlc/driver/output.h"
#include "idlc/dump/json_dump.h"
#include "idlc/html/html_pages.h"
#include "idlc/manual/man_page.h"
#include "idlc/source/render.h"

namespace {

using namespace orbweaver::idl;

// Exit status for an error of the command line. An invalid IDL file, or output that cannot be written, is 1.
constexpr int kExitUsage = 2;

int usage_error(const std::string& problem) {
  std::fprintf(stderr, "orbweaver-idl: error: %s\n", problem.c_str());
  return kExitUsage;
}

struct CommandLine {
  bool check = false, cpp = false, dump = false, html = false, impl = false, preprocess_only = false,
       json = false;
  std::string out = ".", depfile, colour = "auto";
  std::vector<std::string> files, warnings;
  PreprocessOptions preprocess;
  CppOptions cpp_options;
  WarningPolicy policy;
};

// Applies -WNAME, -Wno-NAME, -Werror or -Werror=NAME; returns an error message, or an empty string.
std::string warning_option(const std::string& text, WarningPolicy& policy) {
  if (text == "error") {
    policy.all_as_error = true;
    return {};
  }
  bool off = text.starts_with("no-"), error = text.starts_with("error=");
  std::string name = text.substr(off ? 3 : error ? 6 : 0);
  const auto& known = warning_names();
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    std::string list;
    for (std::string_view each : known) list += (list.empty() ? "" : ", ") + std::string(each);
    return "unknown warning '" + name + "'; the warnings are " + list;
  }
  if (off) policy.off.insert(name);
  if (error) policy.as_error.insert(name);
  return {};
}

void describe(CLI::App& app, CommandLine& line) {
  app.set_version_flag("--version", "orbweaver-idl " ORBWEAVER_VERSION, "Print the version");
  app.add_flag("--check", line.check, "Check only: exit status 0 if there is no error, else 1");
  app.add_flag("--cpp", line.cpp, "Write fooC.h, fooC.cpp, fooS.h and fooS.cpp for foo.idl");
  app.add_flag("--ami", line.cpp_options.ami,
               "With --cpp: asynchronous calls, with reply handlers (sendc_…), pollers (sendp_…) and futures "
               "(async_…); also for the included files whose interfaces are inherited");
  app.add_flag("--amh", line.cpp_options.amh,
               "With --cpp: skeletons of servants that answer later; also for the included files whose "
               "interfaces are inherited");
  app.add_flag("--micro", line.cpp_options.micro,
               "With --cpp: for liborbweaver-micro.so, without TypeCodes; rejects what it does not have")
      ->excludes("--ami")
      ->excludes("--amh");
  app.add_flag("--dump", line.dump, "Print the checked tree as JSON");
  app.add_flag("--impl", line.impl,
               "Write foo_impl.h and foo_impl.cpp, templates for servants, unless the files exist");
  app.add_flag("--html", line.html, "Write foo.html, a reference page, for foo.idl");
  app.add_flag("-E,--preprocess", line.preprocess_only, "Print the preprocessed file");
  app.add_option("--cpp-include", line.cpp_options.includes,
                 "Include HEADER in the generated headers: it declares the C++ of native types")
      ->type_name("HEADER")
      ->allow_extra_args(false);
  app.add_option("-o,--output", line.out, "Output folder (default: the current one)")->type_name("DIR");
  app.add_option("--depfile", line.depfile, "Write a Make rule that names every file read")
      ->type_name("FILE");
  app.add_option("-I", line.preprocess.include_dirs, "Add a folder to the search path for included files")
      ->type_name("DIR")
      ->allow_extra_args(false);
  app.add_option("-D", line.preprocess.defines, "Define a macro")
      ->type_name("NAME[=VALUE]")
      ->allow_extra_args(false);
  app.add_option("-U", line.preprocess.undefines, "Undefine a macro")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_option("-W", line.warnings, "-Wno-NAME turns a warning off, -Werror[=NAME] makes it an error")
      ->type_name("…")
      ->allow_extra_args(false);
  app.add_flag("-w", line.policy.all_off, "No warnings");
  app.add_flag("--json", line.json, "Diagnostics as JSON on standard error");
  app.add_option("--colour,--color", line.colour, "auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  app.add_option("FILE", line.files, "IDL files; '-' is standard input")->required();
}

// Prints the man page, orbweaver-idl(1), which the build installs. Returns the exit status.
int print_manual(const CLI::App& app) {
  const std::string problem = print(orbweaver::man_page(
      app, {"check OMG IDL and map it to C++", ORBWEAVER_VERSION, {{"SEE ALSO", "orbweaver(1)"}}}));
  if (problem.empty()) return 0;
  std::fprintf(stderr, "orbweaver-idl: error: %s\n", problem.c_str());
  return 1;
}

// Writes the requested output of a compiled file. Reports errors and returns false then.
bool produce(const CommandLine& line, const CompileResult& compiled, const Sources& sources,
             Diagnostics& diagnostics, HtmlPages& pages) {
  std::string problem;
  if (line.dump) problem = print(dump_json(*compiled.unit, sources));
  std::vector<OutputFile> files;
  if (line.cpp) files = generate_cpp(*compiled.unit, diagnostics, line.cpp_options);
  if (!diagnostics.ok()) return false;
  if (line.html) files.push_back(pages.page(*compiled.unit, sources));
  if (line.impl) {
    for (OutputFile& file : generate_impl(*compiled.unit)) {
      if (!std::filesystem::exists(std::filesystem::path(line.out) / file.name))
        files.push_back(std::move(file));
    }
  }
  if (!files.empty() && problem.empty()) problem = write_files(line.out, files);
  if (!files.empty() && problem.empty() && !line.depfile.empty()) {
    problem = write_file(line.depfile, dependency_rule(line.out, files, compiled.preprocessed.files));
  }
  if (!problem.empty()) diagnostics.error("cannot-write", {}, problem);
  return problem.empty();
}

// The error message if two input files of the same name, in different folders, would have the same output
// files; else empty.
std::string clash(const CommandLine& line) {
  if (!line.cpp && !line.html && !line.impl) return {};
  std::map<std::string, std::string> makers;
  if (line.html && line.files.size() > 1) makers["index"] = "the index page";
  for (const std::string& file : line.files) {
    const auto [other, fresh] =
        makers.emplace(std::filesystem::path(file).stem().string(), "the output of " + file);
    if (!fresh) {
      return "the output of " + file + " would overwrite " + other->second +
             ": run the compiler once for each, with different output folders (-o)";
    }
  }
  return {};
}

bool run(const CommandLine& line, const std::string& path, HtmlPages& pages) {
  Sources sources;
  Diagnostics diagnostics(line.policy);
  PreprocessOptions options = line.preprocess;
  options.keep_tokens = line.preprocess_only;
  CompileResult compiled = compile(sources, path, options, diagnostics);
  if (line.preprocess_only) {
    if (std::string problem = print(to_text(compiled.preprocessed, sources)); !problem.empty())
      diagnostics.error("cannot-write", {}, problem);
  }
  bool ok = compiled.unit != nullptr && produce(line, compiled, sources, diagnostics, pages);
  if (line.json) {
    std::fputs(render_json(diagnostics, sources).c_str(), stderr);
  } else {
    bool colour = line.colour == "always" || (line.colour == "auto" && isatty(2) && !std::getenv("NO_COLOR"));
    std::fputs(render_text(diagnostics, sources, colour).c_str(), stderr);
  }
  return ok && diagnostics.ok();
}

// Compiles the files of the command line in order; returns the exit status.
int run_all(const CommandLine& line) {
  bool ok = true;
  HtmlPages pages(line.files);
  for (const std::string& file : line.files) ok = run(line, file, pages) && ok;
  if (ok && line.html && line.files.size() > 1) {
    if (std::string problem = write_files(line.out, {pages.index()}); !problem.empty()) {
      std::fprintf(stderr, "orbweaver-idl: error: %s\n", problem.c_str());
      return 1;
    }
  }
  return ok ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "The IDL compiler of Orbweaver: checks OMG IDL 4.2 and maps it to C++.\n"
      "Without --cpp, --dump, --html, --impl or -E, files are only checked.\n"
      "Exit status: 0; 1 for an invalid file or an error of output; 2 for an invalid command line.",
      "orbweaver-idl"};
  CommandLine line;
  describe(app, line);
  if (argc == 2 && argv[1] == std::string_view("--manual")) return print_manual(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help, --version
    return app.exit(wanted);
  } catch (const CLI::ParseError& error) {
    return usage_error(std::string(error.what()) + " (orbweaver-idl --help lists the options)");
  }
  for (const std::string& each : line.warnings) {
    if (const std::string problem = warning_option(each, line.policy); !problem.empty())
      return usage_error(problem);
  }
  if (!line.depfile.empty() && line.files.size() > 1)
    return usage_error("--depfile works with one IDL file at a time");
  if (const std::string problem = clash(line); !problem.empty()) return usage_error(problem);
  try {
    return run_all(line);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "orbweaver-idl: error: out of memory; is there a limit (ulimit -v)?\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "orbweaver-idl: error: %s\n", error.what());
  }
  return 1;
}
