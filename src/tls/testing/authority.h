#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "tls/openssl.h"

/// Certificates created during a test. A failure here fails the test.
namespace orbweaver::tls::testing {

/// A directory removed at the end of the test.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "orbweaver-tls-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

struct CertificateRequest {
  std::string name;                                                     ///< The common name.
  std::string alternative_names = "IP:127.0.0.1,IP:::1,DNS:localhost";  ///< In OpenSSL's syntax; empty: none.
  long begins_s = -3600, ends_s = 3600;                                 ///< Seconds from now.
  std::string usage = "serverAuth,clientAuth";
};

/// The files of a certificate and its key.
struct Files {
  std::string certificate, key;
};

/// A certificate authority with a self-signed certificate.
class Authority {
 public:
  /// `ends_s`: end of its validity, in seconds from now.
  explicit Authority(const std::string& name, long ends_s = 3600)
      : key_(new_key()), ca_(directory_ / "ca.pem") {
    certificate_ = make({name, "", -7200, ends_s, ""}, *key_, true);
    write(ca_, [&](std::FILE* file) { return PEM_write_X509(file, certificate_.get()); });
  }

  const std::string& ca() const { return ca_; }
  const TemporaryDirectory& directory() const { return directory_; }

  Files issue(const CertificateRequest& request) {
    const std::string at = directory_ / (std::to_string(++issued_) + "-" + request.name);
    const PkeyPtr key = new_key();
    const X509Ptr certificate = make(request, *key, false);
    Files files{at + ".pem", at + ".key"};
    write(files.certificate, [&](std::FILE* file) { return PEM_write_X509(file, certificate.get()); });
    write_key(files.key, *key);
    return files;
  }

  /// Writes the same key encrypted with a password.
  static void encrypt(const std::string& key_file, const std::string& encrypted_file,
                      const std::string& password) {
    std::FILE* const in = std::fopen(key_file.c_str(), "r");
    const PkeyPtr key(PEM_read_PrivateKey(in, nullptr, nullptr, nullptr));
    std::fclose(in);
    write(encrypted_file, [&](std::FILE* file) {
      return PEM_write_PKCS8PrivateKey(file, key.get(), EVP_aes_128_cbc(), password.data(),
                                       static_cast<int>(password.size()), nullptr, nullptr);
    });
    keep_secret(encrypted_file);
  }

 private:
  static void keep_secret(const std::string& path) {
    using std::filesystem::perms;
    std::filesystem::permissions(path, perms::owner_read | perms::owner_write);
  }
  static PkeyPtr new_key() {
    PkeyPtr key(EVP_EC_gen("P-256"));
    EXPECT_NE(key, nullptr);
    return key;
  }

  template <class Write>
  static void write(const std::string& path, Write&& write_to) {
    std::FILE* const file = std::fopen(path.c_str(), "w");
    ASSERT_NE(file, nullptr) << path;
    EXPECT_EQ(write_to(file), 1);
    std::fclose(file);
  }
  static void write_key(const std::string& path, EVP_PKEY& key) {
    write(path, [&](std::FILE* file) {
      return PEM_write_PrivateKey(file, &key, nullptr, nullptr, 0, nullptr, nullptr);
    });
    keep_secret(path);
  }

  X509Ptr make(const CertificateRequest& request, EVP_PKEY& key, bool authority) {
    X509Ptr made(X509_new());
    X509* const x = made.get();
    X509_set_version(x, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(x), ++serial_);
    X509_gmtime_adj(X509_getm_notBefore(x), request.begins_s);
    X509_gmtime_adj(X509_getm_notAfter(x), request.ends_s);
    X509_NAME* const subject = X509_get_subject_name(x);
    X509_NAME_add_entry_by_txt(subject, "O", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>("Orbweaver Tests"), -1, -1, 0);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(request.name.c_str()), -1, -1, 0);
    X509_set_issuer_name(x, authority ? subject : X509_get_subject_name(certificate_.get()));
    X509_set_pubkey(x, &key);
    extend(x, authority ? x : certificate_.get(), NID_basic_constraints,
           authority ? "critical,CA:TRUE" : "CA:FALSE");
    if (authority) extend(x, x, NID_key_usage, "critical,keyCertSign,cRLSign");
    if (!request.usage.empty()) extend(x, certificate_.get(), NID_ext_key_usage, request.usage);
    if (!request.alternative_names.empty())
      extend(x, certificate_.get(), NID_subject_alt_name, request.alternative_names);
    EXPECT_GT(X509_sign(x, key_.get(), EVP_sha256()), 0);
    return made;
  }
  static void extend(X509* x, X509* issuer, int nid, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, x, nullptr, nullptr, 0);
    X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
    ASSERT_NE(extension, nullptr) << value;
    X509_add_ext(x, extension, -1);
    X509_EXTENSION_free(extension);
  }

  TemporaryDirectory directory_;
  long serial_ = 0;
  int issued_ = 0;
  PkeyPtr key_;
  std::string ca_;
  X509Ptr certificate_;
};

}  // namespace orbweaver::tls::testing
