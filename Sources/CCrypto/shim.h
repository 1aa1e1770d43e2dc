#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Wrappers for macros and variadic functions, which Swift can't import.

/// A new private key on the curve P-256, which browsers of ten years ago know, too.
static inline EVP_PKEY *cc_new_key(void) { return EVP_EC_gen("P-256"); }

/// Adds an extension, given as text as in OpenSSL's configuration files. Returns 0 if it is invalid.
static inline int cc_extend(X509 *certificate, X509 *issuer, int extension, const char *text) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
  X509_EXTENSION *new = X509V3_EXT_conf_nid(NULL, &context, extension, text);
  if (!new) return 0;
  int result = X509_add_ext(certificate, new, -1);
  X509_EXTENSION_free(new);
  return result;
}

/// Whether the name constraints of an issuer, if it has any, permit all names of a certificate.
static inline int cc_permits(X509 *issuer, X509 *certificate) {
  NAME_CONSTRAINTS *constraints = X509_get_ext_d2i(issuer, NID_name_constraints, NULL, NULL);
  if (!constraints) return 1;
  // Decodes the names, which the check reads.
  X509_check_purpose(certificate, -1, 0);
  int result = NAME_CONSTRAINTS_check(certificate, constraints);
  NAME_CONSTRAINTS_free(constraints);
  return result == X509_V_OK;
}

/// The settings of a TLS server with a certificate, that of its issuer, and its key; NULL if they don't fit.
static inline SSL_CTX *cc_new_server(X509 *certificate, X509 *issuer, EVP_PKEY *key) {
  SSL_CTX *server = SSL_CTX_new(TLS_server_method());
  if (!server) return NULL;
  SSL_CTX_set_mode(server, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
                               | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(server, SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  if (SSL_CTX_set_min_proto_version(server, TLS1_2_VERSION) && SSL_CTX_use_certificate(server, certificate)
      && SSL_CTX_add1_chain_cert(server, issuer) && SSL_CTX_use_PrivateKey(server, key)
      && SSL_CTX_check_private_key(server)) {
    return server;
  }
  SSL_CTX_free(server);
  return NULL;
}
