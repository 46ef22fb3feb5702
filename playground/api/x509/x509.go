// Package x509 reads certificates, and verifies the one that a server shows to a client that knows some authorities.
//
// Simplified: signatures are not checked. A certificate counts as issued by another if that one has the issuer's name and, where both say
// it, the issuer's key. Of names, only those of DNS are read. Absent: policies, constraints of names, lengths of paths.
//
// Upstream: Go's crypto/x509, verify.go and parser.go, whose words the errors have; client-go's transport/transport.go.
package x509

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// What a server may show besides certificates in PEM.
const (
	Plain      = ""            // nothing: it speaks no TLS
	SelfSigned = "self-signed" // a certificate that it has made itself, at its start
	Trusted    = "trusted"     // a certificate for whatever name it is asked by, of an authority that every machine knows
)

// certificate is what is read of one.
type certificate struct {
	raw, issuer, subject []byte
	keyID, issuerKeyID   []byte // may be empty
	algorithm            []byte // of the signature
	notBefore, notAfter  time.Time
	named                bool // has alternative names
	names                []string
	basic, authority     bool // has basic constraints, and may issue
	usages               [][]byte
}

// authorities reads the certificates in PEM. Those that cannot be read are left out.
// Upstream: crypto/x509/cert_pool.go, CertPool.AppendCertsFromPEM.
func authorities(text []byte) (out []*certificate) {
	for rest := string(text); ; {
		kind, raw, after := decode(rest)
		if raw == nil {
			return out
		}
		if rest = after; kind == "CERTIFICATE" {
			if c := parse(raw); c != nil {
				out = append(out, c)
			}
		}
	}
}

// decode finds the next block of PEM; without one, raw is nil. One with headers has another kind. Upstream: encoding/pem, Decode.
func decode(text string) (kind string, raw []byte, rest string) {
	for {
		_, after, _ := strings.Cut(text, "-----BEGIN ")
		label, after, _ := strings.Cut(after, "-----")
		body, after, ok := strings.Cut(after, "-----END "+label+"-----")
		if !ok {
			return "", nil, ""
		}
		if strings.Contains(body, ":") {
			return "with headers", []byte{}, after
		}
		if raw, err := base64.StdEncoding.DecodeString(body); err == nil {
			return label, raw, after
		}
		text = after
	}
}

// CheckBundle says what is wrong with the certificates of authorities; none at all are right.
// Upstream: client-go/transport/transport.go, rootCertPool and createErrorParsingCAData.
func CheckBundle(bundle []byte) error {
	if len(bundle) == 0 || len(authorities(bundle)) > 0 {
		return nil
	}
	text := "no valid certificate authority data seen"
	for rest := string(bundle); rest != ""; {
		kind, raw, after := decode(rest)
		if raw == nil {
			text = "unable to parse bytes as PEM block"
			break
		}
		if rest = strings.TrimLeft(after, "\r\n"); kind == "CERTIFICATE" {
			text = "failed to parse certificate: x509: malformed certificate"
			break
		}
	}
	return errors.New("unable to load root certificates: " + text)
}

// Verify verifies what a server shows, for a name. Without a bundle the client knows the authorities that every machine knows.
// Upstream: crypto/tls/handshake_client.go, Conn.verifyServerCertificate.
func Verify(shown string, bundle []byte, name string, now time.Time) error {
	if shown == Plain {
		return errors.New("http: server gave HTTP response to HTTPS client")
	}
	err := verify(shown, bundle, name, now)
	if err != nil {
		err = fmt.Errorf("tls: failed to verify certificate: x509: %w", err)
	}
	return err
}

var errUnknown = errors.New("certificate signed by unknown authority")

// Upstream: crypto/x509/verify.go, Certificate.Verify.
func verify(shown string, bundle []byte, name string, now time.Time) error {
	switch {
	case shown == Trusted && len(bundle) == 0:
		return nil
	case shown == Trusted || shown == SelfSigned:
		return errUnknown
	}
	chain := authorities([]byte(shown))
	if len(chain) == 0 {
		return errors.New("malformed certificate")
	}
	leaf, roots := chain[0], authorities(bundle)
	if err := leaf.valid(now); err != nil {
		return err
	}
	if err := leaf.verifyName(name); err != nil {
		return err
	}
	way := []*certificate{leaf}
	if !slices.ContainsFunc(roots, leaf.is) {
		var err error
		s := search{roots: roots, others: chain[1:], now: now}
		if way, err = s.from(leaf, way); err != nil {
			return err
		}
	}
	for _, c := range way {
		if len(c.usages) > 0 && !slices.ContainsFunc(c.usages, servesOrAny) {
			return errors.New("certificate specifies an incompatible key usage")
		}
	}
	return nil
}

