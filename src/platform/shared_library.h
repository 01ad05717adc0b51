#pragma once

#include <string>

namespace orbweaver::platform {

/// A shared library loaded at run time. It is never unloaded: its objects may be in use, and its code may be
/// on the stack of a thread, until the process ends.
class SharedLibrary {
 public:
  /// Loads the library at `path`. Returns an empty string, or the system's message: "x.so: undefined symbol:
  /// y".
  std::string load(const std::string& path);
  /// The address of a symbol; null if the library has no such symbol or is not loaded.
  void* find(const char* symbol) const;

 private:
  void* handle_ = nullptr;
};

}  // namespace orbweaver::platform
