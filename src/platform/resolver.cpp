#include "platform/resolver.h"

#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>

#include "platform/fd.h"
#include "platform/steady_time.h"
#include "platform/system_call.h"
#include "platform/thread.h"

namespace orbweaver::platform {
namespace {

struct Query {
  std::string host;
  std::uint16_t port;
  int flags;
  bool operator<(const Query& other) const noexcept {
    return std::tie(host, port, flags) < std::tie(other.host, other.port, other.flags);
  }
};

/// Blocks until the resolver has an answer. `flags`: of addrinfo. Returns the code of getaddrinfo.
int look_up(const Query& query, int flags, ResolvedAddresses& result) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = query.flags | flags;
  addrinfo* found = nullptr;
  const int problem = getaddrinfo(query.host.empty() ? nullptr : query.host.c_str(),
                                  std::to_string(query.port).c_str(), &hints, &found);
  if (problem != 0) {
    result.problem = problem == EAI_SYSTEM ? error_text(errno) : gai_strerror(problem);
    result.temporary = problem == EAI_AGAIN;
    return problem;
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, freeaddrinfo);
  result.problem.clear();
  for (const addrinfo* a = found; a != nullptr; a = a->ai_next) {
    SocketAddress& address = result.addresses.emplace_back();
    memcpy(address.storage, a->ai_addr, a->ai_addrlen);
    address.length = a->ai_addrlen;
  }
  return 0;
}

/// A lookup in progress, which all callers that ask for the same name share: a name server that does not
/// answer for one name then delays no other names.
struct Lookup {
  std::optional<ResolvedAddresses> result;
};

/// Never destroyed: the threads of lookups may still run during static destruction.
struct Lookups {
  std::mutex mutex;  // guards `running` and the results
  std::condition_variable ended;
  std::map<Query, std::shared_ptr<Lookup>> running;
};
Lookups& lookups() {
  static Lookups& instance = *new Lookups;
  return instance;
}

template <class Condition>
bool wait(std::unique_lock<std::mutex>& lock, Deadline deadline, Condition&& condition) {
  return lookups().ended.wait_until(lock, steady_time(deadline.ns), condition);
}

ResolvedAddresses timed_out() {
  ResolvedAddresses result;
  result.problem = "the name server did not answer in time";
  result.temporary = result.timed_out = true;
  return result;
}

void run(const Query& query, Lookup& lookup) noexcept {
  name_this_thread("ow-resolve");
  ResolvedAddresses found;
  try {
    look_up(query, 0, found);
  } catch (const std::bad_alloc&) {
    found = {};
    found.problem = "out of memory";  // needs none itself
    found.temporary = true;
  }
  Lookups& shared = lookups();
  const std::lock_guard lock(shared.mutex);
  lookup.result = std::move(found);
  shared.running.erase(query);
  shared.ended.notify_all();
}

/// Looks up `query` in a thread of its own, at most until `deadline`.
ResolvedAddresses look_up_until(const Query& query, Deadline deadline) {
  Lookups& shared = lookups();
  std::unique_lock lock(shared.mutex);
  const auto may_begin = [&] {
    return shared.running.size() < kMaxLookups || shared.running.find(query) != shared.running.end();
  };
  if (!wait(lock, deadline, may_begin)) return timed_out();
  const auto [at, begins] = shared.running.try_emplace(query);
  if (begins) {
    try {
      at->second = std::make_shared<Lookup>();
      std::thread([query, lookup = at->second] { run(query, *lookup); }).detach();
    } catch (const std::system_error&) {  // no thread: this one waits for the resolver
      shared.running.erase(at);
      lock.unlock();
      ResolvedAddresses result;
      look_up(query, 0, result);
      return result;
    } catch (...) {
      shared.running.erase(at);
      throw;
    }
  }
  const std::shared_ptr<Lookup> lookup = at->second;
  if (!wait(lock, deadline, [&] { return lookup->result.has_value(); })) return timed_out();
  return *lookup->result;
}

}  // namespace

ResolvedAddresses resolve_tcp(const std::string& host, std::uint16_t port, bool to_listen,
                              Deadline deadline) {
  const Query query{host, port, AI_NUMERICSERV | (to_listen ? AI_PASSIVE : 0)};
  ResolvedAddresses result;
  if (deadline.is_never()) {
    look_up(query, 0, result);
    return result;
  }
  // A numeric address needs no lookup, and EAI_NONAME says that this is none.
  if (look_up(query, AI_NUMERICHOST, result) != EAI_NONAME || host.empty()) return result;
  return look_up_until(query, deadline);
}

}  // namespace orbweaver::platform
