#include "etcd/etcd_state.h"

#include <utility>

#include "etcd/etcd_records.h"
#include "platform/broken_pipe_signal.h"

namespace orbweaver::etcd {
namespace {

class EtcdState final : public state::SharedState {
 public:
  explicit EtcdState(LeadershipOptions options) : leadership_(std::move(options)) {}

  Result<bool> lead(const platform::Fd& cancelled, const Told& waiting, Told lost) override {
    return leadership_.acquire(cancelled, waiting, std::move(lost));
  }
  std::unique_ptr<state::RecordStore> open(const std::string& part) override {
    return std::make_unique<EtcdRecords>(leadership_, part);
  }
  void resign() noexcept override { leadership_.resign(); }
  std::string text() const override {
    const EtcdOptions& etcd = leadership_.options().etcd;
    std::string text = etcd.tls ? "etcds://" : "etcd://";
    for (const std::string& server : etcd.servers) text += (text.back() == '/' ? "" : ",") + server;
    return text;
  }

 private:
  Leadership leadership_;
};

}  // namespace

std::unique_ptr<state::SharedState> make_etcd_state(LeadershipOptions options) {
  platform::ignore_broken_pipe_signal();  // the HTTP library sends without MSG_NOSIGNAL
  return std::make_unique<EtcdState>(std::move(options));
}

}  // namespace orbweaver::etcd
