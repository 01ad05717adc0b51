#include <orbweaver/sca/component_process.h>

#include <atomic>
#include <cstdio>
#include <exception>
#include <stdexcept>

#include "sca/component/exception_text.h"
#include "sca/runtime/component_host.h"
#include "sca/runtime/component_servant.h"

namespace orbweaver::sca {
namespace {

/// Creates the components of a command line, and ends when all have been released.
class ComponentProcess {
 public:
  ComponentProcess(int& argc, char** argv) : host_(argc, argv) {}

  /// Creates all components before the first is bound, so that no caller finds a component if another one of
  /// the process cannot be created.
  void add(const std::vector<ComponentRequest>& requests) {
    std::vector<Context> contexts;
    std::vector<Component*> components;
    for (const ComponentRequest& request : requests) {
      contexts.push_back(Context::from_arguments(request.arguments));
      components.push_back(&make(request, contexts.back()));
    }
    for (std::size_t i = 0; i < contexts.size(); ++i) {
      // Counted before it is bound, because it may be released at once.
      ++alive_;
      const auto servant = CORBA::make_reference<ComponentServant>(*components[i], host_.poa(), [this] {
        if (--alive_ == 0) host_.end();
      });
      host_.bind(contexts[i], servant->activate());
    }
  }
  void serve() { host_.serve(); }

 private:
  Component& make(const ComponentRequest& request, Context& context) {
    try {
      return host_.make(request.make, context);
    } catch (...) {
      // The launcher looks for this form (sca/deploy/component_output.h).
      throw std::runtime_error("component " + context.identifier() +
                               " cannot be created: " + current_exception_text());
    }
  }

  std::atomic<int> alive_{0};
  ComponentHost host_;
};

}  // namespace

int run_components(int argc, char** argv, const ReadRequests& read_requests) {
  try {
    ComponentProcess process(argc, argv);
    process.add(read_requests({argv + 1, argv + argc}));
    process.serve();
    return 0;
  } catch (...) {
    std::fprintf(stderr, "%s\n", current_exception_text().c_str());
    return 2;
  }
}

}  // namespace orbweaver::sca
