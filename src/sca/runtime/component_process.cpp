#include <orbweaver/sca/component_process.h>

#include <atomic>
#include <cstdio>
#include <exception>
#include <memory>

#include "CosNamingC.h"
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

class Process {
 public:
  Process(int& argc, char** argv) : orb_(CORBA::ORB_init(argc, argv)) {
    poa_ = IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
    poa_->the_POAManager()->activate();
  }
  ~Process() {
    // Calls in progress end here; only then may the components that they reach into go.
    for (const auto& component : components_) component->shut_down();
    orb_->destroy();
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void add(const ComponentRequest& request) {
    Context context = Context::from_arguments(request.arguments);
    std::unique_ptr<Component> component(request.make(context));
    // Counted before it is bound: it may be released at once.
    ++alive_;
    const auto servant = CORBA::make_reference<ComponentServant>(*component, poa_, [this] { released(); });
    components_.push_back(std::move(component));
    bind(orb_, context, servant->activate());
    context.find("STREAMS_EXPECTED");  // a source does not ask for it
    for (const std::string& id : context.unknown()) {
      std::fprintf(stderr, "warning: '%s' is set, but the component knows no such property\n", id.c_str());
    }
  }
  void serve() { orb_->run(); }

 private:
  void released() {
    // Not waiting: this is an upcall of the ORB's, and destroy() will wait for it.
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
    Process process(argc, argv);
    for (const ComponentRequest& request : read_requests({argv + 1, argv + argc})) process.add(request);
    process.serve();
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}

}  // namespace orbweaver::sca
