#include "tls/context.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "platform/file_access.h"
#include "tls/identity.h"

namespace orbweaver::tls {
namespace {

namespace fs = std::filesystem;

// Forward secrecy and authenticated encryption only; TLS 1.3 has nothing else.
constexpr const char* kTls12Ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20:DHE+AESGCM:DHE+CHACHA20:!aNULL:!PSK";

Error mend(const std::string& what) { return {Remedy::mend, what}; }

/// Why nothing can be read from there; empty where it can.
std::string unreadable(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return error ? error.message() : "there is no such file";
  if (fs::is_directory(path, error)) return "it is a directory";
  return std::ifstream(path) ? "" : "this user may not read it";
}

/// A file that holds a secret of this end's is for its owner alone.
Result<void> check_secret(const std::string& named, const std::string& path) {
  const std::string exposed = platform::exposure_of_secret(path);
  if (exposed.empty()) return {};
  return mend(named + ": " + exposed + ", so that others than its owner may read or change it: chmod 600 " + path);
}

/// Whether OpenSSL wanted a password, and where it is; without, it would ask on the terminal.
struct Password {
  const std::string& file;
  bool wanted = false;

  static int give(char* room, int bytes, int, void* asked) {
    auto& self = *static_cast<Password*>(asked);
    self.wanted = true;
    std::string password;
    std::ifstream in(self.file);
    if (self.file.empty() || !std::getline(in, password)) return -1;
    const bool fits = password.size() <= static_cast<std::size_t>(bytes);
    if (fits) std::copy(password.begin(), password.end(), room);
    const int given = fits ? static_cast<int>(password.size()) : -1;
    OPENSSL_cleanse(password.data(), password.size());
    return given;
  }
};

Result<void> load_certificate(SSL_CTX* context, const Settings& settings) {
  const std::string named = "tls.certificate " + settings.certificate;
  if (const std::string why = unreadable(settings.certificate); !why.empty()) return mend(named + ": " + why);
  if (SSL_CTX_use_certificate_chain_file(context, settings.certificate.c_str()) != 1) {
    const unsigned long first = ERR_peek_error();
    const unsigned long code = take_error_code();
    const bool none = ERR_GET_LIB(first) == ERR_LIB_PEM && ERR_GET_REASON(first) == PEM_R_NO_START_LINE;
    return mend(named + (none ? ": it holds no certificate in PEM form ('-----BEGIN CERTIFICATE-----')"
                              : ": it cannot be used: " + words_for(code)));
  }
  const X509& certificate = *SSL_CTX_get0_certificate(context);
  if (X509_cmp_current_time(X509_get0_notAfter(&certificate)) < 0) {
    return mend(named + " (" + subject_of(certificate) + ") expired on " + end_of_validity(certificate) +
                ": renew it, or set this machine's clock");
  }
  if (X509_cmp_current_time(X509_get0_notBefore(&certificate)) > 0) {
    return mend(named + " (" + subject_of(certificate) + ") is not valid before " + begin_of_validity(certificate) +
                ": set this machine's clock");
  }
  return {};
}

Result<void> load_key(SSL_CTX* context, const Settings& settings) {
  const bool own_file = settings.key != settings.certificate;
  const std::string named = "tls.key " + settings.key;
  if (const std::string why = unreadable(settings.key); !why.empty()) return mend(named + ": " + why);
  if (!settings.key_password_file.empty()) {
    if (const std::string why = unreadable(settings.key_password_file); !why.empty()) {
      return mend("tls.key-password-file " + settings.key_password_file + ": " + why);
    }
  }
  Password password{settings.key_password_file};
  const BioPtr file(BIO_new_file(settings.key.c_str(), "r"));
  const PkeyPtr key(file ? PEM_read_bio_PrivateKey(file.get(), nullptr, Password::give, &password) : nullptr);
  take_error_code();
  if (!key && password.wanted) {
    return mend(named + (settings.key_password_file.empty()
                             ? " is encrypted: name a file with its password by tls.key-password-file"
                             : " is not opened by the password in " + settings.key_password_file));
  }
  if (!key) {
    return mend(named + (own_file ? ": it holds no private key in PEM form"
                                  : ": it holds a certificate and no private key in PEM form: name the key's file by tls.key"));
  }
  if (auto safe = check_secret(named, settings.key); !safe) return safe;
  if (password.wanted) {
    const std::string& secret = settings.key_password_file;
    if (auto safe = check_secret("tls.key-password-file " + secret, secret); !safe) return safe;
  }
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1) {
    take_error_code();
    return mend(named + " does not belong to tls.certificate " + settings.certificate +
                ": name the key for which the certificate was issued");
  }
  return {};
}

Result<void> load_authorities(SSL_CTX* context, const Settings& settings, Role role) {
  if (settings.ca.empty()) {
    if (role == Role::client && settings.verify != Verify::none) SSL_CTX_set_default_verify_paths(context);
    return {};
  }
  const std::string named = "tls.ca " + settings.ca;
  std::error_code error;
  const bool directory = fs::is_directory(settings.ca, error);
  if (!directory) {
    if (const std::string why = unreadable(settings.ca); !why.empty()) return mend(named + ": " + why);
  }
  const int loaded = directory ? SSL_CTX_load_verify_dir(context, settings.ca.c_str())
                               : SSL_CTX_load_verify_file(context, settings.ca.c_str());
  if (loaded != 1) {
    take_error_code();
    return mend(named + ": it holds no certificate in PEM form ('-----BEGIN CERTIFICATE-----')");
  }
  // What stands there is believed, whether or not it is a root.
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), X509_V_FLAG_PARTIAL_CHAIN);
  if (role == Role::server && !directory) {
    SSL_CTX_set_client_CA_list(context, SSL_load_client_CA_file(settings.ca.c_str()));  // tells clients which to show
  }
  return {};
}

