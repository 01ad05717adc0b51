#include <gmock/gmock.h>

#include <fstream>

#include "tls/testing/ends.h"

/// Tests of errors in options and their files, reported before listening or connecting.
namespace orbweaver::tls::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class TlsOptions : public ::testing::Test {
 protected:
  /// Error of the transport's option check; empty: none.
  static std::string option_error(const Parameters& parameters) {
    const auto checked = make_tls()->check(parameters);
    if (checked) return {};
    EXPECT_EQ(checked.error().kind, ErrorKind::invalid);
    return checked.error().message;
  }
  static std::string server_option_error(const Parameters& parameters) {
    const auto listening = make_tls()->listen("", options_with(parameters));
    return listening ? "" : listening.error().message;
  }
  std::string file(const std::string& name, const std::string& content) {
    const std::string path = authority_.directory() / name;
    std::ofstream(path) << content;
    std::filesystem::permissions(path,
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    return path;
  }
  Authority authority_{"Authority"};
  Files files_ = authority_.issue({"me"});
};

TEST_F(TlsOptions, AreAcceptedWhenValid) {
  EXPECT_EQ(option_error({}), "");
  EXPECT_EQ(option_error(with_certificate(files_) + trusting(authority_)), "");
}

TEST_F(TlsOptions, NameAnUnknownKey) {
  EXPECT_THAT(option_error({{"certifcate", "x"}}),
              AllOf(HasSubstr("'certifcate'"), HasSubstr("certificate, ciphers")));
}

TEST_F(TlsOptions, NameTheKeyThatReplacesAFormerOne) {
  EXPECT_THAT(option_error({{"handshake-timeout", "1000"}}),
              HasSubstr("tls has no option 'handshake-timeout': use tls.handshake-timeout-ms=VALUE"));
}

TEST_F(TlsOptions, NameInvalidValues) {
  EXPECT_THAT(option_error({{"verify", "maybe"}}),
              AllOf(HasSubstr("tls.verify"), HasSubstr("'maybe'"), HasSubstr("optional")));
  EXPECT_THAT(option_error({{"min-version", "1.1"}}), HasSubstr("1.2 or 1.3"));
  EXPECT_THAT(option_error({{"max-version", "1.4"}}), HasSubstr("1.2 or 1.3"));
  EXPECT_THAT(option_error({{"min-version", "1.3"}, {"max-version", "1.2"}}), HasSubstr("empty range"));
  EXPECT_THAT(option_error({{"handshake-timeout-ms", "0"}}), HasSubstr("tls.handshake-timeout-ms"));
  EXPECT_THAT(option_error({{"ciphers", "NONSENSE"}}), HasSubstr("openssl ciphers"));
  EXPECT_THAT(option_error({{"ciphersuites", "NONSENSE"}}), HasSubstr("openssl ciphers"));
}

TEST_F(TlsOptions, NameMissingFiles) {
  EXPECT_THAT(option_error({{"certificate", "/no/such.pem"}}),
              AllOf(HasSubstr("tls.certificate /no/such.pem"), HasSubstr("no such file")));
  EXPECT_THAT(option_error({{"certificate", files_.certificate}, {"key", "/no/such.key"}}),
              HasSubstr("tls.key /no/such.key: there is no such file"));
  EXPECT_THAT(option_error({{"ca", "/no/ca.pem"}}), HasSubstr("tls.ca /no/ca.pem: there is no such file"));
  EXPECT_THAT(option_error({{"key", files_.key}}), HasSubstr("needs tls.certificate"));
}

TEST_F(TlsOptions, NameFilesThatAreNotPem) {
  const std::string malformed = file("malformed", "not a certificate\n");
  EXPECT_THAT(option_error({{"certificate", malformed}}), HasSubstr("no certificate in PEM form"));
  EXPECT_THAT(option_error({{"ca", malformed}}), HasSubstr("no certificate in PEM form"));
  EXPECT_THAT(option_error({{"certificate", files_.certificate}, {"key", malformed}}),
              HasSubstr("no private key in PEM form"));
  EXPECT_THAT(option_error({{"certificate", files_.certificate}}),
              HasSubstr("name the key's file by tls.key"));
}

TEST_F(TlsOptions, NameAKeyOfAnotherCertificate) {
  EXPECT_THAT(option_error({{"certificate", files_.certificate}, {"key", authority_.issue({"other"}).key}}),
              AllOf(HasSubstr("does not belong to tls.certificate"), HasSubstr(files_.certificate)));
}

TEST_F(TlsOptions, RequireAPasswordFileForAnEncryptedKey) {
  const std::string encrypted = authority_.directory() / "encrypted.key";
  Authority::encrypt(files_.key, encrypted, "correct horse");
  const Parameters asked{{"certificate", files_.certificate}, {"key", encrypted}};
  EXPECT_THAT(option_error(asked), HasSubstr("tls.key-password-file"));
  const std::string wrong =
      option_error(asked + Parameters{{"key-password-file", file("wrong", "battery staple\n")}});
  EXPECT_THAT(wrong, AllOf(HasSubstr("is not opened by the password"), Not(HasSubstr("staple"))));
  EXPECT_EQ(option_error(asked + Parameters{{"key-password-file", file("right", "correct horse\n")}}), "");
}

TEST_F(TlsOptions, RejectSecretsReadableByOthers) {
  using std::filesystem::perms;
  const auto add = [](const std::string& path, perms more) {
    std::filesystem::permissions(path, more, std::filesystem::perm_options::add);
  };
  add(files_.key, perms::group_read);
  EXPECT_THAT(
      option_error(with_certificate(files_)),
      AllOf(HasSubstr("tls.key " + files_.key), HasSubstr("its mode is 0640"), HasSubstr("chmod 600")));
  const std::string encrypted = authority_.directory() / "kept.key",
                    password = file("seen", "correct horse\n");
  Authority::encrypt(files_.key, encrypted, "correct horse");
  add(password, perms::others_write);
  EXPECT_THAT(option_error(
                  {{"certificate", files_.certificate}, {"key", encrypted}, {"key-password-file", password}}),
              HasSubstr("tls.key-password-file " + password + ": its mode is 0602"));
}

TEST_F(TlsOptions, NameAnExpiredOwnCertificate) {
  CertificateRequest asked{"old"};
  asked.begins_s = -7200;
  asked.ends_s = -3600;
  EXPECT_THAT(option_error(with_certificate(authority_.issue(asked))),
              AllOf(HasSubstr("CN=old"), HasSubstr("expired on"), HasSubstr("renew it")));
  asked = {"future"};
  asked.begins_s = 3000;
  EXPECT_THAT(option_error(with_certificate(authority_.issue(asked))), HasSubstr("not valid before"));
}

TEST_F(TlsOptions, RequireCertificateAndAuthorityOfAServer) {
  EXPECT_THAT(server_option_error(trusting(authority_)), HasSubstr("tls.certificate=FILE"));
  EXPECT_THAT(server_option_error(with_certificate(files_)), HasSubstr("tls.ca=FILE"));
  EXPECT_EQ(server_option_error(with_certificate(files_) + Parameters{{"verify", "none"}}), "");
}

TEST_F(TlsOptions, AcceptCertificateAndKeyInOneFile) {
  const auto content = [](const std::string& path) {
    return std::string(std::istreambuf_iterator<char>(std::ifstream(path).rdbuf()), {});
  };
  EXPECT_EQ(
      option_error({{"certificate", file("both.pem", content(files_.key) + content(files_.certificate))}}),
      "");
}

}  // namespace
}  // namespace orbweaver::tls::testing
