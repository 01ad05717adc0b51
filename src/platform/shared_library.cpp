#include "platform/shared_library.h"

#include <dlfcn.h>

namespace orbweaver::platform {

std::string SharedLibrary::load(const std::string& path) {
  // RTLD_NOW: a missing symbol is an error here, not a crash at its first use.
  handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle_ != nullptr) return {};
  const char* why = ::dlerror();
  return why != nullptr ? why : path + ": cannot be loaded";
}

void* SharedLibrary::find(const char* symbol) const {
  return handle_ == nullptr ? nullptr : ::dlsym(handle_, symbol);
}

}  // namespace orbweaver::platform
