#pragma once

#include <string>
#include <utility>

#include <orbweaver/sca/component.h>

namespace orbweaver::sca {

/// Connection to an input in the same process, without an ORB: for tests of components. `input` must outlive
/// it.
template <class Sample>
class DirectConnection final : public TypedOutputConnection<Sample> {
 public:
  /// `connection_id`: unique in the output port.
  DirectConnection(std::string connection_id, Input<Sample>& input)
      : TypedOutputConnection<Sample>(std::move(connection_id)), input_(input) {}
  std::string transport() const override { return "direct"; }
  bool uses_blocks() override { return true; }

 protected:
  bool send(const PacketHeader& header, std::span<const Sample> samples) override {
    return input_.accept(header, samples);
  }
  bool send_metadata(const StreamMetadata& metadata) override {
    input_.accept_metadata(this->stream_id(), metadata);
    return true;
  }

 private:
  Input<Sample>& input_;
};

/// Connects two ports of type `Sample`. Throws std::bad_cast if one has another type.
template <class Sample>
void connect_directly(OutputPort& from, InputPort& to, const std::string& connection_id = "direct") {
  dynamic_cast<Output<Sample>&>(from).connect(
      std::make_shared<DirectConnection<Sample>>(connection_id, dynamic_cast<Input<Sample>&>(to)));
}

}  // namespace orbweaver::sca
