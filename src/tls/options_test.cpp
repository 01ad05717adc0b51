#include <gmock/gmock.h>

#include <fstream>

#include "tls/testing/ends.h"

/// What is said where the options or their files are wrong: before anybody listens or connects.
namespace orbweaver::tls::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class TlsOptions : public ::testing::Test {
 protected:
  /// What the transport says of its options; empty: nothing.
  static std::string complaint(const Parameters& parameters) {
    const auto checked = make_tls()->check(parameters);
    if (checked) return {};
    EXPECT_EQ(checked.error().remedy, Remedy::mend);
    return checked.error().message;
  }
  static std::string complaint_of_server(const Parameters& parameters) {
    const auto listening = make_tls()->listen("", options_with(parameters));
    return listening ? "" : listening.error().message;
  }
  std::string file(const std::string& name, const std::string& content) {
    const std::string path = authority_.directory() / name;
    std::ofstream(path) << content;
    std::filesystem::permissions(path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    return path;
  }
  Authority authority_{"Authority"};
  Files files_ = authority_.issue({"me"});
};

TEST_F(TlsOptions, GoodOnesAreAccepted) {
  EXPECT_EQ(complaint({}), "");
  EXPECT_EQ(complaint(showing(files_) + believing(authority_)), "");
}

TEST_F(TlsOptions, AnUnknownOneIsNamedWithThoseThatThereAre) {
  EXPECT_THAT(complaint({{"certifcate", "x"}}), AllOf(HasSubstr("'certifcate'"), HasSubstr("certificate, ciphers")));
}

TEST_F(TlsOptions, BadValuesAreNamed) {
  EXPECT_THAT(complaint({{"verify", "maybe"}}), AllOf(HasSubstr("tls.verify"), HasSubstr("'maybe'"), HasSubstr("optional")));
  EXPECT_THAT(complaint({{"min-version", "1.1"}}), HasSubstr("1.2 or 1.3"));
  EXPECT_THAT(complaint({{"max-version", "1.4"}}), HasSubstr("1.2 or 1.3"));
  EXPECT_THAT(complaint({{"min-version", "1.3"}, {"max-version", "1.2"}}), HasSubstr("nothing is between"));
  EXPECT_THAT(complaint({{"handshake-timeout", "0"}}), HasSubstr("tls.handshake-timeout"));
  EXPECT_THAT(complaint({{"ciphers", "NONSENSE"}}), HasSubstr("openssl ciphers"));
  EXPECT_THAT(complaint({{"ciphersuites", "NONSENSE"}}), HasSubstr("openssl ciphers"));
}

TEST_F(TlsOptions, FilesThatAreMissingAreNamedWithTheirOption) {
  EXPECT_THAT(complaint({{"certificate", "/no/such.pem"}}), AllOf(HasSubstr("tls.certificate /no/such.pem"), HasSubstr("no such file")));
  EXPECT_THAT(complaint({{"certificate", files_.certificate}, {"key", "/no/such.key"}}), HasSubstr("tls.key /no/such.key: there is no such file"));
  EXPECT_THAT(complaint({{"ca", "/no/ca.pem"}}), HasSubstr("tls.ca /no/ca.pem: there is no such file"));
  EXPECT_THAT(complaint({{"key", files_.key}}), HasSubstr("needs tls.certificate"));
}

TEST_F(TlsOptions, FilesThatHoldSomethingElseAreNamed) {
  const std::string rubbish = file("rubbish", "not a certificate\n");
  EXPECT_THAT(complaint({{"certificate", rubbish}}), HasSubstr("no certificate in PEM form"));
  EXPECT_THAT(complaint({{"ca", rubbish}}), HasSubstr("no certificate in PEM form"));
  EXPECT_THAT(complaint({{"certificate", files_.certificate}, {"key", rubbish}}), HasSubstr("no private key in PEM form"));
  EXPECT_THAT(complaint({{"certificate", files_.certificate}}), HasSubstr("name the key's file by tls.key"));
}

TEST_F(TlsOptions, AKeyOfAnotherCertificateIsNamed) {
  EXPECT_THAT(complaint({{"certificate", files_.certificate}, {"key", authority_.issue({"other"}).key}}),
              AllOf(HasSubstr("does not belong to tls.certificate"), HasSubstr(files_.certificate)));
}

TEST_F(TlsOptions, AnEncryptedKeyNeedsItsPasswordAndNobodyIsAsked) {
  const std::string encrypted = authority_.directory() / "encrypted.key";
  Authority::encrypt(files_.key, encrypted, "correct horse");
  const Parameters asked{{"certificate", files_.certificate}, {"key", encrypted}};
  EXPECT_THAT(complaint(asked), HasSubstr("tls.key-password-file"));
  const std::string wrong = complaint(asked + Parameters{{"key-password-file", file("wrong", "battery staple\n")}});
  EXPECT_THAT(wrong, AllOf(HasSubstr("is not opened by the password"), Not(HasSubstr("staple"))));
  EXPECT_EQ(complaint(asked + Parameters{{"key-password-file", file("right", "correct horse\n")}}), "");
}

TEST_F(TlsOptions, RefusesSecretsThatOthersMayRead) {
  using std::filesystem::perms;
  const auto add = [](const std::string& path, perms more) {
    std::filesystem::permissions(path, more, std::filesystem::perm_options::add);
  };
  add(files_.key, perms::group_read);
  EXPECT_THAT(complaint(showing(files_)),
              AllOf(HasSubstr("tls.key " + files_.key), HasSubstr("its mode is 0640"), HasSubstr("chmod 600")));
  const std::string encrypted = authority_.directory() / "kept.key", password = file("seen", "correct horse\n");
  Authority::encrypt(files_.key, encrypted, "correct horse");
  add(password, perms::others_write);
  EXPECT_THAT(complaint({{"certificate", files_.certificate}, {"key", encrypted}, {"key-password-file", password}}),
              HasSubstr("tls.key-password-file " + password + ": its mode is 0602"));
}

TEST_F(TlsOptions, AnExpiredCertificateOfOnesOwnIsNamed) {
  Asked asked{"old"};
  asked.begins_s = -7200;
  asked.ends_s = -3600;
  EXPECT_THAT(complaint(showing(authority_.issue(asked))), AllOf(HasSubstr("CN=old"), HasSubstr("expired on"), HasSubstr("renew it")));
  asked = {"future"};
  asked.begins_s = 3000;
  EXPECT_THAT(complaint(showing(authority_.issue(asked))), HasSubstr("not valid before"));
}

TEST_F(TlsOptions, AServerNeedsACertificateAndSomebodyToBelieve) {
  EXPECT_THAT(complaint_of_server(believing(authority_)), HasSubstr("tls.certificate=FILE"));
  EXPECT_THAT(complaint_of_server(showing(files_)), HasSubstr("tls.ca=FILE"));
  EXPECT_EQ(complaint_of_server(showing(files_) + Parameters{{"verify", "none"}}), "");
}

TEST_F(TlsOptions, OneFileMayHoldTheCertificateAndItsKey) {
  const auto content = [](const std::string& path) {
    return std::string(std::istreambuf_iterator<char>(std::ifstream(path).rdbuf()), {});
  };
  EXPECT_EQ(complaint({{"certificate", file("both.pem", content(files_.key) + content(files_.certificate))}}), "");
}

}  // namespace
}  // namespace orbweaver::tls::testing
