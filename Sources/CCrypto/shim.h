#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
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
