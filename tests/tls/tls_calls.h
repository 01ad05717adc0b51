#pragma once

#include <gmock/gmock.h>

#include <string>

#include "giop/tagged_components.h"
#include "testing/peer_reporter.h"
#include "testing/test_orb.h"
#include "tls/testing/authority.h"

namespace orbtest {

namespace giop = orbweaver::giop;
namespace tag = orbweaver::giop::component_tag;
using orbweaver::tls::testing::Authority;
using orbweaver::tls::testing::Files;
using WatcherRef = IDL::traits<OrbTest::Watcher>::ref_type;

inline Options operator+(Options all, const Options& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// Profile `number` of a reference, from 0.
inline giop::IiopProfile profile_of(const std::string& reference, std::size_t number = 0) {
  const auto ior = giop::parse_ior(reference);
  EXPECT_TRUE(ior && ior->profiles.size() > number);
  return *giop::decode_iiop_profile(ior->profiles.at(number).data);
}

/// The TLS address of a profile.
inline giop::SslAddress ssl_of(const giop::IiopProfile& profile) {
  const giop::TaggedData* const component = giop::find(profile.components, tag::kSslSecTrans);
  EXPECT_NE(component, nullptr);
  return component == nullptr ? giop::SslAddress{} : *giop::decode_ssl_address(component->data);
}

/// ORBs with certificates of one authority.
class TlsCalls : public ::testing::Test {
 protected:
  Options options(const Files& files) const {
    return {"-ORBTransportPlugin", "liborbweaver-tls.so",
            "-ORBTransportOption", "tls.certificate=" + files.certificate,
            "-ORBTransportOption", "tls.key=" + files.key,
            "-ORBTransportOption", "tls.ca=" + ours_.ca()};
  }
  Options server(const std::string& listen) {
    return options(ours_.issue({"server"})) + Options{"-ORBListen", listen};
  }
  Options client() { return options(ours_.issue({"radio-7", "DNS:radio-7.example"})); }
  static WatcherRef watcher(TestOrb& broker, const std::string& reference) {
    return IDL::traits<OrbTest::Watcher>::narrow(broker.orb->string_to_object(reference));
  }
  /// The text of the exception that a call raises; empty: none.
  static std::string call_error(TestOrb& broker, const std::string& reference) {
    try {
      watcher(broker, reference)->twice(1);
    } catch (const CORBA::SystemException& e) {
      return e.what();
    }
    return {};
  }

  Authority ours_{"Our Authority"};
  CORBA::servant_reference<PeerReporter> who_ = CORBA::make_reference<PeerReporter>();
};

}  // namespace orbtest
