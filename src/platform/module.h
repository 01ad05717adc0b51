#pragma once

#include <string>

namespace orbweaver::platform {

/// A library loaded while the program runs. Stays loaded for good: what it made may be in use, and its
/// code may be on some thread's stack, until the process ends.
class Module {
 public:
  /// Empty, or what is wrong, in the system's words: "x.so: undefined symbol: y".
  std::string load(const std::string& path);
  /// Null where the library has no such symbol.
  void* find(const char* symbol) const;

 private:
  void* handle_ = nullptr;
};

}  // namespace orbweaver::platform
