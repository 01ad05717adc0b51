#include "orb/bidirectional/polled_split.h"

#include <utility>

#include "base/catch_and_log.h"
#include "orb/bidirectional/split_channel.h"
#include "orb/core.h"
#include "orb/server/polled_connection.h"

namespace orbweaver::orb {
namespace {

/// Reads a divided channel for its ends. Its descriptor is a duplicate: the channel may close its own before
/// the reactor removes the handler.
class SplitReader final : public EventHandler {
 public:
  SplitReader(Reactor& reactor, std::shared_ptr<SplitChannel> split, platform::Fd fd)
      : split_(std::move(split)), fd_(std::move(fd)) {
    split_->set_reader([this, &reactor] { reactor.resume(*this); });
  }
  ~SplitReader() override { split_->set_reader(nullptr); }

  int descriptor() noexcept override { return fd_.get(); }
  TurnResult handle_event() noexcept override {
    TurnResult after = TurnResult::remove;
    catch_and_log("reading a bidirectional connection", [&] { after = turn(); });
    if (after == TurnResult::remove) split_->close();
    return after;
  }
  void close_orderly(platform::Deadline) noexcept override {}
  void close_by(platform::Deadline) noexcept override {}

 private:
  TurnResult turn() {
    switch (split_->read_available()) {
      case SplitChannel::ReadResult::wait: return TurnResult::wait;
      case SplitChannel::ReadResult::ready: return TurnResult::ready;
      case SplitChannel::ReadResult::parked: return TurnResult::parked;
      case SplitChannel::ReadResult::ended: break;
    }
    return TurnResult::remove;
  }

  const std::shared_ptr<SplitChannel> split_;
  const platform::Fd fd_;
};

}  // namespace

bool add_polled_lane(Core& core, SplitChannel& split, const transport::Transport& transport,
                     std::unique_ptr<IncomingConnections::Admission> admission,
                     const std::function<void(ServerConnection&)>& set_up) {
  Reactor& reactor = *core.reactor();
  auto end = split.make_end(SplitChannel::Role::server);
  if (end == nullptr) return false;
  auto lane = std::make_shared<PolledConnection>(core, reactor, std::move(end), transport.name(),
                                                 std::move(admission), PolledConnection::Descriptor::none);
  set_up(lane->connection());
  SplitChannel::on_ready(lane->connection().channel(),
                         [&reactor, handler = lane.get()] { reactor.resume(*handler); });
  if (reactor.add(lane)) return true;
  lane->connection().close_orderly(Deadline{0});  // ends this lane only
  return false;
}

bool add_polled_reader(Core& core, const std::shared_ptr<SplitChannel>& split) {
  platform::Fd fd = split->duplicate_descriptor();
  if (fd && core.reactor()->add(std::make_shared<SplitReader>(*core.reactor(), split, std::move(fd))))
    return true;
  split->close();
  static_cast<void>(split->read_available());  // resumes the lanes, which end
  return false;
}

}  // namespace orbweaver::orb
