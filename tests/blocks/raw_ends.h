#pragma once

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "platform/hangup_watch.h"
#include "platform/memory.h"
#include "platform/peer_event.h"
#include "platform/pipe.h"
#include "platform/socket.h"
#include "platform/testing/becomes_true.h"
#include "transport/blocks/block_transfer.h"

/// Ends of a connection that exports or imports blocks: the library's, and raw ones for hostile peers.
namespace blocktest {

namespace blocks = orbweaver::transport::blocks;
namespace platform = orbweaver::platform;
using orbweaver::BlockDescription;
using orbweaver::platform::testing::becomes_true;

/// Whether all write ends of a pipe are closed.
inline bool hung_up(const platform::Fd& pipe) {
  return (platform::poll(pipe, platform::kReadable, platform::Deadline::in_ns(0)) & platform::kHungUp) != 0;
}
/// Whether an event is signalled.
inline bool is_signalled(const platform::Fd& event) {
  return (platform::poll(event, platform::kReadable, platform::Deadline::in_ns(0)) & platform::kReadable) !=
         0;
}

/// The library's exporter with a raw importer, which has only the control page, the liveness descriptor and
/// the memory.
class FalseImporter {
 public:
  bool is_given(const void* data, std::size_t bytes) {
    BlockDescription d;
    const bool exported = block_exporter_.export_block(data, bytes, d);
    block_exporter_.sent();
    if (!page_) {
      std::array<std::uint8_t, 64> message;
      platform::recv_fds(sockets_.second, message, fds_, platform::Blocking::no);
      page_ = std::move(platform::map_shared(fds_[1], {{0, platform::page_bytes(), 1}}).mapping);
    }
    return exported;
  }
  blocks::RegionWords& words() { return *reinterpret_cast<blocks::RegionWords*>(page_.data()); }
  /// Signals the return of a block to the exporter.
  void notify() { platform::signal_peer_event(fds_[2]); }
  /// Whether the exporter has signalled a demand or the end of the region.
  bool is_told() const { return is_signalled(fds_[3]); }
  void close_events() {
    fds_[2] = {};
    fds_[3] = {};
  }
  /// Those of this region, and of the exporters before.
  std::span<const platform::Fd> liveness_fds() const { return std::span(fds_).subspan(4); }

 private:
  platform::SocketPair sockets_ = platform::make_socket_pair();
  blocks::BlockExporter block_exporter_{sockets_.first};
  std::array<platform::Fd, 8> fds_;
  platform::Mapping page_;
};

/// The library's exporter and importer in one process.
struct Ends {
  platform::SocketPair sockets = platform::make_socket_pair();
  blocks::BlockExporter exporter{sockets.first};
  blocks::BlockImporter importer{sockets.second};
};

/// Returns when the process's watch has handled all hang-ups before the call.
inline void wait_for_earlier_hang_ups() {
  auto ends = platform::make_socket_pair();
  std::atomic<bool> noticed{false};
  const platform::HangupWatch watch(ends.first, [&] { noticed = true; });
  ends.second = {};
  EXPECT_TRUE(becomes_true([&] { return noticed.load(); }));
}

/// A raw exporter: the socket, and the descriptors of one region.
struct FalseExporter {
  static constexpr std::uint64_t kBytes = 16384;
  struct Message {
    std::uint32_t magic = 0x4c42574f, liveness_fds = 1;
    std::uint64_t bytes = kBytes;
  };
  FalseExporter() { std::memset(memory.mapping.data(), 0, kBytes); }

  void announces(const Message& message, std::initializer_list<int> fds) {
    const std::vector<int> all(fds);
    platform::send_fds(sockets.first, {reinterpret_cast<const std::uint8_t*>(&message), sizeof message}, all,
                       platform::Blocking::no);
    ++announced;
  }
  /// The words of the first region.
  blocks::RegionWords& region_words() { return *reinterpret_cast<blocks::RegionWords*>(mapped.data()); }
  void wants_returns(bool wanted) {
    region_words().returns_wanted = wanted ? 1 : 0;
    if (wanted) platform::signal_peer_event(events.changed);
  }
  void announces_end() {
    region_words().ended = 1;
    platform::signal_peer_event(events.changed);
  }
  /// Imports a block of the last region announced.
  bool is_believed() { return importer.import_block({announced - 1, 0, 0, 4096, 0}, 4096, 8) != nullptr; }

  /// Announces a valid region, the first one of this exporter.
  void announces() { announces({}, {file, words, returned, changed, liveness_fd}); }

  platform::SocketPair sockets = platform::make_socket_pair();
  blocks::RegionEvents events{platform::make_peer_event(), platform::make_peer_event()};
  platform::Pipe liveness = platform::make_pipe();
  std::uint32_t announced = 0;
  platform::ExportedMemory memory = platform::make_exported_memory("test", kBytes);
  platform::Fd page = std::move(platform::make_memory_file("test", platform::page_bytes()).fd);
  // mapped before the importer seals it
  platform::Mapping mapped = std::move(platform::map_shared(page, {{0, platform::page_bytes(), 1}}).mapping);
  int file = memory.file.get(), words = page.get(), returned = events.returned.get(),
      changed = events.changed.get(), liveness_fd = liveness.write.get();
  blocks::BlockImporter importer{sockets.second};
};

}  // namespace blocktest
