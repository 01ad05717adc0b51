// The times of each packet, in a file that sender and receiver map.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace orbweaver::bench {

/// Times of one packet, of steady_ns(), which is the same clock in all processes. 0: not reached.
struct PacketStamps {
  std::int64_t called_ns = 0;      ///< before the sender's call
  std::int64_t returned_ns = 0;    ///< after it: the transport has the message
  std::int64_t dispatched_ns = 0;  ///< in the servant's operation, with the samples as its argument
  std::int64_t queued_ns = 0;      ///< before the port's queue gets the packet, which has its own samples
  std::int64_t inserted_ns = 0;    ///< after that, when the processing thread has been notified
  std::int64_t processed_ns = 0;   ///< in the processing thread of the port, with the samples

  // Of interceptors (ProfileSettings::interceptors).
  std::int64_t stub_ns = 0;      ///< in the sender, at the end of the stub: before arguments are marshalled
  std::int64_t sent_ns = 0;      ///< in the sender: the transport has the message
  std::int64_t received_ns = 0;  ///< in the receiver, before the skeleton: header decoded, servant found
};

/// The stamps of all packets. The mapping is shared and its memory is touched, so that a stamp costs no page
/// fault. Functions throw std::system_error.
class StampFile {
 public:
  /// Creates the file, or maps an existing one with so many packets.
  enum class Mode { create, open };
  StampFile(const std::string& path, std::size_t packets, Mode mode);
  ~StampFile();
  StampFile(const StampFile&) = delete;
  StampFile& operator=(const StampFile&) = delete;

  std::span<PacketStamps> packets() { return {stamps_, count_}; }

 private:
  PacketStamps* stamps_ = nullptr;
  std::size_t count_;
};

}  // namespace orbweaver::bench
