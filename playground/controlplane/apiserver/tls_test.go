package apiserver

import (
	"crypto/ed25519"
	"crypto/rand"
	real "crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/apiextensionsv1"
	"kubewalk/playground/api/x509"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// serving is a certificate for names, and its authority's, in PEM.
func serving(t *testing.T, names ...string) (bundle, certificate string) {
	t.Helper()
	text := func(template, parent *real.Certificate, public ed25519.PublicKey, key ed25519.PrivateKey) string {
		template.SerialNumber, template.NotBefore, template.NotAfter = big.NewInt(1), time.Unix(0, 0), time.Date(2049, 1, 1, 0, 0, 0, 0, time.UTC)
		raw, err := real.CreateCertificate(rand.Reader, template, parent, public, key)
		if err != nil {
			t.Fatal(err)
		}
		return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}))
	}
	public, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ca := &real.Certificate{Subject: pkix.Name{CommonName: names[0] + "-ca"}, IsCA: true, BasicConstraintsValid: true}
	return text(ca, ca, public, key), text(&real.Certificate{DNSNames: names}, ca, public, key)
}

const (
	unknownAuthority = "tls: failed to verify certificate: x509: certificate signed by unknown authority"
	noPEM            = "unable to load root certificates: unable to parse bytes as PEM block"
)

func bundleField(bundle string) string {
	if bundle == "" {
		return ""
	}
	return fmt.Sprintf(`"caBundle":%q,`, base64.StdEncoding.EncodeToString([]byte(bundle)))
}

// TestWebhooksCertificate: who answers for a webhook has to be known by its caBundle, and is not asked before that.
func TestWebhooksCertificate(t *testing.T) {
	const calling = `Internal error occurred: failed calling webhook "see.example.com": `
	const failed = calling + `failed to call webhook: Post "https://hook.default.svc:443/see?timeout=10s": `
	right, certificate := serving(t, "hook.default.svc")
	other, otherCertificate := serving(t, "a.default.svc")
	for what, c := range map[string]struct{ bundle, shown, want string }{
		"right":         {right, certificate, ""},
		"several":       {other + right, certificate, ""},
		"another":       {other, certificate, failed + unknownAuthority},
		"none":          {"", certificate, failed + unknownAuthority},
		"another name":  {other, otherCertificate, failed + "tls: failed to verify certificate: x509: certificate is valid for a.default.svc, not hook.default.svc"},
		"no PEM":        {"LS0t", certificate, calling + "could not get REST client: " + noPEM},
		"plain":         {right, x509.Plain, failed + "http: server gave HTTP response to HTTPS client"},
		"known":         {"", x509.Trusted, ""},
		"known, but no": {right, x509.Trusted, failed + unknownAuthority},
	} {
		for _, policy := range []string{"Fail", "Ignore"} {
			h := &hooks{answers: map[string]func(map[string]any) (string, string){"see": allows}, shower: shower{&c.shown}}
			w := hooked(t, h)
			w.run(func(p *sim.Proc) {
				hook := strings.Replace(webhookOf("see", anyConfigMap, `,"failurePolicy":"`+policy+`"`), `"service":`, bundleField(c.bundle)+`"service":`, 1)
				w.must(p, post("validatingwebhookconfigurations", `{"metadata":{"name":"a"},"webhooks":[`+hook+`]}`))
				got, want := w.try(p, post("configmaps", `{"metadata":{"name":"a"}}`)), c.want
				if policy == "Ignore" {
					want = ""
				}
				expect(t, what+" "+policy, got, want)
				if asked := len(h.asked) > 0; asked != (c.want == "") {
					t.Errorf("%s: asked: %v", what, asked)
				}
			})
		}
	}
}

