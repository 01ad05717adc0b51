#include "channel.h"

#include <dlfcn.h>

#include <stdexcept>

#include "bench/harness/runner.h"

namespace orbweaver::bench {
namespace {

void* library() {
  static void* const loaded = dlopen((own_folder() + "/liborbweaver_bench_iceoryx2.so").c_str(), RTLD_NOW);
  return loaded;
}

template <class Function>
Function* function(const char* name) {
  void* const found = library() ? dlsym(library(), name) : nullptr;
  if (!found) throw std::runtime_error(std::string("iceoryx2's library has no ") + name);
  return reinterpret_cast<Function*>(found);
}

}  // namespace

bool Channel::built() { return library() != nullptr; }

Channel::Channel(const std::string& folder, std::size_t largest, bool serves, Pattern pattern)
    : send_(function<void(End*, const void*, std::size_t)>("bench_channel_send")),
      receive_(function<std::size_t(End*, void*, std::size_t)>("bench_channel_receive")),
      close_(function<void(End*)>("bench_channel_close")),
      end_(function<End*(const char*, std::size_t, bool, bool)>("bench_channel_open")(
          folder.c_str(), largest, serves, pattern == Pattern::request_response)) {}

Channel::~Channel() { close_(end_); }

}  // namespace orbweaver::bench
