// An etcd for tests.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "etcd/etcd_client.h"
#include "etcd/etcd_options.h"
#include "platform/process.h"
#include "platform/testing/reserved_port.h"

namespace orbweaver::etcd::testing {

/// An etcd of one server on this host, with free ports and a folder of its own, which the test can stop, kill
/// and start again.
class EtcdServer {
 public:
  /// Whether etcd is installed.
  static bool is_installed() { return *ORBWEAVER_ETCD != '\0'; }

  /// `client`: how clients call it, but for the servers; `arguments`: further ones of etcd.
  explicit EtcdServer(EtcdOptions client = {}, std::vector<std::string> arguments = {})
      : client_(std::move(client)), arguments_(std::move(arguments)) {
    client_.servers = {"127.0.0.1:" + port_};
    std::string name = std::filesystem::temp_directory_path() / "orbweaver-etcd-XXXXXX";
    folder_ = mkdtemp(name.data());
    start();
  }
  ~EtcdServer() {
    kill();
    std::filesystem::remove_all(folder_);
  }

  /// Returns when it answers.
  void start() {
    const std::string client = (client_.tls ? "https://127.0.0.1:" : "http://127.0.0.1:") + port_,
                      peer = "http://127.0.0.1:" + peer_port_;
    std::vector<std::string> arguments{"--data-dir",
                                       folder_ / "data",
                                       "--listen-client-urls",
                                       client,
                                       "--advertise-client-urls",
                                       client,
                                       "--listen-peer-urls",
                                       peer,
                                       "--initial-advertise-peer-urls",
                                       peer,
                                       "--initial-cluster",
                                       "default=" + peer};
    arguments.insert(arguments.end(), arguments_.begin(), arguments_.end());
    process_ = platform::ChildProcess();
    if (process_.spawn({ORBWEAVER_ETCD, arguments, {}}) != 0)
      throw std::runtime_error("etcd cannot be started");
    EtcdClient etcd(options());
    const auto answer = etcd.call("/v3/kv/range", {{"key", "eA=="}}, platform::Deadline::in_ms(120'000));
    if (!answer && answer.error().kind != ErrorKind::permission_denied)
      throw std::runtime_error("etcd does not answer: " + answer.error().message);
  }
  void kill() {
    process_.kill();
    process_.reap();
  }
  void stop() { process_.signal(SIGSTOP); }
  void go_on() { process_.signal(SIGCONT); }

  const EtcdOptions& options() const { return client_; }

 private:
  const std::string port_ = platform::testing::reserve_port();
  const std::string peer_port_ = platform::testing::reserve_port();
  EtcdOptions client_;
  const std::vector<std::string> arguments_;
  std::filesystem::path folder_;
  platform::ChildProcess process_;
};

}  // namespace orbweaver::etcd::testing
