//go:build !js

package cri

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
)

// "agnhost test-service-account-issuer-discovery" checks a token as somebody does who knows no more than what the token says: it finds the
// issuer's description, the keys that this names, and with the one that the token names it verifies the token's signature.
// It runs on the port alone, where tokens are signed with a key that others may know.
// Simplified: in this cluster no TLS is spoken, so who answers as the issuer is not checked.
// Upstream: test/images/agnhost/openidmetadata/openidmetadata.go, and what that has from github.com/coreos/go-oidc, oidc.go, verify.go and jwks.go.
func init() {
	const name = "test-service-account-issuer-discovery"
	tools[name] = testIssuerDiscovery
	agnhost.Commands = append(agnhost.Commands, name)
	agnhostPrograms[name] = func(p *Program, options map[string]string) {
		*p = Program{script: single([]string{name, "--token-path=" + options["token-path"], "--audience=" + options["audience"]})}
	}
}

// accountToken is where a program finds the token of its Pod's account. Upstream: client-go's rest/config.go, InClusterConfig.
const accountToken = "/var/run/secrets/kubernetes.io/serviceaccount/token"

func testIssuerDiscovery(x *shell, argv []string) int32 {
	options := flags(argv[1:])
	path := options["token-path"]
	raw, ok := x.read(x.container, clean("/", path))
	if !ok {
		return x.fatal("open " + path + ": no such file or directory")
	}
	x.logs("OK: Got token")
	x.logs("validating with in-cluster discovery")
	if x.variable("KUBERNETES_SERVICE_HOST") == "" || x.variable("KUBERNETES_SERVICE_PORT") == "" {
		return x.fatal("unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined")
	}
	own, ok := x.read(x.container, accountToken)
	if !ok {
		return x.fatal("open " + accountToken + ": no such file or directory")
	}
	err := x.checkToken(raw, options["audience"], own)
	if err == nil {
		return 0
	}
	if errors.As(err, new(malformedToken)) {
		return x.fatal(err.Error())
	}
	x.logs("failed to validate with in-cluster discovery: " + err.Error())
	// Outside of the cluster nobody issues its tokens: without a token of its own it learns no more from the same server.
	x.logs("falling back to validating with external discovery")
	if err = x.checkToken(raw, options["audience"], ""); err != nil {
		return x.fatal(err.Error())
	}
	return 0
}

// malformedToken is a token that says nothing.
type malformedToken string

func (e malformedToken) Error() string { return string(e) }

// signedToken is a JSON Web Token, taken apart: RFC 7519.
type signedToken struct {
	header struct {
		Algorithm string `json:"alg"`
		KeyID     string `json:"kid"`
	}
	claims struct {
		Issuer     string   `json:"iss"`
		Subject    string   `json:"sub"`
		Audience   []string `json:"aud"`
		Expiry     int64    `json:"exp"`
		NotBefore  int64    `json:"nbf"`
		IssuedAt   int64    `json:"iat"`
		ID         string   `json:"jti"`
		Kubernetes struct {
			Namespace      string `json:"namespace"`
			ServiceAccount struct {
				Name string `json:"name"`
				UID  string `json:"uid"`
			} `json:"serviceaccount"`
		} `json:"kubernetes.io"`
	}
	text      string // what was signed
	signature []byte
}

func parseToken(raw string) (*signedToken, error) {
	parts := strings.Split(strings.TrimSpace(raw), ".")
	if len(parts) != 3 {
		return nil, malformedToken("go-jose/go-jose: compact JWS format must have three parts")
	}
	t := &signedToken{text: parts[0] + "." + parts[1]}
	var data [3][]byte
	for i, part := range parts {
		var err error
		if data[i], err = base64.RawURLEncoding.DecodeString(part); err != nil {
			return nil, malformedToken(err.Error())
		}
	}
	t.signature = data[2]
	if err := json.Unmarshal(data[0], &t.header); err != nil {
		return nil, malformedToken(err.Error())
	}
	if err := json.Unmarshal(data[1], &t.claims); err != nil {
		return nil, malformedToken(err.Error())
	}
	return t, nil
}

// String has the words of %#v, in short: numbers instead of addresses of dates.
func (t *signedToken) String() string {
	c := &t.claims
	return fmt.Sprintf("openidmetadata.claims{Claims:jwt.Claims{Issuer:%q, Subject:%q, Audience:jwt.Audience{%s}, Expiry:%d, NotBefore:%d, IssuedAt:%d, "+
		"ID:%q}, Kubernetes:openidmetadata.kubeClaims{Namespace:%q, ServiceAccount:openidmetadata.kubeName{Name:%q, UID:%q}}}",
		c.Issuer, c.Subject, quotedList(c.Audience), c.Expiry, c.NotBefore, c.IssuedAt, c.ID,
		c.Kubernetes.Namespace, c.Kubernetes.ServiceAccount.Name, c.Kubernetes.ServiceAccount.UID)
}

func quotedList(list []string) string { return strings.Trim(fmt.Sprintf("%q", list), "[]") }

