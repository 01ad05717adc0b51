#include <orbweaver/sca/component_process.h>

#include <atomic>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>

#include "CosNamingC.h"
#include "sca/component/exception_text.h"
#include "sca/runtime/component_servant.h"

namespace orbweaver::sca {
namespace {

using OrbRef = IDL::traits<CORBA::ORB>::ref_type;
using PoaRef = IDL::traits<PortableServer::POA>::ref_type;

void bind(const OrbRef& orb, Context& context, const IDL::traits<CORBA::Object>::ref_type& object) {
  const std::string& ior = context.required("NAMING_CONTEXT_IOR");
  const auto naming = IDL::traits<CosNaming::NamingContext>::narrow(orb->string_to_object(ior));
  if (!naming) throw std::invalid_argument("NAMING_CONTEXT_IOR does not lead to a naming context");
  naming->bind({CosNaming::NameComponent(context.required("NAME_BINDING"), "")}, object);
}

class ComponentHost {
 public:
  ComponentHost(int& argc, char** argv) : orb_(CORBA::ORB_init(argc, argv)) {
    poa_ = IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
    poa_->the_POAManager()->activate();
  }
  ~ComponentHost() {
    // shut_down() ends the calls in progress; the components that they use may be destroyed only after it.
    for (const auto& component : components_) component->shut_down();
    orb_->destroy();
  }
  ComponentHost(const ComponentHost&) = delete;
  ComponentHost& operator=(const ComponentHost&) = delete;

  /// Creates all components before the first is bound, so that no caller finds a component if another one of
  /// the process cannot be created.
  void add(const std::vector<ComponentRequest>& requests) {
    std::vector<Context> contexts;
    for (const ComponentRequest& request : requests) {
      contexts.push_back(Context::from_arguments(request.arguments));
      make(request, contexts.back());
    }
    for (std::size_t i = 0; i < contexts.size(); ++i) {
      // Counted before it is bound, because it may be released at once.
      ++alive_;
      const auto servant =
          CORBA::make_reference<ComponentServant>(*components_[i], poa_, [this] { released(); });
      bind(orb_, contexts[i], servant->activate());
    }
  }
  void serve() { orb_->run(); }

 private:
  void make(const ComponentRequest& request, Context& context) {
    try {
      components_.emplace_back(request.make(context));
    } catch (...) {
      // The launcher looks for this form (sca/deploy/component_output.h).
      throw std::runtime_error("component " + context.identifier() +
                               " cannot be created: " + current_exception_text());
    }
    for (const char* const word : {"STREAMS_EXPECTED", "NAMING_CONTEXT_IOR", "NAME_BINDING"})
      context.find(word);
    for (const std::string& id : context.unknown()) {
      std::fprintf(stderr, "warning: '%s' is set, but the component has no such property\n", id.c_str());
    }
  }
  void released() {
    // Does not wait: this is an upcall, and destroy() waits for it.
    if (--alive_ == 0) orb_->shutdown(false);
  }

  OrbRef orb_;
  PoaRef poa_;
  std::vector<std::unique_ptr<Component>> components_;
  std::atomic<int> alive_{0};
};

}  // namespace

int run_components(int argc, char** argv, const ReadRequests& read_requests) {
  try {
    ComponentHost process(argc, argv);
    process.add(read_requests({argv + 1, argv + argc}));
    process.serve();
    return 0;
  } catch (...) {
    std::fprintf(stderr, "%s\n", current_exception_text().c_str());
    return 2;
  }
}

}  // namespace orbweaver::sca
