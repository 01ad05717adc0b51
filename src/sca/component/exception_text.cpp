#include "sca/component/exception_text.h"

#include <cxxabi.h>

#include <cstdlib>
#include <exception>
#include <memory>
#include <typeinfo>

namespace orbweaver::sca {
namespace {

std::string type_text() {
  const std::type_info* const type = abi::__cxa_current_exception_type();
  if (type == nullptr) return "an exception of unknown type";
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> readable(
      abi::__cxa_demangle(type->name(), nullptr, nullptr, &status), std::free);
  return std::string("an exception of type ") + (status == 0 ? readable.get() : type->name());
}

std::string or_type(const std::string& text) { return text.empty() ? type_text() : text; }

}  // namespace

std::string current_exception_text() {
  try {
    throw;
  } catch (const std::exception& e) {
    return or_type(e.what());
  } catch (const char* text) {
    return or_type(text != nullptr ? text : "");
  } catch (const std::string& text) {
    return or_type(text);
  } catch (...) {
    return type_text();
  }
}

}  // namespace orbweaver::sca
