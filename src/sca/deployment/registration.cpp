// The steps that obtain the objects of components: from the naming context, the component registry, and from
// resource factories.
#include <orbweaver/deadline.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "CosNamingC.h"
#include "base/printable.h"
#include "sca/deployment/concurrently.h"
#include "sca/deployment/deployment_context.h"
#include "sca/deployment/known_interfaces.h"
#include "sca/deployment/property_values.h"

namespace orbweaver::sca {
namespace {

using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
using ContextRef = IDL::traits<CosNaming::NamingContext>::ref_type;

/// Intervals in which the naming context is read without an event; they grow while nothing is registered.
constexpr std::chrono::milliseconds kShortestPoll{1}, kLongestPoll{20};
/// Not at each event, because it looks at each part that is missing.
constexpr std::chrono::milliseconds kEndsInterval{5};
/// Bindings that are read at once; an assembly has at most kMaxComponents.
constexpr std::uint32_t kMostBindings = 2 * kMaxComponents;

/// Waits for the parts that bind or register themselves.
class Registrations {
 public:
  explicit Registrations(DeploymentContext& context)
      : context_(context), naming_(context.calls.narrow<CosNaming::NamingContext>(context.naming)) {
    for (std::size_t p = 0; p < context.plan.parts.size(); ++p) {
      const DeploymentPart& part = context.plan.parts[p];
      if (part.registers_itself()) unregistered_.insert(p);
      if (!part.binding.empty()) missing_.emplace(part.binding, p);
    }
    if (!naming_)
      throw DeploymentFailure("the naming context of the application is no CosNaming::NamingContext");
  }

  void wait() {
    const auto deadline = Deadline::in_ms(context_.request.limits.registration.count());
    auto interval = kShortestPoll;
    auto next_look_at_ends = Deadline::in_ms(0);
    RegistrationEvents& events = *context_.domain.registration_events();
    while (!missing_.empty() || !unregistered_.empty()) {
      const std::uint64_t seen = events.count();
      // Read before the bindings and registrations: a process may bind itself and end.
      const bool late = deadline.passed();
      std::optional<std::size_t> ended;
      if (late || next_look_at_ends.passed()) {
        ended = ended_part();
        next_look_at_ends = Deadline::in_ms(kEndsInterval.count());
      }
      if (take_bindings() || take_registrations()) {
        interval = kShortestPoll;
        continue;
      }
      if (ended) fail_ended(*ended);
      if (late) fail_late();
      events.wait(seen, interval);
      interval = std::min(interval * 2, kLongestPoll);
    }
    context_.record.store();
  }

 private:
  /// Takes the parts that have bound themselves since. Returns whether there are any.
  bool take_bindings() {
    if (missing_.empty()) return false;
    std::vector<std::pair<std::string, std::size_t>> found;
    for (const std::string& name : bound_names()) {
      if (const auto part = missing_.find(name); part != missing_.end()) found.push_back(*part);
    }
    run_concurrently(found.size(), [&](std::size_t i) { take(found[i].first, found[i].second); });
    for (const auto& [name, part] : found) missing_.erase(name);
    return !found.empty();
  }

  bool take_registrations() {
    if (!context_.registry) return false;
    const auto registrations = context_.registry->take();
    if (registrations.empty()) return false;
    for (const DeploymentRegistry::Registration& each : registrations) {
      if (context_.plan.parts[each.part].is_factory) {
        take_factory(each);
      } else {
        context_.components[each.part] = narrow_component(context_.calls.object(each.object), true);
        context_.ports[each.part] = each.provides;
      }
      unregistered_.erase(each.part);
    }
    context_.record.change_later([&](Application& record) {
      for (const DeploymentRegistry::Registration& each : registrations)
        record.components[each.part].reference = context_.domain.orb()->object_to_string(each.object);
    });
    return true;
  }

  void take_factory(const DeploymentRegistry::Registration& registration) {
    auto& factory = context_.component_factories[registration.part];
    try {
      factory = context_.calls.narrow<CF::ComponentFactory>(registration.object);
    } catch (const CORBA::Exception&) {
      context_.fail_call(registration.part, "reached");
    }
    if (!factory)
      throw DeploymentFailure(context_.text(registration.part) +
                              " has registered an object that is no CF::ComponentFactory");
  }