// checkToken is the function validate: it fetches what it needs with a token of its own, "" for none.
func (x *shell) checkToken(raw, audience, own string) error {
	t, err := parseToken(raw)
	if err != nil {
		return err
	}
	c := &t.claims
	x.logs("OK: got issuer " + c.Issuer)
	x.logs("Full, not-validated claims: \n" + t.String())
	var provider struct {
		Issuer string `json:"issuer"`
		JWKS   string `json:"jwks_uri"`
	}
	status, body, err := x.fetch(strings.TrimSuffix(c.Issuer, "/")+"/.well-known/openid-configuration", own)
	switch {
	case err != nil:
		return err
	case status != 200:
		return fmt.Errorf("%s: %s", statusLine(status), body)
	}
	if err := json.Unmarshal([]byte(body), &provider); err != nil {
		return fmt.Errorf("oidc: failed to decode provider discovery object: %w", err)
	}
	if provider.Issuer != c.Issuer {
		return fmt.Errorf("oidc: issuer did not match the issuer returned by provider, expected %q got %q", c.Issuer, provider.Issuer)
	}
	x.logs("OK: Constructed OIDC provider for issuer " + c.Issuer)

	now := x.proc.Time()
	switch expires, begins := time.Unix(c.Expiry, 0).UTC(), time.Unix(c.NotBefore, 0).UTC(); {
	case audience == "":
		return errors.New("oidc: invalid configuration, clientID must be provided or SkipClientIDCheck must be set")
	case !slices.Contains(c.Audience, audience):
		return fmt.Errorf("oidc: expected audience %q got %q", audience, c.Audience)
	case expires.Before(now):
		return fmt.Errorf("oidc: token is expired (Token Expiry: %v)", expires)
	case now.Add(time.Minute).Before(begins):
		return fmt.Errorf("oidc: current time %v before the nbf (not before) time: %v", now, begins)
	case t.header.Algorithm != "RS256" && t.header.Algorithm != "ES256":
		return fmt.Errorf("oidc: id token signed with unsupported algorithm, expected %q got %q", []string{"RS256", "ES256"}, t.header.Algorithm)
	}
	if err := x.verifySignature(t, provider.JWKS, own); err != nil {
		return fmt.Errorf("failed to verify signature: %w", err)
	}
	x.logs("OK: Validated signature on JWT")
	x.logs("OK: Got valid claims from token!")
	x.logs("Full, validated claims: \n&" + t.String())
	return nil
}

// verifySignature fetches the issuer's keys and tries that which the token names. Keys of other kinds than RSA it does not know.
func (x *shell) verifySignature(t *signedToken, url, own string) error {
	status, body, err := x.fetch(url, own)
	switch {
	case err != nil:
		return fmt.Errorf("fetching keys oidc: get keys failed %w", err)
	case status != 200:
		return fmt.Errorf("fetching keys oidc: get keys failed: %s %s", statusLine(status), body)
	}
	var set struct {
		Keys []struct {
			Kty, Kid, N, E string
		}
	}
	if err := json.Unmarshal([]byte(body), &set); err != nil {
		return fmt.Errorf("fetching keys oidc: failed to decode keys: %w %s", err, body)
	}
	sum := sha256.Sum256([]byte(t.text))
	for _, key := range set.Keys {
		n, err := base64.RawURLEncoding.DecodeString(key.N)
		e, err2 := base64.RawURLEncoding.DecodeString(key.E)
		if key.Kty != "RSA" || key.Kid != t.header.KeyID || errors.Join(err, err2) != nil {
			continue
		}
		public := &rsa.PublicKey{N: new(big.Int).SetBytes(n), E: int(new(big.Int).SetBytes(e).Int64())}
		if t.header.Algorithm == "RS256" && rsa.VerifyPKCS1v15(public, crypto.SHA256, sum[:], t.signature) == nil {
			return nil
		}
	}
	return errors.New("failed to verify id token signature")
}

func statusLine(status int) string {
	text := map[int]string{401: "Unauthorized", 403: "Forbidden"}[status]
	if text == "" {
		text = statusText(status)
	}
	return strconv.Itoa(status) + " " + text
}

// fetch gets a document, with a token if there is one, in ten seconds.
func (x *shell) fetch(url, token string) (status int, body string, err error) {
	r := Request{Method: "GET", URL: url}
	if token != "" {
		r.Header = map[string][]string{"Authorization": {"Bearer " + strings.TrimSpace(token)}}
	}
	response := x.request(r, 10*time.Second)
	switch u := parseURL(url); response.Failure {
	case "":
		return response.Status, response.Body, nil
	case NotResolved:
		return 0, "", fmt.Errorf("Get %q: dial tcp: lookup %s: no such host", url, u.host)
	case Refused:
		return 0, "", fmt.Errorf("Get %q: dial tcp %s: connect: connection refused", url, response.Address)
	default:
		return 0, "", fmt.Errorf("Get %q: %s", url, response.Failure)
	}
}

// logs writes a line as Go's package log does.
func (x *shell) logs(text string) {
	x.out("stderr", x.proc.Time().UTC().Format("2006/01/02 15:04:05 ")+text)
}

func (x *shell) fatal(text string) int32 {
	x.logs(text)
	return 1
}
