#include <orbweaver/sca/context.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace orbweaver::sca {

Context Context::from_arguments(const std::vector<std::string>& arguments) {
  if (arguments.size() % 2 != 0) {
    throw std::invalid_argument(
        "the arguments must be pairs of property id and value; the last, '" + arguments.back() +
        "', has no partner (a core framework starts components, such as `orbweaver run`)");
  }
  Context context;
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    if (!context.values_.emplace(arguments[i], arguments[i + 1]).second) {
      throw std::invalid_argument("the argument '" + arguments[i] + "' is given twice");
    }
  }
  return context;
}

void Context::set(std::string id, PropertyValue value) {
  values_.insert_or_assign(std::move(id), std::move(value));
}

const PropertyValue* Context::value(std::string_view id) {
  requested_.emplace_back(id);
  const auto found = values_.find(id);
  return found == values_.end() ? nullptr : &found->second;
}

const std::string* Context::find(std::string_view id) {
  const PropertyValue* const found = value(id);
  return found == nullptr || found->form != PropertyForm::simple ? nullptr : &found->text;
}

const std::string& Context::required(std::string_view id) {
  const std::string* value = find(id);
  if (value == nullptr) {
    std::string name = "'";  // not "'" + std::string(id): GCC 12 warns without reason (-Wrestrict)
    name.append(id).append("'");
    throw std::invalid_argument(
        "the argument " + name + " is missing: declare " + name +
        " in the PRF, of kind execparam with a value (a core framework starts components, such as "
        "`orbweaver run`)");
  }
  return *value;
}

std::string Context::identifier() {
  const std::string* id = find("COMPONENT_IDENTIFIER");
  return id != nullptr ? *id : "component";
}

std::size_t Context::streams_expected(std::string_view port) {
  const std::string* list = find("STREAMS_EXPECTED");
  if (list == nullptr) return 1;
  std::string_view rest = *list;
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    const auto equals = item.find('=');
    if (equals == std::string_view::npos || item.substr(0, equals) != port) continue;
    std::size_t count = 0;
    std::from_chars(item.data() + equals + 1, item.data() + item.size(), count);
    return count;
  }
  return 0;  // the assembly connects nothing to this port
}

bool Context::is_direct_input(std::string_view port) {
  const std::string* list = find("DIRECT_INPUTS");
  std::string_view rest = list != nullptr ? *list : std::string_view();
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(','));
    if (item == port) return true;
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
  }
  return false;
}

std::vector<std::string> Context::unknown() const {
  std::vector<std::string> ids;
  for (const auto& [id, value] : values_) {
    if (std::find(requested_.begin(), requested_.end(), id) == requested_.end()) ids.push_back(id);
  }
  return ids;
}

}  // namespace orbweaver::sca
