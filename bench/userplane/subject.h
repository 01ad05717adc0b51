// The contract of the programs of `orbweaver bench userplane`, one for each subject:
//
//   bench-NAME-userplane serve <settings> --board FILE --cpu N --scratch DIR
//       prints "ready ADDRESS", receives until killed
//   bench-NAME-userplane send  <settings> --board FILE --cpu N --address ADDRESS
//       sends the packets of each point, exit 0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "board.h"
#include "packet.h"
#include "settings.h"

namespace orbweaver::bench {

/// The arguments of UserplaneSubject::serve.
struct UserplaneReceiver {
  UserplaneSettings settings;
  UserplaneBoard& board;
  std::string scratch;                                    ///< an empty folder
  std::function<void(const std::string& address)> ready;  ///< call once, when packets can be received
};

/// The arguments of UserplaneSubject::send.
struct UserplaneSender {
  UserplaneSettings settings;
  UserplaneBoard& board;
  std::string address;
};

/// The two functions of a program. They throw std::exception, whose text is printed on stderr.
struct UserplaneSubject {
  /// Passes each packet to a PacketCheck, until the process is killed or the sender has disconnected.
  std::function<void(const UserplaneReceiver&)> serve;
  /// Connects and calls send_points().
  std::function<void(const UserplaneSender&)> send;
};

/// Implements `main` of a program. Errors print one line on stderr and return 1.
int userplane_subject_main(int argc, char** argv, const UserplaneSubject& subject);

/// Where a sender puts its packets. One thread.
class PacketOutput {
 public:
  virtual ~PacketOutput() = default;
  /// Sends a packet, or queues it as the settings say. Its memory may be reused after return.
  virtual void send(std::span<const std::uint8_t> packet) = 0;
  /// Called again and again while the next packet is not due; `now_ns` is steady_ns().
  virtual void idle(std::int64_t now_ns) { (void)now_ns; }
  /// Sends what is queued.
  virtual void flush() {}
};

/// Sends the packets of all points: for each spacing a mark, packets for the duration of the settings, and a
/// mark. Between two packets it polls the clock; after a delay there is no burst. Throws std::runtime_error
/// if the receiver does not receive a mark, which is sent again until then.
void send_points(const UserplaneSender&, PacketOutput&);

}  // namespace orbweaver::bench
