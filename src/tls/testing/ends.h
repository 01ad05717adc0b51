#pragma once

#include "tls/testing/authority.h"
#include "tls/tls.h"
#include "transport/testing/ends.h"

/// Two ends that talk TLS, or do not, and why.
namespace orbweaver::tls::testing {

using transport::Acceptor;
using transport::Channel;
using transport::ChannelOptions;
using transport::Parameters;

/// A transport's option with each value; later ones take the place of those before.
inline Parameters operator+(Parameters all, const Parameters& more) {
  for (const auto& [key, value] : more) all[key] = value;
  return all;
}

inline Parameters showing(const Files& files) { return {{"certificate", files.certificate}, {"key", files.key}}; }
inline Parameters believing(const Authority& authority) { return {{"ca", authority.ca()}}; }

inline ChannelOptions options_with(const Parameters& parameters) {
  ChannelOptions options = transport::testing::options_for();
  options.parameters = std::make_shared<const Parameters>(parameters);
  return options;
}

/// A server whose acceptor serves in a thread: it echoes, and tells whom it has let in.
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
  std::uint16_t port() const { return static_cast<std::uint16_t>(std::stoi(address().substr(address().rfind(':') + 1))); }
  /// The peers let in so far, in that order.
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
  std::vector<std::unique_ptr<transport::testing::Echo>> echoes_;  // after the channels: destroyed before them
  std::thread accepting_;
};

inline Result<std::unique_ptr<Channel>> connect(const std::string& address, const Parameters& parameters,
                                                Deadline deadline = Deadline::in_ms(120'000)) {
  static const std::unique_ptr<transport::Transport> tls = make_tls();
  return tls->connect(address, options_with(parameters), deadline);
}

/// A question and its answer. With TLS 1.3 a client learns only now whether the server has let it in.
inline Result<void> exchange(Channel& channel) {
  if (auto sent = transport::testing::send_frame(channel, 100, 1, Deadline::in_ms(120'000)); !sent) return sent;
  auto answer = channel.receive(Deadline::in_ms(120'000));
  if (!answer) return answer.take_error();
  EXPECT_TRUE(transport::testing::is_frame(*answer, 100, 1));
  channel.release();
  return {};
}

/// Connects, asks, and returns what went wrong; empty: nothing.
inline std::string trouble(const std::string& address, const Parameters& parameters) {
  auto channel = connect(address, parameters);
  if (!channel) return channel.error().message;
  if (auto exchanged = exchange(**channel); !exchanged) return exchanged.error().message;
  return {};
}

}  // namespace orbweaver::tls::testing