func (c *certificate) is(other *certificate) bool { return bytes.Equal(c.raw, other.raw) }

// Upstream: Certificate.isValid.
func (c *certificate) valid(now time.Time) error {
	side, end := "before", c.notBefore
	if now.After(c.notAfter) {
		side, end = "after", c.notAfter
	} else if !now.Before(c.notBefore) {
		return nil
	}
	return fmt.Errorf("certificate has expired or is not yet valid: current time %s is %s %s", now.Format(time.RFC3339), side, end.Format(time.RFC3339))
}

// Upstream: Certificate.VerifyHostname; HostnameError.Error.
func (c *certificate) verifyName(name string) error {
	matches := func(pattern string) bool {
		if rest, wild := strings.CutPrefix(pattern, "*."); wild {
			_, domain, _ := strings.Cut(name, ".")
			return strings.EqualFold(rest, domain)
		}
		return strings.EqualFold(pattern, name)
	}
	switch {
	case slices.ContainsFunc(c.names, matches):
		return nil
	case !c.named && matches(attribute(c.subject, 3)):
		return errors.New("certificate relies on legacy Common Name field, use SANs instead")
	case len(c.names) == 0:
		return errors.New("certificate is not valid for any names, but wanted to match " + name)
	}
	return errors.New("certificate is valid for " + strings.Join(c.names, ", ") + ", not " + name)
}

// search looks for a way from a certificate to one of the roots.
type search struct {
	roots, others []*certificate
	now           time.Time
	checks        int // of signatures, so far
}

// maxChecks bounds the search, as upstream's maxChainSignatureChecks does.
const maxChecks = 100

var errLimit = errors.New("signature check attempts limit reached while verifying certificate chain")

// from is a way from a certificate on. Upstream: Certificate.buildChains; UnknownAuthorityError.Error.
func (s *search) from(c *certificate, way []*certificate) (all []*certificate, err error) {
	unknown := errUnknown
	hint := func(why error, parent *certificate) {
		if unknown != errUnknown {
			return
		}
		name := attribute(parent.subject, 3)
		if name == "" {
			name = attribute(parent.subject, 10) // the organization
		}
		unknown = fmt.Errorf("%w (possibly because of %q while trying to verify candidate authority certificate %q)", errUnknown, why.Error(), name)
	}
	for i, parent := range slices.Concat(s.roots, s.others) {
		if !bytes.Equal(parent.subject, c.issuer) || slices.ContainsFunc(way, parent.is) {
			continue
		}
		if s.checks++; s.checks > maxChecks {
			return nil, errLimit
		}
		if wrong := c.signedBy(parent); wrong != nil {
			hint(wrong, parent)
			continue
		}
		if err = parent.valid(s.now); err != nil {
			continue
		}
		longer := append(slices.Clip(way), parent)
		if i < len(s.roots) {
			return longer, nil
		}
		if all, err = s.from(parent, longer); err == nil || err == errLimit {
			return all, err
		}
	}
	if err == nil {
		err = unknown
	}
	return nil, err
}

// signedBy stands for the check of a signature. Upstream: Certificate.CheckSignatureFrom.
func (c *certificate) signedBy(parent *certificate) error {
	switch {
	case !parent.basic || !parent.authority:
		return errors.New("x509: invalid signature: parent certificate cannot sign this kind of certificate")
	case len(c.issuerKeyID) == 0 || len(parent.keyID) == 0 || bytes.Equal(c.issuerKeyID, parent.keyID):
		return nil
	case bytes.HasPrefix(c.algorithm, []byte("\x2a\x86\x48\x86\xf7")): // 1.2.840.113549
		return errors.New("crypto/rsa: verification error")
	case bytes.HasPrefix(c.algorithm, []byte("\x2a\x86\x48\xce\x3d")): // 1.2.840.10045
		return errors.New("x509: ECDSA verification failure")
	}
	return errors.New("x509: Ed25519 verification failure")
}

// servesOrAny tells whether a usage is that of servers, 1.3.6.1.5.5.7.3.1, or every one.
func servesOrAny(usage []byte) bool {
	return string(usage) == "\x2b\x06\x01\x05\x05\x07\x03\x01" || string(usage) == "\x55\x1d\x25\x00"
}
