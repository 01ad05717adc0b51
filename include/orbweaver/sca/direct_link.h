#pragma once

#include <string>
#include <utility>

#include <orbweaver/sca/component.h>

namespace orbweaver::sca {

/// A link straight into an input of the same process, with no ORB: for tests of components.
template <class Sample>
class DirectLink final : public TypedLink<Sample> {
 public:
  DirectLink(std::string connection_id, Input<Sample>& input)
      : TypedLink<Sample>(std::move(connection_id)), input_(input) {}
  std::string transport() const override { return "direct"; }

 protected:
  bool send(const PacketHeader& header, std::span<const Sample> samples) override {
    return input_.accept(header, samples);
  }

 private:
  Input<Sample>& input_;
};

/// Connects two ports that carry `Sample`; throws std::bad_cast where they do not.
template <class Sample>
void connect_directly(OutputPort& from, InputPort& to, const std::string& connection_id = "direct") {
  dynamic_cast<Output<Sample>&>(from).connect(
      std::make_shared<DirectLink<Sample>>(connection_id, dynamic_cast<Input<Sample>&>(to)));
}

}  // namespace orbweaver::sca