  std::vector<std::string> bound_names() const {
    std::vector<std::string> names;
    try {
      CosNaming::BindingList bindings;
      IDL::traits<CosNaming::BindingIterator>::ref_type rest;
      naming_->list(kMostBindings, bindings, rest);
      if (rest) rest->destroy();
      for (const auto& binding : bindings) {
        if (binding.binding_name().size() == 1) names.push_back(binding.binding_name().front().id());
      }
    } catch (const CORBA::Exception&) {
      throw DeploymentFailure("the naming context of the application cannot be read: " + printable_reason());
    }
    return names;
  }

  void take(const std::string& name, std::size_t part) {
    std::string reference;
    try {
      const ObjectRef object = naming_->resolve({CosNaming::NameComponent(name, "")});
      adopt(part, object);
      reference = context_.domain.orb()->object_to_string(object);
    } catch (const DeploymentFailure&) {
      throw;
    } catch (const std::exception&) {
      context_.fail_call(part, "reached");
    }
    context_.record.change_later([&](Application& record) { record.components[part].reference = reference; });
  }

  void adopt(std::size_t part, const ObjectRef& object) {
    std::string identifier;
    if (context_.plan.parts[part].is_factory) {
      context_.factories[part] = context_.calls.narrow<CF::ResourceFactory>(object);
      if (!context_.factories[part])
        throw DeploymentFailure(context_.text(part) +
                                " has registered an object that is no CF::ResourceFactory");
      identifier = context_.factories[part]->identifier();
    } else {
      const auto resource = narrow_resource(context_.calls.object(object));
      if (!resource)
        throw DeploymentFailure(context_.text(part) + " has registered an object that is no CF::Resource");
      context_.components[part] = ComponentObject(resource);
      identifier = resource->identifier();
    }
    // Components of other frameworks may have an identifier of their own, but not that of another one here.
    for (const DeploymentPart& other : context_.plan.parts) {
      if (&other == &context_.plan.parts[part] || other.id != identifier) continue;
      throw DeploymentFailure(other.text() + " has registered under the name '" +
                              context_.plan.parts[part].binding + "' of " + context_.text(part));
    }
  }

  std::optional<std::size_t> ended_part() const {
    for (const auto& [name, part] : missing_) {
      if (!end_of(part).empty()) return part;
    }
    for (const std::size_t part : unregistered_) {
      if (!end_of(part).empty()) return part;
    }
    return std::nullopt;
  }
  std::string end_of(std::size_t part) const {
    const DeployedComponent component = context_.record.component(part);
    return context_.domain.process_end(component.device, component.process);
  }

  [[noreturn]] void fail_ended(std::size_t part) const {
    throw DeploymentFailure(context_.text(part) + " has ended before it registered: its process " +
                            printable(end_of(part)));
  }

  [[noreturn]] void fail_late() const {
    std::string text =
        missing_.empty()
            ? context_.text(*unregistered_.begin()) + " has not registered at the component registry"
            : context_.text(missing_.begin()->second) + " has not registered as '" + missing_.begin()->first +
                  "' in the naming service";
    text += " within " + std::to_string(context_.request.limits.registration.count()) + " ms";
    const std::size_t others = missing_.size() + unregistered_.size() - 1;
    if (others > 0) text += ", and so have " + std::to_string(others) + " others not";
    if (context_.registry && !context_.registry->rejected().empty())
      text += "; a registration was rejected: " + context_.registry->rejected();
    for (const std::string& name : bound_names()) {
      const auto& parts = context_.plan.parts;
      if (std::none_of(parts.begin(), parts.end(), [&](auto& part) { return part.binding == name; })) {
        text += "; there is a binding '" + printable(name) + "', which no component should have made";
        break;
      }
    }
    throw DeploymentFailure(text, CF::ErrorNumberType::CF_ETIMEDOUT);
  }

