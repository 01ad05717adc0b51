#pragma once

#include "tls/testing/authority.h"
#include "tls/tls.h"
#include "transport/testing/ends.h"

/// TLS clients and servers for tests.
namespace orbweaver::tls::testing {

using transport::Acceptor;
using transport::Channel;
using transport::ChannelOptions;
using transport::Parameters;

/// Merges transport options; later values replace earlier ones.
inline Parameters operator+(Parameters all, const Parameters& more) {
  for (const auto& [key, value] : more) all[key] = value;
  return all;
}

inline Parameters with_certificate(const Files& files) {
  return {{"certificate", files.certificate}, {"key", files.key}};
}
inline Parameters trusting(const Authority& authority) { return {{"ca", authority.ca()}}; }

inline ChannelOptions options_with(const Parameters& parameters) {
  ChannelOptions options = transport::testing::options_for();
  options.parameters = std::make_shared<const Parameters>(parameters);
  return options;
}

/// A server that accepts in a thread, echoes frames and records its peers.
class Server {
 public:
  /// `admits`: as in ChannelOptions.
  explicit Server(const Parameters& parameters, std::function<bool(const Peer&)> admits = {}) {
    ChannelOptions options = options_with(parameters);
    options.admits = std::move(admits);
    auto acceptor = transport_->listen("", options);
    EXPECT_TRUE(transport::testing::ok(acceptor));
    if (!acceptor) return;
    acceptor_ = std::move(*acceptor);
    accepting_ = std::thread([this] { serve(); });
  }
  ~Server() {
    if (acceptor_) acceptor_->close();
    if (accepting_.joinable()) accepting_.join();
    for (auto& channel : channels_) channel->close();
  }

  const std::string& address() const { return acceptor_->address(); }
  std::uint16_t port() const {
    return static_cast<std::uint16_t>(std::stoi(address().substr(address().rfind(':') + 1)));
  }
  /// The peers accepted so far, in order.
  std::vector<Peer> peers() {
    const std::lock_guard lock(mutex_);
    std::vector<Peer> all;
    for (const auto& channel : channels_) all.push_back(channel->peer());
    return all;
  }

 private:
  void serve() {
    while (auto channel = acceptor_->accept()) {
      const std::lock_guard lock(mutex_);
      channels_.push_back(std::move(*channel));
      echoes_.push_back(std::make_unique<transport::testing::Echo>(*channels_.back()));
    }
  }

  const std::unique_ptr<transport::Transport> transport_ = make_tls();
  std::unique_ptr<Acceptor> acceptor_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Channel>> channels_;
  // after the channels: destroyed before them
  std::vector<std::unique_ptr<transport::testing::Echo>> echoes_;
  std::thread accepting_;
};

inline Result<std::unique_ptr<Channel>> connect(const std::string& address, const Parameters& parameters,
                                                Deadline deadline = Deadline::in_ms(120'000)) {
  static const std::unique_ptr<transport::Transport> tls = make_tls();
  return tls->connect(address, options_with(parameters), deadline);
}

/// Sends a frame and receives the reply. With TLS 1.3 a client learns only now whether the server has
/// accepted it.
inline Result<void> exchange(Channel& channel) {
  if (auto sent = transport::testing::send_frame(channel, 100, 1, Deadline::in_ms(120'000)); !sent)
    return sent;
  auto answer = channel.receive(Deadline::in_ms(120'000));
  if (!answer) return answer.take_error();
  EXPECT_TRUE(transport::testing::is_frame(*answer, 100, 1));
  channel.release();
  return {};
}

/// Connects and exchanges a frame; returns the error text, or empty.
inline std::string call_error(const std::string& address, const Parameters& parameters) {
  auto channel = connect(address, parameters);
  if (!channel) return channel.error().message;
  if (auto exchanged = exchange(**channel); !exchanged) return exchanged.error().message;
  return {};
}

}  // namespace orbweaver::tls::testing
