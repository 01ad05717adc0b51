#pragma once

#include <orbweaver/poa.h>

#include <complex>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <orbweaver/deadline.h>
#include <orbweaver/sca/component.h>
#include "OssieInputsS.h"
#include "sca/runtime/input_servant.h"
#include "sca/runtime/ossie_types.h"

namespace orbweaver::sca {

/// What the servants of OSSIE inputs have in common. As InputServant.
template <class Sample>
class OssieInputBase
    : public virtual CORBA::servant_traits<typename OssieInterface<Sample>::Stub>::base_type {
 public:
  using Part = typename OssieInterface<Sample>::Part;

  OssieInputBase(Input<Sample>& port, const Component& owner) : port_(port), owner_(owner) {}

  void pushSamples(const ::orbweaver::stream::StreamHeader& header,
                   std::span<const typename OssieInterface<Sample>::Element> samples) override {
    // False once the component is shut down; a one-way call has no reply that could report it.
    (void)port_.accept(from_idl(header), reinterpret_samples<Sample>(samples));
  }
  void pushMetadata(std::uint64_t stream_id, const ::orbweaver::stream::StreamMetadata& metadata) override {
    port_.accept_metadata(stream_id, from_idl(metadata));
  }
  ::orbweaver::stream::InputStatistics statistics() override { return statistics_of(port_, owner_); }
  std::uint64_t copied_bytes() override { return port_.copied_bytes(); }

 protected:
  /// Adds a packet of a sender that tells nothing but samples: stream 0, whose time of sending is now. A
  /// component that has been shut down ignores it, as that of a stream. With mutex_ locked, so that packets
  /// are added in the order of their numbers.
  void accept(std::span<const Sample> samples) {
    (void)port_.accept({0, next_++, now_ns(), 0, false}, samples);
  }

  std::mutex mutex_;  // senders that wait for space in the queue wait for it

 private:
  Input<Sample>& port_;
  const Component& owner_;
  std::uint64_t next_ = 0;
};

/// Servant of an OSSIE input with real samples.
template <class Sample>
class OssieInputServant final : public OssieInputBase<Sample> {
 public:
  using OssieInputBase<Sample>::OssieInputBase;
  using typename OssieInputBase<Sample>::Part;

  void pushPacket(std::span<const Part> samples) override {
    const std::lock_guard lock(this->mutex_);
    this->accept(reinterpret_samples<Sample>(samples));
  }
};

/// Servant of an OSSIE input with complex samples.
template <class T>
class OssieInputServant<std::complex<T>> final : public OssieInputBase<std::complex<T>> {
 public:
  using OssieInputBase<std::complex<T>>::OssieInputBase;
  using typename OssieInputBase<std::complex<T>>::Part;

  /// Raises BAD_PARAM if the lengths differ.
  void pushPacket(std::span<const Part> i, std::span<const Part> q) override {
    if (i.size() != q.size()) {
      throw CORBA::BAD_PARAM(0, CORBA::CompletionStatus::COMPLETED_NO,
                             "pushPacket: I has " + std::to_string(i.size()) + " samples and Q " +
                                 std::to_string(q.size()) + ": give both the same length");
    }
    const std::lock_guard lock(this->mutex_);
    samples_.resize(i.size());
    for (std::size_t n = 0; n < i.size(); ++n) samples_[n] = {static_cast<T>(i[n]), static_cast<T>(q[n])};
    this->accept(samples_);
  }

 private:
  std::vector<std::complex<T>> samples_;  // reused, so that nothing is allocated in steady state
};

/// Creates the servant for an OSSIE input of any sample type.
CORBA::servant_reference<PortableServer::Servant> make_ossie_input_servant(InputPort& port,
                                                                           const Component& owner);

}  // namespace orbweaver::sca
