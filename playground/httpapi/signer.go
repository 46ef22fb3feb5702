package httpapi

import (
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"time"

	"kubewalk/playground/api/certificatesv1"
)

// signer signs requests for certificates with the port's CA. (Whoever shows such a certificate is let in as little as without: the port
// knows its token alone.) Upstream: pkg/controller/certificates/authority.
type signer struct{ *credentials }

// ParseRequest implements certificates.X509. Upstream: pkg/apis/certificates/helpers.go, ParseCSR.
func (signer) ParseRequest(text []byte) (*certificatesv1.ParsedRequest, error) {
	r, err := parseRequest(text)
	if err != nil {
		return nil, err
	}
	return &certificatesv1.ParsedRequest{CommonName: r.Subject.CommonName, Organization: r.Subject.Organization, DNSNames: len(r.DNSNames),
		EmailAddresses: len(r.EmailAddresses), IPAddresses: len(r.IPAddresses), URIs: len(r.URIs)}, nil
}

func parseRequest(text []byte) (*x509.CertificateRequest, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "CERTIFICATE REQUEST" {
		return nil, errors.New("PEM block type must be CERTIFICATE REQUEST")
	}
	return x509.ParseCertificateRequest(block.Bytes)
}

// Sign implements certificates.X509. Upstream: authority/authority.go, CertificateAuthority.Sign; authority/policies.go.
func (s signer) Sign(text []byte, usages []certificatesv1.KeyUsage, notBefore, notAfter time.Time) ([]byte, error) {
	r, err := parseRequest(text)
	if err != nil {
		return nil, fmt.Errorf("unable to parse certificate request: %v", err)
	}
	if err := r.CheckSignature(); err != nil {
		return nil, fmt.Errorf("unable to verify certificate request signature: %v", err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 128))
	if err != nil {
		return nil, fmt.Errorf("unable to generate a serial number for %s: %v", r.Subject.CommonName, err)
	}
	template := &x509.Certificate{SerialNumber: serial, Subject: r.Subject, DNSNames: r.DNSNames, IPAddresses: r.IPAddresses,
		EmailAddresses: r.EmailAddresses, URIs: r.URIs, PublicKeyAlgorithm: r.PublicKeyAlgorithm, PublicKey: r.PublicKey,
		BasicConstraintsValid: true, NotBefore: notBefore, NotAfter: notAfter}
	if err := setUsages(template, usages); err != nil {
		return nil, err
	}
	if end := s.ca.NotAfter; !notAfter.Before(end) {
		template.NotAfter = end
	}
	if !notBefore.Before(s.ca.NotAfter) {
		return nil, fmt.Errorf("the signer has expired: NotAfter=%v", s.ca.NotAfter)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, s.ca, r.PublicKey, s.caKey)
	if err != nil {
		return nil, fmt.Errorf("failed to sign certificate: %v", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), nil
}

// NotAfter implements certificates.X509. Upstream: cleaner/cleaner.go, isExpired.
func (signer) NotAfter(text []byte) (time.Time, bool) {
	block, _ := pem.Decode(text)
	if block == nil {
		return time.Time{}, false
	}
	found, err := x509.ParseCertificates(block.Bytes)
	if err != nil || len(found) == 0 {
		return time.Time{}, false
	}
	return found[0].NotAfter, true
}

// Upstream: authority/policies.go.
var (
	keyUsages = map[certificatesv1.KeyUsage]x509.KeyUsage{
		certificatesv1.UsageSigning: x509.KeyUsageDigitalSignature, certificatesv1.UsageDigitalSignature: x509.KeyUsageDigitalSignature,
		certificatesv1.UsageContentCommitment: x509.KeyUsageContentCommitment, certificatesv1.UsageKeyEncipherment: x509.KeyUsageKeyEncipherment,
		certificatesv1.UsageKeyAgreement: x509.KeyUsageKeyAgreement, certificatesv1.UsageDataEncipherment: x509.KeyUsageDataEncipherment,
		certificatesv1.UsageCertSign: x509.KeyUsageCertSign, certificatesv1.UsageCRLSign: x509.KeyUsageCRLSign,
		certificatesv1.UsageEncipherOnly: x509.KeyUsageEncipherOnly, certificatesv1.UsageDecipherOnly: x509.KeyUsageDecipherOnly,
	}
	extendedUsages = map[certificatesv1.KeyUsage]x509.ExtKeyUsage{
		certificatesv1.UsageAny: x509.ExtKeyUsageAny, certificatesv1.UsageServerAuth: x509.ExtKeyUsageServerAuth,
		certificatesv1.UsageClientAuth: x509.ExtKeyUsageClientAuth, certificatesv1.UsageCodeSigning: x509.ExtKeyUsageCodeSigning,
		certificatesv1.UsageEmailProtection: x509.ExtKeyUsageEmailProtection, certificatesv1.UsageSMIME: x509.ExtKeyUsageEmailProtection,
		certificatesv1.UsageIPsecEndSystem: x509.ExtKeyUsageIPSECEndSystem, certificatesv1.UsageIPsecTunnel: x509.ExtKeyUsageIPSECTunnel,
		certificatesv1.UsageIPsecUser: x509.ExtKeyUsageIPSECUser, certificatesv1.UsageTimestamping: x509.ExtKeyUsageTimeStamping,
		certificatesv1.UsageOCSPSigning:  x509.ExtKeyUsageOCSPSigning,
		certificatesv1.UsageMicrosoftSGC: x509.ExtKeyUsageMicrosoftServerGatedCrypto, certificatesv1.UsageNetscapeSGC: x509.ExtKeyUsageNetscapeServerGatedCrypto,
	}
)

// setUsages is upstream's authority/policies.go, keyUsagesFromStrings.
func setUsages(template *x509.Certificate, usages []certificatesv1.KeyUsage) error {
	var unknown []certificatesv1.KeyUsage
	seen := map[x509.ExtKeyUsage]bool{}
	for _, u := range usages {
		if bit, ok := keyUsages[u]; ok {
			template.KeyUsage |= bit
		} else if usage, ok := extendedUsages[u]; !ok {
			unknown = append(unknown, u)
		} else if !seen[usage] {
			seen[usage] = true
			template.ExtKeyUsage = append(template.ExtKeyUsage, usage)
		}
	}
	if len(unknown) > 0 {
		return fmt.Errorf("unrecognized usage values: %q", unknown)
	}
	return nil
}
