package x509

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	real "crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"
	"time"
)

var begin = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// issued is a certificate and its key.
type issued struct {
	cert *real.Certificate
	key  crypto.Signer
}

func (i issued) pem() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: i.cert.Raw}))
}

type maker struct {
	*testing.T
	serial int64
	key    func() (crypto.Signer, error)
}

// issue makes a certificate that is good for a day, signed by another's key or its own.
func (m *maker) issue(by *issued, template real.Certificate) issued {
	m.Helper()
	key, err := m.key()
	if err != nil {
		m.Fatal(err)
	}
	m.serial++
	template.SerialNumber = big.NewInt(m.serial)
	if template.NotBefore.IsZero() {
		template.NotBefore = begin
	}
	template.NotAfter = template.NotBefore.Add(24 * time.Hour)
	parent, signer := &template, key
	if by != nil {
		parent, signer = by.cert, by.key
	}
	raw, err := real.CreateCertificate(rand.Reader, &template, parent, key.Public(), signer)
	if err != nil {
		m.Fatal(err)
	}
	cert, err := real.ParseCertificate(raw)
	if err != nil {
		m.Fatal(err)
	}
	return issued{cert, key}
}

func authority(name string) real.Certificate {
	return real.Certificate{Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true, KeyUsage: real.KeyUsageCertSign}
}

func server(names ...string) real.Certificate {
	return real.Certificate{Subject: pkix.Name{CommonName: "server"}, DNSNames: names, ExtKeyUsage: []real.ExtKeyUsage{real.ExtKeyUsageServerAuth}}
}

// what crypto/x509 says of it
func reference(shown, bundle, name string, now time.Time) string {
	roots, others := real.NewCertPool(), real.NewCertPool()
	roots.AppendCertsFromPEM([]byte(bundle))
	block, rest := pem.Decode([]byte(shown))
	leaf, err := real.ParseCertificate(block.Bytes)
	if err != nil {
		return err.Error()
	}
	others.AppendCertsFromPEM(rest)
	if _, err := leaf.Verify(real.VerifyOptions{DNSName: name, Roots: roots, Intermediates: others, CurrentTime: now}); err != nil {
		return "tls: failed to verify certificate: " + err.Error()
	}
	return ""
}

// TestVerify: what Go's own verification says of certificates is said of them here, word for word.
func TestVerify(t *testing.T) {
	const name = "hook.default.svc"
	for algorithm, key := range map[string]func() (crypto.Signer, error){
		"ecdsa":   func() (crypto.Signer, error) { return ecdsa.GenerateKey(elliptic.P256(), rand.Reader) },
		"rsa":     func() (crypto.Signer, error) { return rsa.GenerateKey(rand.Reader, 1024) },
		"ed25519": func() (crypto.Signer, error) { _, k, err := ed25519.GenerateKey(rand.Reader); return k, err },
	} {
		m := &maker{T: t, key: key}
		ca, again, other := m.issue(nil, authority("ca")), m.issue(nil, authority("ca")), m.issue(nil, authority("other"))
		nameless := m.issue(nil, real.Certificate{Subject: pkix.Name{Organization: []string{"o"}}, IsCA: true, BasicConstraintsValid: true})
		nameless2 := m.issue(nil, real.Certificate{Subject: pkix.Name{Organization: []string{"o"}}, IsCA: true, BasicConstraintsValid: true})
		middle := m.issue(&ca, authority("middle"))
		none := m.issue(nil, real.Certificate{Subject: pkix.Name{CommonName: "no-ca"}})
		good := m.issue(&ca, server("a", name))
		below := m.issue(&middle, server(name))
		self := m.issue(nil, server(name))
		common := server()
		common.Subject.CommonName = name
		client := server(name)
		client.ExtKeyUsage = []real.ExtKeyUsage{real.ExtKeyUsageClientAuth}
		any := server(name)
		any.ExtKeyUsage = []real.ExtKeyUsage{real.ExtKeyUsageAny}
		late := authority("late")
		late.NotBefore = begin.Add(-48 * time.Hour)
		lateCA := m.issue(nil, late)
		noon := begin.Add(12 * time.Hour)
		for what, c := range map[string]struct {
			shown, bundle string
			now           time.Time
			fails         bool
		}{
			"right":                {good.pem(), ca.pem(), noon, false},
			"among others":         {good.pem(), other.pem() + "a comment\n" + ca.pem(), noon, false},
			"the certificate":      {self.pem(), self.pem(), noon, false},
			"below another":        {below.pem() + middle.pem(), ca.pem(), noon, false},
			"a wildcard":           {m.issue(&ca, server("*.default.svc")).pem(), ca.pem(), noon, false},
			"any usage":            {m.issue(&ca, any).pem(), ca.pem(), noon, false},
			"capitals":             {m.issue(&ca, server("Hook.Default.svc")).pem(), ca.pem(), noon, false},
			"another authority":    {good.pem(), other.pem(), noon, true},
			"nobody":               {good.pem(), "", noon, true},
			"self-signed":          {self.pem(), ca.pem(), noon, true},
			"made anew":            {good.pem(), again.pem(), noon, true},
			"made anew, and right": {good.pem(), again.pem() + ca.pem(), noon, false},
			"made anew, no name":   {m.issue(&nameless, server(name)).pem(), nameless2.pem(), noon, true},
			"without the middle":   {below.pem(), ca.pem(), noon, true},
			"another name":         {m.issue(&ca, server("a.default.svc", "b")).pem(), ca.pem(), noon, true},
			"another wildcard":     {m.issue(&ca, server("*.svc")).pem(), ca.pem(), noon, true},
			"no name":              {m.issue(&ca, server()).pem(), ca.pem(), noon, true},
			"a common name":        {m.issue(&ca, common).pem(), ca.pem(), noon, true},
			"too early":            {good.pem(), ca.pem(), begin.Add(-time.Minute), true},
			"too late":             {good.pem(), ca.pem(), begin.Add(25 * time.Hour), true},
			"an old authority":     {m.issue(&lateCA, server(name)).pem(), lateCA.pem(), noon, true},
			"no authority":         {m.issue(&none, server(name)).pem(), none.pem(), noon, true},
			"for clients":          {m.issue(&ca, client).pem(), ca.pem(), noon, true},
		} {
			got := ""
			if err := Verify(c.shown, []byte(c.bundle), name, c.now); err != nil {
				got = err.Error()
			}
			if want := reference(c.shown, c.bundle, name, c.now); got != want || (want != "") != c.fails {
				t.Errorf("%s, %s:\ngot  %s\nwant %s", algorithm, what, got, want)
			}
		}
	}
}

