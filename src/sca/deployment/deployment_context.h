#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "FrameworkC.h"
#include "sca/cf/component_object.h"
#include "sca/deployment/deployment.h"
#include "sca/deployment/deployment_plan.h"
#include "sca/deployment/deployment_record.h"
#include "sca/deployment/deployment_registry.h"
#include "sca/deployment/limited_calls.h"
#include "sca/deployment/names_flush.h"

namespace orbweaver::sca {

/// What the steps of one deployment share. Each step is a function that takes it, in a file of its own; a
/// step throws DeploymentFailure, or the exception of DeploymentDomain::store. Its functions may be called by
/// several threads.
struct DeploymentContext {
  DeploymentContext(const DeploymentRequest& request, DeploymentDomain& domain,
                    std::vector<DeploymentDevice> present_devices, const DeploymentPlan& plan,
                    DeploymentRecord& record);

  const DeploymentRequest& request;
  DeploymentDomain& domain;
  const DeploymentPlan& plan;
  DeploymentRecord& record;  ///< Its components are parallel to plan.parts.
  const LimitedCalls calls;
  /// For what call_within() calls, and what it undoes.
  const LimitedCalls late_calls, undo_calls;
  std::vector<DeploymentDevice> devices;
  Placement placement;  ///< Set by place_parts(). Its devices are indices into `devices`.
  IDL::traits<CORBA::Object>::ref_type naming;
  /// Set by await_registrations(), after which no names are bound.
  std::unique_ptr<NamesFlush> names_flush;
  /// Where parts register that are components of SCA 4.1; null if there are none.
  std::unique_ptr<DeploymentRegistry> registry;
  /// Parallel to plan.parts, nil until the part has registered; factories and components, respectively.
  std::vector<IDL::traits<CF::ResourceFactory>::ref_type> factories;
  std::vector<IDL::traits<CF::ComponentFactory>::ref_type> component_factories;
  std::vector<ComponentObject> components;
  /// Parallel to plan.parts: the objects of ports by their names. Of a component of SCA 4.1 the provides
  /// ports that it has registered, of one in `own_components` all ports, of others none.
  std::vector<std::map<std::string, IDL::traits<CORBA::Object>::ref_type>> ports;
  /// Parallel to plan.parts: components that have been initialized by initialize_with(), and are connected by
  /// connect_ports(); nil: others.
  std::vector<IDL::traits<framework::ObservableResource>::ref_type> own_components;

  /// The device that executes a part, or the factory that creates it.
  const DeploymentDevice& device_of(std::size_t part) const;
  /// The implementation that was chosen; null if a resource factory creates the part.
  const Implementation* implementation_of(std::size_t part) const;
  /// The chosen implementations of the packages that it depends on, directly or not, each once: in the order
  /// of its dependencies, and before those that they depend on themselves.
  std::vector<const Implementation*> packages_of(std::size_t part) const;
  /// Adds a device that the application uses to Application::devices.
  void add_device(Application& application, const DeploymentDevice& device) const;
  /// "component 'a' on device gpp_1"
  std::string text(std::size_t part) const;
  /// Call in a catch block around call_within(). Whether the device may have performed the call, or may do so
  /// later: it has not answered.
  static bool may_be_performed();
  /// Call in a catch block around a call to a part. Throws DeploymentFailure: "component 'a' on device gpp_1
  /// cannot be initialized: …", with the end of its process if it has ended.
  [[noreturn]] void fail_call(std::size_t part, const std::string& what) const;
};

/// "gpp_1" or "gpp_1 on node node_1"
std::string text_of(const DeploymentDevice& device);

/// Describes the exception of a catch block around a call, in one line of printable text.
std::string printable_reason();

/// What the record of the orders to load and to execute has to survive: with `process`, nothing of the
/// application is left after the end of this machine.
Durability durability_of_orders(const DeploymentContext& context);

// The steps, in their order.

/// Chooses the devices and allocates capacities.
void place_parts(DeploymentContext& context);
/// Checks the values that the caller of create() has given. Raises
/// CF::ApplicationFactory::InvalidInitConfiguration.
void check_initial_values(DeploymentContext& context);
/// Loads the code of the parts and of the packages that they depend on.
void load_code(DeploymentContext& context);
/// Executes the parts that no resource factory creates.
void execute_parts(DeploymentContext& context);
/// Waits until all of them have bound themselves in the naming context, or have registered.
void await_registrations(DeploymentContext& context);
/// Lets the resource factories and component factories create their components.
void create_components(DeploymentContext& context);
/// The streams that the inputs of a component of Orbweaver get.
framework::ExpectedStreamsList expected_streams(const DeploymentPart& part);

/// Calls initialize() of all components.
void initialize_components(DeploymentContext& context);
/// Makes the connections of the assembly.
void make_connections(DeploymentContext& context);
/// Calls configure() of the components. Raises CF::ApplicationFactory::InvalidInitConfiguration.
void configure_components(DeploymentContext& context);

}  // namespace orbweaver::sca
