#include "poa/unmapped_request.h"

#include <memory>
#include <utility>

#include "orb/server/upcall_scope.h"

namespace orbweaver::poa {
namespace {
constexpr std::size_t kMaxKeptIdBytes = 4096;
thread_local std::unique_ptr<UnmappedRequest> spare;
}  // namespace

UnmappedRequest& take_unmapped_request(Bytes id) {
  auto request = spare != nullptr ? std::move(spare) : std::make_unique<UnmappedRequest>();
  request->id.assign(id.begin(), id.end());
  return *request.release();
}

void give_back(UnmappedRequest& request) noexcept {
  std::unique_ptr<UnmappedRequest> done(&request);
  const orb::NoObjectScope no_object(orb::NoObjectScope::Calls::destructor);
  done->servant = nullptr;
  done->owner = nullptr;  // its destructor may make calls, which take another request
  done->locator = nullptr;
  done->cookie = nullptr;
  if (done->id.capacity() <= kMaxKeptIdBytes) spare = std::move(done);
}

}  // namespace orbweaver::poa
