#pragma once

#include <memory>
#include <string>
#include <vector>

#include <orbweaver/sca/component_factory.h>
#include <orbweaver/sca/component_process.h>
#include "CFC.h"

namespace orbweaver::sca {

/// Limit of the components that a factory creates in its life, because released ones stay in memory.
inline constexpr std::size_t kMaxCreatedComponents = 4096;

/// Why a factory has not created a component: what CreateResourceFailure or CreateComponentFailure has.
struct CreationFailure {
  CF::ErrorNumberType number;
  std::string message;
};

/// The classes of which a factory creates components. One thread at a time.
class FactoryClasses {
 public:
  virtual ~FactoryClasses() = default;
  /// A text for the class that the qualifiers ask for. Throws CreationFailure if they cannot ask for any.
  virtual std::string class_of(Context& qualifiers) const = 0;
  /// Creates a component, with its id among the qualifiers. Throws CreationFailure.
  virtual std::unique_ptr<Component> create(Context& qualifiers) = 0;
};

/// The functions of shared libraries, by the qualifiers COMPONENT_LIBRARY and COMPONENT_ENTRY_POINT (by
/// default orbweaver_make_component).
class LibraryClasses final : public FactoryClasses {
 public:
  /// `libraries`: the only libraries that it loads.
  LibraryClasses(std::vector<std::string> libraries, LoadComponent load)
      : libraries_(std::move(libraries)), load_(std::move(load)) {}
  std::string class_of(Context& qualifiers) const override;
  std::unique_ptr<Component> create(Context& qualifiers) override;

 private:
  const std::vector<std::string> libraries_;
  const LoadComponent load_;
};

/// The classes of a ComponentFactory, which exists longer.
class ComponentFactoryClasses final : public FactoryClasses {
 public:
  explicit ComponentFactoryClasses(ComponentFactory& factory) : factory_(factory) {}
  std::string class_of(Context& qualifiers) const override;
  std::unique_ptr<Component> create(Context& qualifiers) override;

 private:
  ComponentFactory& factory_;
};

/// The exec params of a component to be created: its id and its qualifiers. Throws CreationFailure.
Context read_qualifiers(const std::string& id, const CF::Properties& qualifiers);

/// Warns of qualifiers that the class of a component does not have, once it has been created.
void warn_of_unused_qualifiers(Context& context, const std::string& id);

/// In a catch block: throws the exception as a CreationFailure.
[[noreturn]] void rethrow_as_creation_failure();

}  // namespace orbweaver::sca
