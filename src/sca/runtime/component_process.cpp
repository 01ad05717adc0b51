#include <orbweaver/sca/component_process.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "platform/pipe.h"
#include "platform/process.h"
#include "platform/thread.h"
#include "sca/component/exception_text.h"
#include "sca/runtime/component_host.h"
#include "sca/runtime/component_servant.h"
#include "sca/runtime/registering_component.h"

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
      announce(contexts[i], *components[i]);
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

  /// Registers a component of SCA 4.1, and binds one of SCA 2.2.2; its exec params tell which it is.
  void announce(Context& context, Component& component) {
    const auto released = [this] {
      if (--alive_ == 0) host_.end();
    };
    if (context.find("COMPONENT_REGISTRY_IOR") != nullptr) {
      const auto servant = CORBA::make_reference<RegisteringComponent>(component, host_.poa(), released);
      const std::string* const profile = context.find("PROFILE_NAME");
      host_.register_component(
          context, servant->registration(servant->activate(), profile != nullptr ? *profile : ""));
    } else {
      const auto servant = CORBA::make_reference<ComponentServant>(component, host_.poa(), released);
      host_.bind(context, servant->activate());
    }
  }

  std::atomic<int> alive_{0};
  ComponentHost host_;
};

/// Creates further components on requests from standard input, in a thread of its own. A component that
/// cannot be created ends the process, as one of the command line does.
class RequestReader {
 public:
  RequestReader(ComponentProcess& process, const ReadRequests& read_requests)
      : process_(process), read_requests_(read_requests), stop_(platform::make_pipe()),
        thread_([this] { serve(); }) {}
  ~RequestReader() {
    stop_.write.reset();
    thread_.join();
    static_cast<void>(input_.release());  // belongs to the process
  }
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

 private:
  void serve() {
    platform::name_this_thread("ow-requests");
    platform::Poller poller;
    const std::size_t input = poller.add(input_);
    const std::size_t stop = poller.add(stop_.read);
    bool at_end = false;
    while (!at_end) {
      poller.wait(-1);
      if (poller.ready(stop)) return;
      if (!poller.ready(input)) continue;
      received_ += platform::read_available(input_, at_end);
      while (take_request()) {
      }
    }
  }

  /// Handles one request if it has been received completely.
  bool take_request() {
    const std::size_t end = received_.find('\0');
    if (end == std::string::npos) return false;
    const std::size_t count = std::strtoul(received_.c_str(), nullptr, 10);
    std::vector<std::string> arguments;
    std::size_t begin = end + 1;
    while (arguments.size() < count) {
      const std::size_t next = received_.find('\0', begin);
      if (next == std::string::npos) return false;
      arguments.push_back(received_.substr(begin, next - begin));
      begin = next + 1;
    }
    received_.erase(0, begin);
    try {
      process_.add(read_requests_(arguments));
    } catch (...) {
      std::fprintf(stderr, "%s\n", current_exception_text().c_str());
      std::_Exit(2);
    }
    return true;
  }

  ComponentProcess& process_;
  const ReadRequests& read_requests_;
  platform::Pipe stop_;
  platform::Fd input_{0};
  std::string received_;
  std::thread thread_;
};

}  // namespace

int run_components(int argc, char** argv, const ReadRequests& read_requests, bool more) {
  try {
    ComponentProcess process(argc, argv);
    process.add(read_requests({argv + 1, argv + argc}));
    if (more) {
      RequestReader reader(process, read_requests);
      process.serve();
    } else {
      process.serve();
    }
    return 0;
  } catch (...) {
    std::fprintf(stderr, "%s\n", current_exception_text().c_str());
    return 2;
  }
}

}  // namespace orbweaver::sca