// TestVerifyModels: what is shown without a certificate in PEM.
func TestVerifyModels(t *testing.T) {
	m := &maker{T: t, key: func() (crypto.Signer, error) { return ecdsa.GenerateKey(elliptic.P256(), rand.Reader) }}
	bundle := m.issue(nil, authority("ca")).pem()
	const unknown = "tls: failed to verify certificate: x509: certificate signed by unknown authority"
	for _, c := range []struct{ shown, bundle, want string }{
		{Trusted, "", ""},
		{Trusted, bundle, unknown},
		{SelfSigned, "", unknown},
		{SelfSigned, bundle, unknown},
		{Plain, bundle, "http: server gave HTTP response to HTTPS client"},
		{"no certificate", bundle, "tls: failed to verify certificate: x509: malformed certificate"},
	} {
		got := ""
		if err := Verify(c.shown, []byte(c.bundle), "a", begin); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q: %s", c.shown, got)
		}
	}
}

// TestTheSearchIsBounded: authorities that could each have issued each other are not tried in every order.
func TestTheSearchIsBounded(t *testing.T) {
	m := &maker{T: t, key: func() (crypto.Signer, error) { return ecdsa.GenerateKey(elliptic.P256(), rand.Reader) }}
	alike := authority("alike")
	alike.SubjectKeyId = []byte{1}
	first := m.issue(nil, alike)
	shown := m.issue(&first, server("a")).pem() + first.pem()
	for range 20 {
		shown += m.issue(nil, alike).pem()
	}
	other := m.issue(nil, authority("other"))
	const want = "tls: failed to verify certificate: x509: signature check attempts limit reached while verifying certificate chain"
	if err := Verify(shown, []byte(other.pem()), "a", begin); err == nil || err.Error() != want {
		t.Errorf("it says %v", err)
	}
}

func TestCheckBundle(t *testing.T) {
	m := &maker{T: t, key: func() (crypto.Signer, error) { return ecdsa.GenerateKey(elliptic.P256(), rand.Reader) }}
	right := m.issue(nil, authority("ca"))
	broken := *right.cert
	broken.Raw = broken.Raw[:len(broken.Raw)-1]
	const load = "unable to load root certificates: "
	for bundle, want := range map[string]string{
		"":                                       "",
		right.pem():                              "",
		issued{&broken, nil}.pem() + right.pem(): "",
		"LS0t":                                   load + "unable to parse bytes as PEM block",
		issued{&broken, nil}.pem():               load + "failed to parse certificate: x509: malformed certificate",
		strings.ReplaceAll(right.pem(), "CERTIFICATE", "PUBLIC KEY"): load + "no valid certificate authority data seen",
	} {
		got := ""
		if err := CheckBundle([]byte(bundle)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s\ngot  %s\nwant %s", bundle, got, want)
		}
	}
}

// FuzzParse: no text makes the reader fail, and what crypto/x509 reads is read here.
func FuzzParse(f *testing.F) {
	_, key, _ := ed25519.GenerateKey(rand.Reader)
	template := server("a")
	template.SerialNumber, template.NotBefore, template.NotAfter = big.NewInt(1), begin, begin.Add(time.Hour)
	raw, err := real.CreateCertificate(rand.Reader, &template, &template, key.Public(), key)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add([]byte{0x30, 0x84, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := real.ParseCertificate(raw)
		if mine := parse(raw); err == nil && mine == nil {
			t.Errorf("not read: %v", c.Subject)
		}
	})
}
