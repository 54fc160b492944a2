// libcrypto. Some calls are macros or variadic, which Swift cannot call, and the calls for elliptic curves need six handles
// each. Every function here takes bytes of the length in its declaration and frees all that it allocates.
#pragma once
#include <limits.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <openssl/param_build.h>
#include <openssl/rand.h>
#include <string.h>

/// Ends a call. Clears the thread's list of errors after a failure: libcurl and libpq read the same list.
static inline int selene_crypto_end(int succeeded) {
    if (!succeeded) ERR_clear_error();
    return succeeded;
}

/// Encrypts (seals 1) or decrypts (seals 0) with AES-GCM and a nonce of 12 bytes. Encryption writes the tag, decryption
/// checks it. Returns 1, or 0 for a wrong tag: then the output must not be used.
static inline int selene_gcm(
    const EVP_CIPHER *cipher, int seals, const unsigned char *key, const unsigned char nonce[12],
    const unsigned char *input, size_t length, unsigned char *output, unsigned char tag[16]
) {
    if (length > INT_MAX) return 0;
    unsigned char end[16];
    int count = 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int done = context != NULL && EVP_CipherInit_ex2(context, cipher, key, nonce, seals, NULL) == 1
        && (length == 0 || EVP_CipherUpdate(context, output, &count, input, (int)length) == 1)
        && (seals || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, tag) == 1)
        && EVP_CipherFinal_ex(context, end, &count) == 1
        && (!seals || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1);
    EVP_CIPHER_CTX_free(context);
    return selene_crypto_end(done);
}

/// Multiplies a point with a number in constant time. Without a number it only checks the point, without a point it takes
/// the generator. Points are uncompressed. Returns 1, or 0 when the point is not on the curve or the result is infinite.
static inline int selene_p256_multiply(
    const EC_GROUP *group, const unsigned char number[32], const unsigned char point[65], unsigned char result[65]
) {
    EC_POINT *value = EC_POINT_new(group);
    BIGNUM *factor = number == NULL ? NULL : BN_bin2bn(number, 32, NULL);
    int done = value != NULL && (number == NULL || factor != NULL)
        && (point == NULL || EC_POINT_oct2point(group, value, point, 65, NULL) == 1)
        && (number == NULL || (point == NULL
            ? EC_POINT_mul(group, value, factor, NULL, NULL, NULL)
            : EC_POINT_mul(group, value, NULL, value, factor, NULL)) == 1)
        && EC_POINT_point2oct(group, value, POINT_CONVERSION_UNCOMPRESSED, result, 65, NULL) == 65;
    BN_clear_free(factor);
    EC_POINT_clear_free(value);
    return selene_crypto_end(done);
}

/// Returns a key for signatures, public when the number is NULL; NULL when the point is not on the curve.
static inline EVP_PKEY *selene_p256_key(const unsigned char point[65], const unsigned char number[32]) {
    EVP_PKEY *key = NULL;
    BIGNUM *factor = number == NULL ? NULL : BN_bin2bn(number, 32, NULL);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    OSSL_PARAM *parameters = NULL;
    int done = builder != NULL && context != NULL
        && OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, SN_X9_62_prime256v1, 0) == 1
        && OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, 65) == 1
        && (number == NULL
            || (factor != NULL && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, factor) == 1))
        && (parameters = OSSL_PARAM_BLD_to_param(builder)) != NULL && EVP_PKEY_fromdata_init(context) == 1
        && EVP_PKEY_fromdata(context, &key, number == NULL ? EVP_PKEY_PUBLIC_KEY : EVP_PKEY_KEYPAIR, parameters) == 1;
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(builder);
    EVP_PKEY_CTX_free(context);
    BN_clear_free(factor);
    selene_crypto_end(done);
    return key;
}

/// Reads the number of a private key in DER (PKCS #8 or SEC 1). Returns 1, or 0 for other bytes and other curves.
static inline int selene_p256_read(const unsigned char *der, long length, unsigned char number[32]) {
    const unsigned char *end = der;
    char group[32] = "";
    BIGNUM *factor = NULL;
    EVP_PKEY *key = d2i_AutoPrivateKey(NULL, &end, length);
    int done = key != NULL && end == der + length && EVP_PKEY_get_group_name(key, group, sizeof group, NULL) == 1
        && strcmp(group, SN_X9_62_prime256v1) == 0
        && EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &factor) == 1
        && BN_bn2binpad(factor, number, 32) == 32;
    BN_clear_free(factor);
    EVP_PKEY_free(key);
    return selene_crypto_end(done);
}

/// Signs the hash of a message. Writes r and s. Returns 1, or 0.
static inline int selene_p256_sign(EVP_PKEY *key, const unsigned char hash[32], unsigned char signature[64]) {
    unsigned char der[80];
    const unsigned char *start = der;
    size_t length = sizeof der;
    ECDSA_SIG *parts = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    int done = context != NULL && EVP_PKEY_sign_init(context) == 1
        && EVP_PKEY_sign(context, der, &length, hash, 32) == 1
        && (parts = d2i_ECDSA_SIG(NULL, &start, (long)length)) != NULL
        && BN_bn2binpad(ECDSA_SIG_get0_r(parts), signature, 32) == 32
        && BN_bn2binpad(ECDSA_SIG_get0_s(parts), signature + 32, 32) == 32;
    ECDSA_SIG_free(parts);
    EVP_PKEY_CTX_free(context);
    return selene_crypto_end(done);
}

/// Writes r and s as DER of at most 80 bytes. Returns its length, or 0.
static inline int selene_p256_signature(const unsigned char signature[64], unsigned char der[80]) {
    unsigned char *end = der;
    int length = 0;
    BIGNUM *r = BN_bin2bn(signature, 32, NULL), *s = BN_bin2bn(signature + 32, 32, NULL);
    ECDSA_SIG *parts = ECDSA_SIG_new();
    if (r != NULL && s != NULL && parts != NULL && ECDSA_SIG_set0(parts, r, s) == 1) {
        r = s = NULL;
        length = i2d_ECDSA_SIG(parts, &end);
    }
    BN_free(r);
    BN_free(s);
    ECDSA_SIG_free(parts);
    return selene_crypto_end(length > 0) ? length : 0;
}

/// Returns 1 when r and s sign the hash of a message, else 0.
static inline int selene_p256_verify(EVP_PKEY *key, const unsigned char hash[32], const unsigned char signature[64]) {
    unsigned char der[80];
    int length = selene_p256_signature(signature, der);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    int done = length > 0 && context != NULL && EVP_PKEY_verify_init(context) == 1
        && EVP_PKEY_verify(context, der, (size_t)length, hash, 32) == 1;
    EVP_PKEY_CTX_free(context);
    return selene_crypto_end(done);
}

/// Returns 1 when a signature of 64 bytes is the key's signature of a message (Ed25519), else 0.
static inline int selene_ed25519_verify(
    const unsigned char key[32], const unsigned char *message, size_t length, const unsigned char signature[64]
) {
    EVP_PKEY *point = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, key, 32);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int done = point != NULL && context != NULL && EVP_DigestVerifyInit(context, NULL, NULL, NULL, point) == 1
        && EVP_DigestVerify(context, signature, 64, message, length) == 1;
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(point);
    return selene_crypto_end(done);
}