  DeploymentContext& context_;
  const ContextRef naming_;
  std::map<std::string, std::size_t> missing_;  // by binding
  std::set<std::size_t> unregistered_;          // components of SCA 4.1
};

/// The object that a resource factory creates.
ObjectRef create_resource(DeploymentContext& context, std::size_t part, const CF::Properties& qualifiers) {
  const DeploymentPart& planned = context.plan.parts[part];
  const auto object = context.factories[*planned.factory]->createResource(planned.id, qualifiers);
  if (!object) throw std::runtime_error("the resource factory returned no reference");
  context.components[part] = ComponentObject(narrow_resource(context.calls.object(object)));
  return object;
}

/// What a component factory creates, with its provides ports.
CF::ComponentType create_component(DeploymentContext& context, std::size_t part,
                                   const CF::Properties& qualifiers) {
  const DeploymentPart& planned = context.plan.parts[part];
  const CF::ComponentType created =
      context.component_factories[*planned.factory]->createComponent(planned.id, qualifiers);
  if (!created.componentObject()) throw std::runtime_error("the component factory returned no reference");
  for (const CF::PortAccessType& port : created.providesPorts()) {
    if (port.portReference() && planned.package->component.find_provides(port.portName()) != nullptr)
      context.ports[part][port.portName()] = port.portReference();
  }
  context.components[part] = narrow_component(context.calls.object(created.componentObject()), true);
  return created;
}

/// A component factory has the operations of CF::LifeCycle.
void initialize_factory(DeploymentContext& context, std::size_t part) {
  if (!context.component_factories[part]) return;
  try {
    context.component_factories[part]->initialize();
  } catch (const CORBA::Exception&) {
    context.fail_call(part, "initialized");
  }
}

/// Initializes a component of Orbweaver with what it is told before it is connected. False: it has to be
/// initialized in the way of the standard.
bool initialize_own(DeploymentContext& context, std::size_t part) {
  const auto own = own_resource(context.components[part].object());
  if (!own || !context.plan.parts[part].streams) return false;
  try {
    for (const auto& each : own->initialize_with(expected_streams(context.plan.parts[part])))
      if (each.port()) context.ports[part][each.name()] = each.port();
  } catch (const CORBA::BAD_OPERATION&) {  // it is one of an earlier version, and has done nothing
    return false;
  }
  context.own_components[part] = own;
  return true;
}

void create(DeploymentContext& context, std::size_t part, std::size_t component) {
  const DeploymentPart& planned = context.plan.parts[part];
  std::string reference, identifier = planned.id;
  try {
    const CF::Properties qualifiers = factory_qualifiers(context.request.assembly, component);
    ObjectRef object;
    if (planned.is_sca41) {
      const CF::ComponentType created = create_component(context, part, qualifiers);
      object = created.componentObject();
      identifier = created.identifier();
    } else {
      object = create_resource(context, part, qualifiers);
    }
    reference = context.domain.orb()->object_to_string(object);
  } catch (const std::exception&) {
    context.fail_call(part, "created by " + context.plan.parts[*planned.factory].text());
  }
  context.record.change_later([&](Application& record) { record.components[part].reference = reference; });
  // It is released with the others.
  if (identifier != planned.id)
    throw DeploymentFailure(context.text(part) + " was created as component '" + printable(identifier) +
                            "' by " + context.plan.parts[*planned.factory].text());
}

}  // namespace

void await_registrations(DeploymentContext& context) {
  Registrations(context).wait();
  context.registry.reset();
  context.names_flush = std::make_unique<NamesFlush>(context.domain, context.naming);
}

void create_components(DeploymentContext& context) {
  // A factory creates its components in the order of the assembly; factories work concurrently.
  std::map<std::size_t, std::vector<std::size_t>> created;  // components by factory
  for (std::size_t i = 0; i < context.plan.components.size(); ++i) {
    if (const auto factory = context.plan.parts[context.plan.components[i]].factory)
      created[*factory].push_back(i);
  }
  std::vector<std::vector<std::size_t>> lists;
  for (auto& [factory, list] : created) lists.push_back(std::move(list));
  run_concurrently(lists.size(), [&](std::size_t f) {
    initialize_factory(context, *context.plan.parts[context.plan.components[lists[f].front()]].factory);
    for (const std::size_t i : lists[f]) create(context, context.plan.components[i], i);
  });
  if (!lists.empty()) context.record.store();
}

void initialize_components(DeploymentContext& context) {
  run_concurrently(context.plan.components.size(), [&](std::size_t i) {
    const std::size_t part = context.plan.components[i];
    try {
      if (!initialize_own(context, part)) context.components[part].initialize();
    } catch (const CORBA::Exception&) {
      context.fail_call(part, "initialized");
    }
  });
}

}  // namespace orbweaver::sca
