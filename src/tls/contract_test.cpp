#include "transport/testing/contract.h"

#include "tls/testing/authority.h"
#include "tls/tls.h"
#include "transport/testing/one_system_call.h"

namespace orbweaver::transport::testing {
namespace {

using tls::testing::Authority;

/// TLS with a certificate at each end, issued by an authority that both trust.
class TlsWithCertificates final : public Transport {
 public:
  explicit TlsWithCertificates(const std::string& version) {
    server_.emplace("min-version", version);
    server_.emplace("max-version", version);
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
  Result<std::unique_ptr<Acceptor>> listen(const std::string& address,
                                           const ChannelOptions& options) override {
    return tls_->listen(address, with(server_, options));
  }
  Result<std::unique_ptr<Channel>> connect(const std::string& address, const ChannelOptions& options,
                                           Deadline deadline) override {
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

template <const char* version>
struct TlsFixture {
  static Transport& transport() {
    static TlsWithCertificates transport(version);
    return transport;
  }
  static std::string listen_address() { return ""; }
  static constexpr bool kCrossesProcesses = true;
  static constexpr bool kReliable = true;
  static std::string unavailable() { return ""; }
};

constexpr char k12[] = "1.2", k13[] = "1.3";

TEST(TlsBatch, BatchesFramesInOneRecordAndSystemCall) {
  for (const char* version : {k12, k13}) {
    TlsWithCertificates transport(version);
    Ends ends =
        connect_ends(transport, "", options_for(WaitStrategy::block), options_for(WaitStrategy::block));
    // Reads the data left by the handshake, such as session tickets.
    ASSERT_TRUE(ok(send_frame(*ends.near, 100, 0)));
    ASSERT_TRUE(receives(*ends.far, 100, 0));
    ASSERT_TRUE(ok(send_frame(*ends.far, 100, 0)));
    ASSERT_TRUE(receives(*ends.near, 100, 0));
    expect_one_system_call_each_way(ends, 50, 40);
  }
}

TEST(TlsBatch, KeepsQueuedFramesWhenAFlushTimesOut) {
  TlsWithCertificates transport(k13);
  Ends ends = connect_ends(transport, "", options_for(WaitStrategy::block), options_for(WaitStrategy::block));
  auto& batching = *ends.near->capabilities().batching;
  std::vector<std::uint32_t> sizes;  // of the frames in their order
  const auto send = [&](std::uint32_t bytes) {
    const Result<void> result =
        send_frame(*ends.near, bytes, static_cast<std::uint32_t>(sizes.size()), Deadline{0});
    if (result) sizes.push_back(bytes);
    EXPECT_TRUE(result || fails_with(ErrorKind::timed_out, result));
    return static_cast<bool>(result);
  };
  const auto queue = [&](std::uint32_t bytes) {
    ASSERT_TRUE(ok(queue_frame(*ends.near, bytes, static_cast<std::uint32_t>(sizes.size()))));
    sizes.push_back(bytes);
  };
  // The kernel may still move sent bytes to the receiver, so that there is space again: until a flush fails.
  for (bool full = false; !full;) {
    while (send(10'000)) {
    }
    queue(301);
    queue(302);
    const Result<void> flushed = batching.flush(Deadline{0});
    full = !flushed;
    ASSERT_TRUE(flushed || fails_with(ErrorKind::timed_out, flushed));
  }
  send(303);
  std::thread receiving([&] {
    for (std::uint32_t i = 0; i < sizes.size(); ++i) ASSERT_TRUE(receives(*ends.far, sizes[i], i));
  });
  EXPECT_TRUE(ok(batching.flush(hang_deadline())));
  receiving.join();
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(Plugin, TransportContract,
                         ::testing::Values(transport_case<TlsFixture<k13>>("Tls13"),
                                           transport_case<TlsFixture<k12>>("Tls12")),
                         transport_case_name);

}  // namespace orbweaver::transport::testing
