// The contract of the programs of `orbweaver bench profile`, one for each subject:
//
//   bench-NAME-profile serve <settings> --stamps FILE --cpu N --scratch DIR
//       prints "ready ADDRESS", serves until killed
//   bench-NAME-profile send  <settings> --stamps FILE --cpu N --address ADDRESS
//       sends the packets, exit 0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "settings.h"
#include "stamps.h"

namespace orbweaver::bench {

/// The arguments of ProfileSubject::serve.
struct ProfileReceiver {
  ProfileSettings settings;
  std::span<PacketStamps> stamps;
  std::string scratch;                                    ///< an empty folder
  std::function<void(const std::string& address)> ready;  ///< call once, when packets can be received
};

/// The arguments of ProfileSubject::send.
struct ProfileSender {
  ProfileSettings settings;
  std::span<PacketStamps> stamps;
  std::string address;
};

/// The two functions of a program. They throw std::exception, whose text is printed on stderr.
struct ProfileSubject {
  /// Receives until the process is killed or the sender has disconnected.
  std::function<void(const ProfileReceiver&)> serve;
  /// Sends the packets, and checks that the receiver has processed all of them with their samples.
  std::function<void(const ProfileSender&)> send;
};

/// Implements `main` of a program. Errors print one line on stderr and return 1.
int profile_subject_main(int argc, char** argv, const ProfileSubject& subject);

/// Calls `prepare(number)`, which writes the samples, and `send(number)` for each packet, with the interval
/// of the settings between two sends, and stamps the send before and after.
void send_profile_packets(const ProfileSender&, const std::function<void(std::uint32_t number)>& prepare,
                          const std::function<void(std::uint32_t number)>& send);

/// First component of sample `index` of packet `number`; the second one is the next value.
inline std::int16_t profile_component(std::uint32_t number, std::size_t index) {
  return static_cast<std::int16_t>((number + index) % 997);
}

/// Fills the samples of a packet: any struct of two shorts, `i` and `q`.
template <class Sample>
void fill_profile_samples(std::vector<Sample>& samples, std::uint32_t number) {
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].i = profile_component(number, i);
    samples[i].q = profile_component(number, i + 1);
  }
}

/// Whether these are the samples of the packet.
template <class Sample>
bool are_profile_samples(std::uint32_t number, const Sample* samples, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (samples[i].i != profile_component(number, i) || samples[i].q != profile_component(number, i + 1))
      return false;
  return true;
}

}  // namespace orbweaver::bench
