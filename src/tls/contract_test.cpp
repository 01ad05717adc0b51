#include "transport/testing/contract.h"

#include "tls/testing/authority.h"
#include "tls/tls.h"

namespace orbweaver::transport::testing {
namespace {

using tls::testing::Authority;

/// TLS with a certificate of its own at each end, of an authority that both believe.
class WithCertificates final : public Transport {
 public:
  explicit WithCertificates(const std::string& version) {
    server_.emplace("min-version", version);
    server_.emplace("ca", authority_.ca());
    client_ = server_;
    const auto give = [&](Parameters& to, const std::string& name) {
      const auto files = authority_.issue({name});
      to.emplace("certificate", files.certificate);
      to.emplace("key", files.key);
    };
    give(server_, "server");
    give(client_, "client");
  }

  const char* name() const noexcept override { return "tls"; }
  Result<std::unique_ptr<Acceptor>> listen(const std::string& address, const ChannelOptions& options) noexcept override {
    return tls_->listen(address, with(server_, options));
  }
  Result<std::unique_ptr<Channel>> connect(const std::string& address, const ChannelOptions& options,
                                           Deadline deadline) noexcept override {
    return tls_->connect(address, with(client_, options), deadline);
  }

 private:
  static ChannelOptions with(const Parameters& parameters, ChannelOptions options) {
    options.parameters = std::make_shared<const Parameters>(parameters);
    return options;
  }

  const std::unique_ptr<Transport> tls_ = tls::make_tls();
  Authority authority_{"Contract Authority"};
  Parameters server_, client_;
};

struct Tls13Fixture {
  static Transport& transport() {
    static WithCertificates transport("1.3");
    return transport;
  }
  static std::string listen_address() { return ""; }
  static constexpr bool kCrossesProcesses = true;
  static constexpr bool kReliable = true;
  static std::string unavailable() { return ""; }
};

}  // namespace

INSTANTIATE_TYPED_TEST_SUITE_P(Tls, TransportContract, Tls13Fixture);

}  // namespace orbweaver::transport::testing
