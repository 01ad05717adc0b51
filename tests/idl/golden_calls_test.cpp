// Calls the generated code for radio.idl in golden/: the stubs, the skeletons and the servant template.
#include <gtest/gtest.h>

#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include "radio_impl.h"

namespace {

// A servant with the code that a user adds to the template.
class Tuner final : public virtual CORBA::servant_traits<Radio::Tuner>::base_type {
 public:
  Radio::Channel now() override { return channel_; }
  std::uint16_t gain() override { return gain_; }
  void gain(std::uint16_t value) override { gain_ = value; }
  Radio::Channel tune(const Radio::Channel& to, Radio::Setting& how, std::uint32_t& settled) override {
    if (to.hertz() > 2e9) throw Radio::OutOfRange(0, 2e9);
    const Radio::Channel before = channel_;
    channel_ = to;
    how.deviation(75e3);
    settled = 42;
    return before;
  }
  void listen(IDL::traits<Radio::Listener>::ref_type) override {}

 private:
  Radio::Channel channel_{100e6, Radio::Mode::FM, "start"};
  std::uint16_t gain_ = 3;
};

class GoldenCalls : public ::testing::Test {
 protected:
  GoldenCalls() { poa_->the_POAManager()->activate(); }
  ~GoldenCalls() override { orb_->destroy(); }

  template <class Servant>
  IDL::traits<Radio::Tuner>::ref_type served() {
    auto servant = CORBA::make_reference<Servant>();
    // Converts the reference to a string and back, so that the client does not share objects with the
    // servant.
    const auto reference = poa_->id_to_reference(poa_->activate_object(servant));
    return IDL::traits<Radio::Tuner>::narrow(orb_->string_to_object(orb_->object_to_string(reference)));
  }

  int argc_ = 1;
  char name_[2] = "t";
  char* argv_[2] = {name_, nullptr};
  IDL::traits<CORBA::ORB>::ref_type orb_ = CORBA::ORB_init(argc_, argv_);
  IDL::traits<PortableServer::POA>::ref_type poa_ =
      IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
};

TEST_F(GoldenCalls, ReachTheServant) {
  const auto tuner = served<Tuner>();
  tuner->gain(17);
  EXPECT_EQ(tuner->gain(), 17);
  Radio::Setting how;
  how.depth(80);
  std::uint32_t settled = 0;
  const Radio::Channel before = tuner->tune(Radio::Channel(433e6, Radio::Mode::AM, "ism"), how, settled);
  EXPECT_EQ(before.name(), "start");
  EXPECT_EQ(how.deviation(), 75e3);
  EXPECT_EQ(settled, 42u);
  EXPECT_EQ(tuner->now().hertz(), 433e6);
  EXPECT_THROW(tuner->tune(Radio::Channel(3e9, Radio::Mode::AM, "far"), how, settled), Radio::OutOfRange);
}

TEST_F(GoldenCalls, RaiseNoImplementInANewServant) {
  const auto tuner = served<Radio::Tuner_impl>();
  EXPECT_THROW(tuner->gain(), CORBA::NO_IMPLEMENT);
}

}  // namespace
