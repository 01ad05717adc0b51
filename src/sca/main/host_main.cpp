// orbweaver-host: runs several components in one process. Each is a library, followed by its exec params:
//
//   orbweaver-host --module a.so ID VALUE … --module b.so [--entry symbol] ID VALUE …
//
// With --more before the first --module, it creates further components on requests from its standard input
// (component_process.h). Without --module it is a resource factory, which creates components on request:
//
//   orbweaver-host ID VALUE …
//
// It is started by `orbweaver run` and orbweaver-device.
#include <stdexcept>
#include <string_view>

#include <orbweaver/sca/component_process.h>
#include "platform/crash_report.h"
#include "platform/shared_library.h"

namespace {

using orbweaver::sca::ComponentRequest;
using orbweaver::sca::MakeComponent;

MakeComponent load(const std::string& path, const std::string& entry) {
  orbweaver::platform::SharedLibrary module;
  const std::string error = module.load(path);
  if (!error.empty()) throw std::runtime_error("a component cannot be loaded: " + error);
  const auto make = reinterpret_cast<MakeComponent>(module.find(entry.c_str()));
  if (make == nullptr) {
    throw std::runtime_error(path + ": there is no function '" + entry +
                             "'; was it built by orbweaver_component(), with an ORBWEAVER_COMPONENT?");
  }
  return make;
}

[[noreturn]] void fail_usage() {
  throw std::runtime_error(
      "usage: orbweaver-host --module LIBRARY [--entry FUNCTION] ID VALUE …, or orbweaver-host ID VALUE … "
      "(it "
      "is started by `orbweaver run`)");
}

std::vector<ComponentRequest> read_modules(const std::vector<std::string>& arguments) {
  std::vector<ComponentRequest> requests;
  std::size_t i = 0;
  while (i < arguments.size()) {
    if (arguments[i] != "--module" || i + 1 == arguments.size()) fail_usage();
    const std::string& path = arguments[i + 1];
    i += 2;
    std::string entry = "orbweaver_make_component";
    if (i + 1 < arguments.size() && arguments[i] == "--entry") {
      entry = arguments[i + 1];
      i += 2;
    }
    ComponentRequest request{load(path, entry), {}};
    // Arguments are read in pairs, so that a value may be "--module".
    for (; i < arguments.size() && arguments[i] != "--module"; i += 2) {
      request.arguments.push_back(arguments[i]);
      if (i + 1 < arguments.size()) request.arguments.push_back(arguments[i + 1]);
    }
    requests.push_back(std::move(request));
  }
  if (requests.empty()) fail_usage();
  return requests;
}

/// Index of the first argument after the ORB's own options.
int first_argument(int argc, char** argv) {
  int first = 1;
  while (first < argc && std::string_view(argv[first]).starts_with("-ORB")) first += 2;
  return first;
}

/// Removes --more from the command line; false if it is not there.
bool take_more(int& argc, char** argv) {
  const int first = first_argument(argc, argv);
  if (first >= argc || std::string_view(argv[first]) != "--more") return false;
  for (int i = first; i < argc; ++i) argv[i] = argv[i + 1];  // argv[argc] is null
  --argc;
  return true;
}

/// Whether the command line is that of a resource factory.
bool is_resource_factory(int argc, char** argv) {
  const int first = first_argument(argc, argv);
  return first < argc && std::string_view(argv[first]) != "--module";
}

}  // namespace

int main(int argc, char** argv) {
  orbweaver::platform::report_crashes();  // names the component, one of several in this process
  const bool more = take_more(argc, argv);
  if (!more && is_resource_factory(argc, argv)) return orbweaver::sca::run_resource_factory(argc, argv, load);
  return orbweaver::sca::run_components(argc, argv, read_modules, more);
}
