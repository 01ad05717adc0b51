#include "sca/runtime/ossie_connection.h"

#include <utility>
#include <vector>

#include "OssieInputsS.h"
#include "sca/runtime/limited_narrow.h"
#include "sca/runtime/ossie_types.h"
#include "sca/runtime/stream_connection.h"

namespace orbweaver::sca {
namespace {

/// Connection to an input of OSSIE, which gets the samples and nothing else.
template <class Sample>
class OssieConnection final : public TypedOutputConnection<Sample> {
 public:
  using Standard = typename OssieInterface<Sample>::Standard;
  using Part = typename OssieInterface<Sample>::Part;

  OssieConnection(std::string connection_id, typename IDL::traits<Standard>::ref_type target)
      : TypedOutputConnection<Sample>(std::move(connection_id)), target_(std::move(target)) {}

  std::string transport() const override { return transport_to(*target_); }
  bool uses_blocks() override { return false; }

 protected:
  bool send(const PacketHeader&, std::span<const Sample> samples) override {
    if (samples.empty()) return true;  // the end of the stream, which OSSIE cannot be told
    try {
      if constexpr (kIsComplex<Sample>) {
        i_.resize(samples.size());
        q_.resize(samples.size());
        for (std::size_t n = 0; n < samples.size(); ++n) {
          i_[n] = static_cast<Part>(samples[n].real());
          q_[n] = static_cast<Part>(samples[n].imag());
        }
        target_->pushPacket(i_, q_);
      } else {
        target_->pushPacket(reinterpret_samples<Part>(samples));
      }
      this->count_copied(samples.size_bytes());
      return true;
    } catch (const CORBA::Exception& e) {
      report_broken(this->id(), e);
      return false;
    }
  }
  bool send_metadata(const StreamMetadata&) override { return true; }

 private:
  typename IDL::traits<Standard>::ref_type target_;
  std::vector<Part> i_, q_;  // reused, so that nothing is allocated in steady state
};

}  // namespace

std::shared_ptr<OutputConnection> make_ossie_connection(SampleType type, const std::string& connection_id,
                                                        const IDL::traits<CORBA::Object>::ref_type& target,
                                                        std::chrono::milliseconds call_limit) {
  // A private connection, as for streams.
  const auto own = with_private_connection(target);
  return with_ossie_sample(
      type, [&]<class Sample>(std::type_identity<Sample>) -> std::shared_ptr<OutputConnection> {
        using Interface = OssieInterface<Sample>;
        using Stub = typename Interface::Stub;
        // Without a limit: a full queue blocks the sender.
        if (auto stream = narrow_within<Stub>(own, kOssieCallLimit))
          return std::make_shared<StreamConnection<Sample, Interface>>(connection_id, std::move(stream));
        using Standard = typename Interface::Standard;
        auto input = narrow_within<Standard>(own, kOssieCallLimit);
        if (!input) return nullptr;
        input = IDL::traits<Standard>::ref_type::adopt(
            Standard::_make(with_call_limit(input, call_limit)->_reference()));
        return std::make_shared<OssieConnection<Sample>>(connection_id, std::move(input));
      });
}

}  // namespace orbweaver::sca