Result<void> set_rules(SSL_CTX* context, const Settings& settings, Role role) {
  if (!settings.tls12 && !settings.tls13) return mend("tls.min-version is 1.3 and tls.max-version is 1.2: nothing is between them");
  SSL_CTX_set_max_proto_version(context, settings.tls13 ? TLS1_3_VERSION : TLS1_2_VERSION);
  SSL_CTX_set_min_proto_version(context, settings.tls12 ? TLS1_2_VERSION : TLS1_3_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET |
                                   SSL_OP_CIPHER_SERVER_PREFERENCE);
  // Connections live long: resuming sessions would buy little, and keeps secrets longer.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_mode(context, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  const std::string& list = settings.ciphers;
  if (SSL_CTX_set_cipher_list(context, list.empty() ? kTls12Ciphers : list.c_str()) != 1) {
    take_error_code();
    return mend("tls.ciphers '" + list + "' names no cipher of TLS 1.2 that there is: `openssl ciphers -v -tls1_2` lists them");
  }
  if (!settings.ciphersuites.empty() && SSL_CTX_set_ciphersuites(context, settings.ciphersuites.c_str()) != 1) {
    take_error_code();
    return mend("tls.ciphersuites '" + settings.ciphersuites +
                "' is no list of cipher suites of TLS 1.3: `openssl ciphers -v -s -tls1_3` lists them");
  }
  int mode = settings.verify == Verify::none ? SSL_VERIFY_NONE : SSL_VERIFY_PEER;
  if (role == Role::server && settings.verify == Verify::required) mode |= SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
  SSL_CTX_set_verify(context, mode, nullptr);
  return {};
}

/// A file's last change; different once it is another.
std::string stamp(const std::string& path) {
  std::error_code error;
  const auto time = fs::last_write_time(path, error).time_since_epoch().count();
  const auto bytes = fs::is_directory(path, error) ? 0 : fs::file_size(path, error);
  return path + '\n' + std::to_string(time) + ' ' + std::to_string(bytes) + '\n';
}

}  // namespace

Result<ContextPtr> make_context(const Settings& settings, Role role) {
  if (role == Role::server) {
    if (settings.certificate.empty()) {
      return mend("a server needs a certificate: -ORBTransportOption tls.certificate=FILE (and tls.key, unless the "
                  "file holds the key, too)");
    }
    if (settings.ca.empty() && settings.verify != Verify::none) {
      return mend("a server needs to know whose clients to believe: -ORBTransportOption tls.ca=FILE, or "
                  "tls.verify=none to let in everybody");
    }
  }
  ContextPtr context(SSL_CTX_new(role == Role::server ? TLS_server_method() : TLS_client_method()), SSL_CTX_free);
  if (!context) return Error{Remedy::give_up, "OpenSSL cannot be used: " + words_for(take_error_code())};
  if (!settings.certificate.empty()) {
    if (auto loaded = load_certificate(context.get(), settings); !loaded) return loaded.take_error();
    if (auto loaded = load_key(context.get(), settings); !loaded) return loaded.take_error();
  }
  if (auto loaded = load_authorities(context.get(), settings, role); !loaded) return loaded.take_error();
  if (auto set = set_rules(context.get(), settings, role); !set) return set.take_error();
  ERR_clear_error();
  return context;
}

Result<ContextPtr> Contexts::get(const Settings& settings, Role role) {
  const std::string made_from = std::to_string(static_cast<int>(role)) + std::to_string(static_cast<int>(settings.verify)) +
                                (settings.tls12 ? "2" : "3") + stamp(settings.certificate) + stamp(settings.key) +
                                stamp(settings.key_password_file) + stamp(settings.ca) + settings.ciphers + '\n' +
                                settings.ciphersuites;
  const std::lock_guard lock(mutex_);
  if (const auto known = made_.find(made_from); known != made_.end()) return known->second;
  auto context = make_context(settings, role);
  if (!context) return context;
  if (made_.size() >= kMost) made_.clear();
  made_.emplace(made_from, *context);
  return context;
}

}  // namespace orbweaver::tls
