// A source that pushes packets without a pause, for `orbweaver bench monitor`.
#include <orbweaver/sca/component.h>

#include <vector>

namespace {

using namespace orbweaver::sca;

class Source : public Component {
 public:
  using Component::Component;
  ~Source() override { shut_down(); }

 private:
  bool produce() override {
    out_.push(samples_, 1e6);
    return true;
  }

  const std::vector<float> samples_ = std::vector<float>(512);
  Output<float> out_{*this, "out"};
};

}  // namespace

ORBWEAVER_COMPONENT(Source)
