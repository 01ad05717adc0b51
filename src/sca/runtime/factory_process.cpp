// The main() of a program with a component factory.
#include <chrono>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include <orbweaver/sca/component_process.h>
#include "platform/crash_report.h"
#include "platform/thread.h"
#include "sca/component/exception_text.h"
#include "sca/runtime/component_factory.h"
#include "sca/runtime/resource_factory.h"

namespace orbweaver::sca {
namespace {

/// Time in which a core framework releases a factory, or creates a further component, after it has released
/// the last one.
constexpr std::chrono::seconds kUnusedTime{10};

class FactoryProcess {
 public:
  FactoryProcess(int& argc, char** argv, MakeComponentFactory make)
      : host_(argc, argv), context_(Context::from_arguments({argv + 1, argv + argc})) {
    perform("created", [&] { factory_.reset(make(context_)); });
  }

  void serve() {
    const bool is_sca41 = context_.find("COMPONENT_REGISTRY_IOR") != nullptr;
    for (const char* const param :
         {"COMPONENT_IDENTIFIER", "NAMING_CONTEXT_IOR", "NAME_BINDING", "PROFILE_NAME"})
      context_.find(param);
    for (const std::string& id : context_.unknown())
      std::fprintf(stderr, "warning: '%s' is set, but the factory has no such property\n", id.c_str());
    is_sca41 ? serve_sca41() : serve_sca222();
  }

 private:
  template <class Function>
  void perform(const std::string& what, const Function& function) {
    try {
      function();
    } catch (...) {
      throw std::runtime_error("component factory " + context_.identifier() + " cannot be " + what + ": " +
                               current_exception_text());
    }
  }

  void serve_sca41() {
    const auto servant = CORBA::make_reference<ComponentFactoryServant>(
        host_, std::make_unique<ComponentFactoryClasses>(*factory_), [this] { factory_->set_up(); });
    const auto reference = host_.poa()->id_to_reference(host_.poa()->activate_object(servant));
    const std::string* const profile = context_.find("PROFILE_NAME");
    host_.register_component(context_, {context_.identifier(),
                                        profile != nullptr ? *profile : "",
                                        CF::ComponentEnumType::APPLICATION_COMPONENT_FACTORY_COMPONENT,
                                        reference,
                                        {},
                                        {}});
    std::thread unused([&] {
      platform::name_this_thread("ow-factory");
      servant->end_when_unused(kUnusedTime);
    });
    host_.serve();
    servant->end_wait();
    unused.join();
  }

  void serve_sca222() {
    perform("initialized",
            [&] { factory_->set_up(); });  // a CF::ResourceFactory is not initialized by others
    const auto servant = CORBA::make_reference<ResourceFactoryServant>(
        host_, context_.identifier(), std::make_unique<ComponentFactoryClasses>(*factory_));
    host_.bind(context_, host_.poa()->id_to_reference(host_.poa()->activate_object(servant)));
    host_.serve();
  }

  std::unique_ptr<ComponentFactory> factory_;  // exists longer than its components
  ComponentHost host_;
  Context context_;
};

}  // namespace

int run_component_factory(int argc, char** argv, MakeComponentFactory make) {
  platform::report_crashes();  // names the component, one of several in this process
  try {
    FactoryProcess(argc, argv, make).serve();
    return 0;
  } catch (...) {
    std::fprintf(stderr, "%s\n", current_exception_text().c_str());
    return 2;
  }
}

}  // namespace orbweaver::sca
