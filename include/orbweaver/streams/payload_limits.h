#pragma once

#include <cstdint>
#include <limits>
#include <mutex>

namespace orbweaver::streams {

/// Sizes of the packets of a stream, in elements of the payload, as the JTNC Packet API 2.0.2 defines them
/// (Packet::PayloadStatus). A plain value; valid if 0 < max, desired > 0 and min <= desired <= max.
struct PayloadSizes {
  std::uint32_t max = 1;      ///< Largest payload that the consumer accepts.
  std::uint32_t min = 0;      ///< Smallest payload that the producer sends before the time-out.
  std::uint32_t desired = 1;  ///< Payload for which the consumer is most efficient.
  /// Time after which the producer sends a payload smaller than `min`, in milliseconds.
  std::uint32_t min_override_timeout_ms = 0;
};

/// The payload sizes of one end of a stream, of which one at a time can be changed: the values behind
/// Packet::PayloadStatus and Packet::PayloadControl. Any thread.
class PayloadLimits {
 public:
  /// `largest`: bound of `max`, the capacity of this end. Throws std::invalid_argument for sizes that are not
  /// valid or exceed it.
  explicit PayloadLimits(const PayloadSizes& sizes,
                         std::uint32_t largest = std::numeric_limits<std::uint32_t>::max());

  /// The sizes now.
  PayloadSizes sizes() const;

  /// Changes one size. False if the sizes would not be valid or `size` exceeds the capacity: nothing changes.
  [[nodiscard]] bool set_max(std::uint32_t size);
  /// As set_max.
  [[nodiscard]] bool set_min(std::uint32_t size);
  /// As set_max.
  [[nodiscard]] bool set_desired(std::uint32_t size);
  /// Changes the time-out. Every value is valid.
  void set_min_override_timeout_ms(std::uint32_t timeout_ms);

 private:
  bool replace(std::uint32_t PayloadSizes::*member, std::uint32_t size);

  mutable std::mutex mutex_;
  PayloadSizes sizes_;
  const std::uint32_t largest_;
};

}  // namespace orbweaver::streams
