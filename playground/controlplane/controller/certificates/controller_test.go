package certificates

import (
	"testing"
	"time"

	"kubewalk/playground/api/certificatesv1"
	"kubewalk/playground/api/metav1"
)

// Upstream: pkg/controller/certificates/cleaner/cleaner_test.go.
func TestOutdated(t *testing.T) {
	now := time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC)
	since := func(d time.Duration) metav1.Time { return metav1.NewTime(now.Add(-d)) }
	of := func(t certificatesv1.RequestConditionType, d time.Duration) []certificatesv1.CertificateSigningRequestCondition {
		return []certificatesv1.CertificateSigningRequestCondition{{Type: t, LastUpdateTime: since(d)}}
	}
	for _, c := range []struct {
		name       string
		age        time.Duration
		conditions []certificatesv1.CertificateSigningRequestCondition
		issued     bool
		want       bool
	}{
		{"pending", 24*time.Hour + time.Second, nil, false, true},
		{"pending, not long", 24*time.Hour - time.Second, nil, false, false},
		{"denied", time.Minute, of(certificatesv1.CertificateDenied, time.Hour+time.Second), false, true},
		{"denied, not long", 48 * time.Hour, of(certificatesv1.CertificateDenied, time.Hour), false, false},
		{"failed", time.Minute, of(certificatesv1.CertificateFailed, time.Hour+time.Second), false, true},
		{"issued", time.Minute, of(certificatesv1.CertificateApproved, time.Hour+time.Second), true, true},
		{"issued, not long", time.Minute, of(certificatesv1.CertificateApproved, time.Hour), true, false},
		{"approved and not issued", time.Minute, of(certificatesv1.CertificateApproved, 24*time.Hour+time.Second), false, true},
		{"approved and not issued, not long", 48 * time.Hour, of(certificatesv1.CertificateApproved, 24*time.Hour), false, false},
	} {
		csr := &certificatesv1.CertificateSigningRequest{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: since(c.age)}}
		csr.Status.Conditions = c.conditions
		if c.issued {
			csr.Status.Certificate = []byte("x")
		}
		if got := new(Controller).outdated(csr, now); (got != "") != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// Upstream: pkg/controller/certificates/signer/signer_test.go, and pkg/apis/certificates/helpers_test.go.
func TestSigners(t *testing.T) {
	node := Request{CommonName: "system:node:a", Organization: []string{"system:nodes"}}
	with := func(change func(*Request)) *Request {
		r := node
		change(&r)
		return &r
	}
	client, serving := clientUsages, servingUsages
	for _, c := range []struct {
		validate func(*Request, []certificatesv1.KeyUsage) error
		request  *Request
		usages   []certificatesv1.KeyUsage
		want     string
	}{
		{validateKubeletClient, &node, client, ""},
		{validateKubeletClient, &node, client[:2], ""},
		{validateKubeletClient, &node, client[1:], "usages did not match [client auth digital signature key encipherment]"},
		{validateKubeletClient, with(func(r *Request) { r.Organization = nil }), client, "subject organization is not system:nodes"},
		{validateKubeletClient, with(func(r *Request) { r.DNSNames = 1 }), client, "DNS subjectAltNames are not allowed"},
		{validateKubeletClient, with(func(r *Request) { r.IPAddresses = 1 }), client, "IP subjectAltNames are not allowed"},
		{validateKubeletClient, with(func(r *Request) { r.CommonName = "a" }), client, "subject common name does not begin with system:node:"},
		{validateKubeletServing, &node, serving, "DNS or IP subjectAltName is required"},
		{validateKubeletServing, with(func(r *Request) { r.IPAddresses = 1 }), serving, ""},
		{validateKubeletServing, with(func(r *Request) { r.IPAddresses = 1 }), client, "usages did not match [digital signature key encipherment server auth]"},
		{validateKubeletServing, with(func(r *Request) { r.DNSNames, r.URIs = 1, 1 }), serving, "URI subjectAltNames are not allowed"},
		{validAPIServerClientUsages, nil, client, ""},
		{validAPIServerClientUsages, nil, client[1:], "missing required usage for client certificate: client auth"},
		{validAPIServerClientUsages, nil, serving, "invalid usage for client certificate: server auth"},
	} {
		got := ""
		if err := c.validate(c.request, c.usages); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%+v %v: %q, want %q", c.request, c.usages, got, c.want)
		}
	}
}

func TestValidity(t *testing.T) {
	now := time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC)
	for seconds, want := range map[int32]time.Duration{0: 365*24*time.Hour - 5*time.Minute, 600: 10 * time.Minute, 1: 10 * time.Minute, 3600: time.Hour,
		8 * 3600: 8*time.Hour - 5*time.Minute, 1 << 30: 365*24*time.Hour - 5*time.Minute} {
		given := &seconds
		if seconds == 0 {
			given = nil
		}
		before, after := validity(now, given)
		if before != now.Add(-5*time.Minute) || after != now.Add(want) {
			t.Errorf("%d: %v %v", seconds, before, after)
		}
	}
}
