#include <orbweaver/sca/component_factory.h>

#include <stdexcept>
#include <utility>

namespace orbweaver::sca {

void ComponentFactory::add(const std::string& name, Create create) {
  if (!classes_.emplace(name, std::move(create)).second)
    throw std::invalid_argument("the factory has two classes named '" + name + "'; rename one of them");
}

std::unique_ptr<Component> ComponentFactory::create(Context& context) {
  const std::string* const name = context.find(kClass);
  const auto found = name != nullptr        ? classes_.find(*name)
                     : classes_.size() == 1 ? classes_.begin()
                                            : classes_.end();
  if (found != classes_.end()) return found->second(context);
  std::string known;
  for (const auto& [each, unused] : classes_) known += (known.empty() ? "" : ", ") + each;
  const std::string problem =
      name != nullptr ? "the factory has no class '" + *name + "'"
                      : std::string("the qualifier ") + kClass +
                            ", which names its class, is missing: declare it in the component's PRF, of kind "
                            "factoryparam";
  throw std::invalid_argument(
      problem + (known.empty() ? "; the factory has no classes" : "; the factory has the classes " + known));
}

}  // namespace orbweaver::sca
