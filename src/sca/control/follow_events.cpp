// orbweaver event follow
#include <memory>

#include "CosEventChannelAdminC.h"
#include "base/printable.h"
#include "sca/control/call_error.h"
#include "sca/control/event_text.h"
#include "sca/control/follow.h"
#include "sca/control/followed_calls.h"

namespace orbweaver::sca {
namespace {

using nlohmann::json;

/// Of an event's text. The rest of a longer one is counted; JSON has all of it.
constexpr std::size_t kMaxTextBytes = 4'096;

/// A pull consumer of a channel, disconnected at its end.
class Consumer {
 public:
  /// Throws Error: unavailable if the domain has no such channel.
  Consumer(const DomainClient& client, const ControlOptions& options, std::string channel)
      : channel_(std::move(channel)),
        calls_("the channel '" + channel_ + "' of the domain '" + options.domain + "'") {
    const auto bound =
        IDL::traits<CosEventChannelAdmin::EventChannel>::narrow(client.find_in_domain(channel_));
    if (!bound) {
      throw Error{ErrorKind::unavailable, "the domain '" + options.domain + "' has no event channel '" +
                                              channel_ + "': `orbweaver naming list " + options.domain +
                                              "` shows what it has"};
    }
    proxy_ = bound->for_consumers()->obtain_pull_supplier();
    proxy_->connect_pull_consumer(nullptr);  // which is told of nothing
  }
  ~Consumer() {
    try {
      if (proxy_) proxy_->disconnect_pull_supplier();
    } catch (const CORBA::Exception&) {  // the domain has ended
    }
  }
  Consumer(const Consumer&) = delete;
  Consumer& operator=(const Consumer&) = delete;

  const std::string& channel() const { return channel_; }

  /// Takes the next event; false if there is none. Throws Error if the channel has ended.
  bool take(CORBA::Any& event) {
    bool has_event = false;
    calls_.succeeds([&] {
      try {
        event = proxy_->try_pull(has_event);
      } catch (const CosEventComm::Disconnected&) {
        throw CORBA::OBJECT_NOT_EXIST();
      }
    });
    return has_event;
  }

 private:
  const std::string channel_;
  FollowedCalls calls_;
  IDL::traits<CosEventChannelAdmin::ProxyPullSupplier>::ref_type proxy_;
};

std::string line_of(const CORBA::Any& event, const std::string& channel, bool as_json) {
  EventText read = describe_event(event);
  if (!as_json) return utc_now() + " " + printable(channel + ": " + read.text, kMaxTextBytes) + "\n";
  const json line = {
      {"time", utc_now()}, {"channel", channel}, {"type", read.type}, {"event", std::move(read.value)}};
  return json_line(line);
}

}  // namespace

std::vector<std::string> standard_channels() { return {"IDM_Channel", "ODM_Channel"}; }

Result<void> follow_events(const ControlOptions& options, const std::vector<std::string>& channels,
                           const FollowOutput& output) {
  Result<void> printed;
  const auto followed = execute([&] {
    const DomainClient client(options);
    client.domain();
    std::vector<std::unique_ptr<Consumer>> consumers;
    std::string names;
    for (const std::string& channel : channels) {
      consumers.push_back(std::make_unique<Consumer>(client, options, channel));
      names += (names.empty() ? "" : ", ") + channel;
    }
    output.note("waiting for events of the domain '" + options.domain + "' on " + names);
    while (printed && output.wait(kFollowIntervalMs)) {
      for (const auto& consumer : consumers) {
        CORBA::Any event;
        // wait(0): a channel that is never empty does not delay the end.
        while (printed && consumer->take(event)) {
          printed = output.print(line_of(event, consumer->channel(), options.json));
          if (printed && !output.wait(0)) return std::string();
        }
      }
    }
    return std::string();
  });
  if (!followed) return followed.error();
  return printed;
}

}  // namespace orbweaver::sca