// TestAggregatedServersCertificate: the same for the server behind an APIService.
func TestAggregatedServersCertificate(t *testing.T) {
	const at = "https://10.244.1.5:6443/apis/wardle.example.com/v1alpha1"
	const failed = "False FailedDiscoveryCheck: failing or missing response from " + at + `: Get "` + at + `": `
	right, certificate := serving(t, "wardle.default.svc")
	other, otherCertificate := serving(t, "a.default.svc")
	const passed = "True Passed: all checks passed"
	for what, c := range map[string]struct{ trust, shown, want string }{
		"right":        {bundleField(right), certificate, passed},
		"another":      {bundleField(other), certificate, failed + unknownAuthority},
		"none":         {"", certificate, failed + unknownAuthority},
		"another name": {bundleField(other), otherCertificate, failed + "tls: failed to verify certificate: x509: certificate is valid for a.default.svc, not wardle.default.svc"},
		"any":          {`"insecureSkipTLSVerify":true,`, x509.SelfSigned, passed},
		"plain":        {`"insecureSkipTLSVerify":true,`, x509.Plain, failed + "http: server gave HTTP response to HTTPS client"},
		"self-signed":  {"", x509.SelfSigned, failed + unknownAuthority},
		"no PEM":       {bundleField("LS0t"), certificate, "none"}, // the controller tries again, and writes nothing
	} {
		x := &extension{hooks: hooks{shower: shower{&c.shown}}, answer: `{"kind":"FlunderList","apiVersion":"wardle.example.com/v1alpha1","items":[]}`}
		w := newWorld(t, trace.Off)
		w.s.ConnectPods(x)
		w.run(func(p *sim.Proc) {
			w.must(p, post("services", wardleBehind))
			w.must(p, slice(true, portHTTPS))
			w.must(p, post("apiservices", strings.Replace(fmt.Sprintf(wardleService, 2000, 443), `"insecureSkipTLSVerify":true,`, c.trust, 1)))
			p.Sleep(time.Second)
			expect(t, what, w.availability(p), c.want)
			got, want := w.try(p, &client.Request{Verb: client.List, Resource: flunders}), ""
			if c.want != passed {
				want = "the server is currently unable to handle the request (get flunders.wardle.example.com)"
			}
			expect(t, what, got, want)
		})
	}
}

// TestConversionsCertificate: a definition with a caBundle that is none is not served, and one that is served keeps one that is.
func TestConversionsCertificate(t *testing.T) {
	right, certificate := serving(t, "hook.default.svc")
	other, _ := serving(t, "a.default.svc")
	with := func(bundle string) string {
		return fmt.Sprintf(twoVersions, strings.Replace(byHook, `"service":`, bundleField(bundle)+`"service":`, 1), true, false)
	}
	c := &converter{shower: shower{&certificate}}
	w := convertingWorld(t, c)
	w.run(func(p *sim.Proc) {
		name := "widgets.example.com"
		put := func(bundle string) string {
			r := post("crd", with(bundle))
			r.Verb, r.Name = client.Update, name
			return w.try(p, r)
		}
		w.must(p, newWidget("v1", "a", `{"size":"3 cm"}`))
		const failed = `conversion webhook for example.com/v1, Kind=Widget failed: Post "https://hook.default.svc:443/convert?timeout=30s": `
		expect(t, "no bundle", w.try(p, get(widgetsIn("v2"), "a")), failed+unknownAuthority)
		expect(t, "another", put(other), "")
		expect(t, "another", w.try(p, get(widgetsIn("v2"), "a")), failed+unknownAuthority)
		const invalid = `spec.conversion.webhookClientConfig.caBundle: Invalid value: `
		if got := put("abc"); !strings.Contains(got, invalid) || !strings.HasSuffix(got, ": "+noPEM) {
			t.Errorf("got  %s\nwant %s", got, invalid)
		}
		expect(t, "right", put(right), "")
		expect(t, "right", w.try(p, get(widgetsIn("v2"), "a")), "")

		w.must(p, &client.Request{Verb: client.Delete, Resource: definitionsResource, Name: name})
		p.Sleep(time.Minute)
		w.must(p, post("crd", with("abc")))
		p.Sleep(time.Second)
		established := func() string {
			crd := w.must(p, &client.Request{Verb: client.Get, Resource: definitionsResource, Name: name}).(*apiextensionsv1.CustomResourceDefinition)
			for _, c := range crd.Status.Conditions {
				if c.Type == apiextensionsv1.Established {
					return string(c.Status) + " " + c.Reason + ": " + c.Message
				}
			}
			return "none"
		}
		expect(t, "made with none", established(), "False InvalidCABundle: The conversion webhook CABundle is invalid")
		before := w.st.Revision()
		p.Sleep(time.Minute)
		if now := w.st.Revision(); now != before {
			t.Errorf("%d changes while nobody did anything", now-before)
		}
		expect(t, "mended", put(right), "")
		p.Sleep(time.Second)
		expect(t, "mended", established(), "True InitialNamesAccepted: the initial names have been accepted")
	})
}
