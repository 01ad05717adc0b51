#include "platform/module.h"

#include <dlfcn.h>

namespace orbweaver::platform {

std::string Module::load(const std::string& path) {
  // Now rather than lazily: a missing symbol is an error here, not a crash in the middle of a run.
  handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle_ != nullptr) return {};
  const char* why = ::dlerror();
  return why != nullptr ? why : path + ": cannot be loaded";
}

void* Module::find(const char* symbol) const {
  return handle_ == nullptr ? nullptr : ::dlsym(handle_, symbol);
}

}  // namespace orbweaver::platform
