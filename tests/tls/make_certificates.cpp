// make-certificates DIRECTORY: certificates of an authority, of a server and a client that it has signed, of
// a stranger signed by another authority, and an expired one (old). Writes NAME.pem and NAME.key;
// NAME-both.pem holds both, as omniORB requires. Valid for an hour.
#include <fstream>
#include <iostream>

#include "tls/testing/authority.h"

namespace fs = std::filesystem;
using namespace orbweaver::tls::testing;

namespace {

void keep(const Files& files, const fs::path& at) {
  const auto copy = fs::copy_options::overwrite_existing;
  fs::copy_file(files.certificate, at.string() + ".pem", copy);
  fs::copy_file(files.key, at.string() + ".key", copy);
  std::ofstream(at.string() + "-both.pem")
      << std::ifstream(files.key).rdbuf() << std::ifstream(files.certificate).rdbuf();
  for (const char* secret : {".key", "-both.pem"}) {
    fs::permissions(at.string() + secret, fs::perms::owner_read | fs::perms::owner_write);
  }
}

}  // namespace

int main(int argc, char* argv[]) try {
  if (argc != 2) {
    std::cerr << "usage: make-certificates DIRECTORY\n";
    return 2;
  }
  const fs::path directory = argv[1];
  fs::create_directories(directory);
  Authority ours("Test Authority"), another("Another Authority");
  fs::copy_file(ours.ca(), directory / "ca.pem", fs::copy_options::overwrite_existing);
  keep(ours.issue({"server"}), directory / "server");
  keep(ours.issue({"client"}), directory / "client");
  keep(another.issue({"stranger"}), directory / "stranger");
  CertificateRequest old{"old"};
  old.begins_s = -7200;
  old.ends_s = -3600;
  keep(ours.issue(old), directory / "old");
} catch (const std::exception& problem) {
  std::cerr << "make-certificates: " << problem.what() << '\n';
  return 1;
}
