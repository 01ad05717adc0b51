#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include <orbweaver/sca/component.h>

namespace orbweaver::sca {

/// Base class of factories, which create several components in one process: of CF::ComponentFactory (SCA 4.1,
/// 3.1.3.2) or CF::ResourceFactory (SCA 2.2.2, 3.1.3.1.7), as its exec params ask for. docs/sca.md has a
/// complete factory. Its functions are called by one thread at a time. It exists longer than its components.
class ComponentFactory {
 public:
  /// The qualifier that names the class of a component: a property of kind factoryparam.
  static constexpr const char* kClass = "COMPONENT_CLASS";

  /// `context` provides the exec params of the factory, and is used during construction only.
  explicit ComponentFactory(Context& context) : identifier_(context.identifier()) {}
  virtual ~ComponentFactory() = default;
  ComponentFactory(const ComponentFactory&) = delete;
  ComponentFactory& operator=(const ComponentFactory&) = delete;

  /// Id of the factory's instantiation in the assembly.
  const std::string& identifier() const { return identifier_; }

  /// @name For the code that deploys the factory
  /// @{

  /// Calls initialize().
  void set_up() { initialize(); }
  /// Creates the component that `context` describes. Throws std::exception with a message if it cannot be
  /// created.
  std::unique_ptr<Component> make(Context& context) { return create(context); }
  /// @}

 protected:
  /// Creates a component of a class. `context` provides its id and qualifiers, during construction only.
  using Create = std::function<std::unique_ptr<Component>(Context& context)>;

  /// Adds a class with this name, which is unique in the factory. Call it in the constructor.
  void add(const std::string& name, Create create);
  /// Adds `Class`, a Component that is constructed with the context alone.
  template <class Class>
  void add(const std::string& name) {
    add(name, [](Context& context) { return std::make_unique<Class>(context); });
  }

  /// Called once, before the first component is created. Throws std::runtime_error with a message if the
  /// factory cannot work.
  virtual void initialize() {}
  /// Creates the component that the qualifiers describe: one of the class that COMPONENT_CLASS names, which
  /// can be left out if the factory has only one.
  virtual std::unique_ptr<Component> create(Context& context);

 private:
  const std::string identifier_;
  std::map<std::string, Create> classes_;
};

/// Function that creates a program's component factory; the caller owns the result. Defined by
/// ORBWEAVER_COMPONENT_FACTORY.
using MakeComponentFactory = ComponentFactory* (*)(Context&);

}  // namespace orbweaver::sca

/// Creates the component factory of this program; the caller owns it. Defined by ORBWEAVER_COMPONENT_FACTORY.
extern "C" orbweaver::sca::ComponentFactory* orbweaver_make_component_factory(
    orbweaver::sca::Context& context);

/// Makes `Class` the component factory of the program that orbweaver_component_factory() in CMake builds from
/// this source. Use it once in each.
#define ORBWEAVER_COMPONENT_FACTORY(Class)                                       \
  extern "C" orbweaver::sca::ComponentFactory* orbweaver_make_component_factory( \
      orbweaver::sca::Context& context) {                                        \
    return new Class(context);                                                   \
  }
