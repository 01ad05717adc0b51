#include "known_subjects.h"

#include <algorithm>
#include <array>

namespace orbweaver::bench {
namespace {

constexpr auto kSubjects = std::to_array<KnownSubject>({
    {"floor", ""},
    {"orbweaver", ""},
    {"orbweaver-micro", ""},
    {"omniorb", "Debian: libomniorb4-dev omniidl"},
    {"omniorb-pypi", "bench/lab/fetch-peers build omniorb"},
    {"jacorb", "bench/lab/fetch-peers build jacorb; Debian: default-jdk-headless"},
    {"iceoryx2", "cargo 1.89 or later: bench/lab/fetch-peers build cargo"},
    {"iceoryx2-rr", "cargo 1.89 or later: bench/lab/fetch-peers build cargo"},
    {"zeromq", "Debian: libzmq3-dev pkg-config"},
    {"capnp", "Debian: libcapnp-dev capnproto pkg-config"},
    {"grpc", "Debian: libgrpc++-dev libprotobuf-dev protobuf-compiler-grpc pkg-config"},
    {"ice", "Debian: libzeroc-ice-dev zeroc-ice-compilers"},
    {"cyclonedds", "Debian: cyclonedds-dev cyclonedds-tools iceoryx"},
});

}  // namespace

std::span<const KnownSubject> known_subjects() { return kSubjects; }

std::string names_of_subjects() {
  std::string all;
  for (const KnownSubject& each : known_subjects()) {
    if (each.name == "floor") continue;
    all += all.empty() ? "" : ", ";
    all += each.name;
  }
  return all;
}

std::string_view how_to_get(std::string_view subject) {
  const auto found = std::find_if(kSubjects.begin(), kSubjects.end(),
                                  [&](const KnownSubject& each) { return each.name == subject; });
  return found == kSubjects.end() ? std::string_view() : found->how_to_get;
}

}  // namespace orbweaver::bench
