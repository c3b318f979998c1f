package dev.semel.server.http;

import dev.semel.task.InvalidInput;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/** Reads a certificate chain and its private key from PEM files. */
final class PemFiles {

    private PemFiles() {}

    static SslContextFactory.Server factory(Path certificate, Path privateKey) {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("semel", key(privateKey), new char[0], chain(certificate));
            SslContextFactory.Server factory = new SslContextFactory.Server();
            factory.setKeyStore(store);
            factory.setKeyStorePassword("");
            factory.setIncludeProtocols("TLSv1.3", "TLSv1.2");
            return factory;
        } catch (IOException | GeneralSecurityException e) {
            throw new InvalidInput(
                    "TLS needs a certificate chain and its private key (PKCS 8, not encrypted) in PEM files, but \""
                            + certificate + "\" and \"" + privateKey + "\" cannot be used: " + e.getMessage(),
                    e);
        }
    }

    private static Certificate[] chain(Path file) throws IOException, GeneralSecurityException {
        try (InputStream in = Files.newInputStream(file)) {
            return CertificateFactory.getInstance("X.509")
                    .generateCertificates(in)
                    .toArray(Certificate[]::new);
        }
    }

    private static PrivateKey key(Path file) throws IOException, GeneralSecurityException {
        String pem = Files.readString(file, StandardCharsets.US_ASCII);
        int begin = pem.indexOf("-----BEGIN PRIVATE KEY-----");
        int end = pem.indexOf("-----END PRIVATE KEY-----");
        if (begin < 0 || end < begin) {
            throw new InvalidKeySpecException("the key file has no \"BEGIN PRIVATE KEY\"");
        }
        byte[] bytes = Base64.getMimeDecoder().decode(pem.substring(pem.indexOf('\n', begin), end));
        PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(bytes);
        for (String algorithm : List.of("EC", "RSA", "Ed25519")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(spec);
            } catch (InvalidKeySpecException e) {
                // another algorithm
            }
        }
        throw new InvalidKeySpecException("the key is neither EC, RSA nor Ed25519");
    }
}
