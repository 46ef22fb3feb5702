package discovery

import "kubewalk/playground/api/authenticationv1"

// Where others find how to check the tokens of service accounts. Upstream: pkg/serviceaccount/openidmetadata.go, OpenIDConfigPath and JWKSPath.
const (
	OpenIDConfigPath = "/.well-known/openid-configuration"
	JWKSPath         = "/openid/v1/jwks"
)

// JSONWebKey is a key of RSA with which a signature is checked. Upstream: go-jose, JSONWebKey; RFC 7518, section 6.3.1.
type JSONWebKey struct {
	Use       string `json:"use"`
	KeyType   string `json:"kty"`
	ID        string `json:"kid"`
	Algorithm string `json:"alg"`
	N         string `json:"n"`
	E         string `json:"e"`
}

// JSONWebKeySet is what is at JWKSPath.
type JSONWebKeySet struct {
	Keys []JSONWebKey `json:"keys"`
}

// OpenIDMetadata is what is at OpenIDConfigPath.
type OpenIDMetadata struct {
	Issuer        string   `json:"issuer"`
	JWKSURI       string   `json:"jwks_uri"`
	ResponseTypes []string `json:"response_types_supported"`
	SubjectTypes  []string `json:"subject_types_supported"`
	SigningAlgs   []string `json:"id_token_signing_alg_values_supported"`
}

// PublicKey is a signer of tokens whose key others may know.
type PublicKey interface{ JSONWebKey() JSONWebKey }

// OpenID is what one of the paths shows, and its media type; ok is false at another path. address is where the server says that it is.
// Upstream: pkg/serviceaccount/openidmetadata.go, NewOpenIDMetadataProvider; pkg/routes/openidmetadata.go.
func OpenID(path, address string, of PublicKey) (mediaType string, answer any, ok bool) {
	key := of.JSONWebKey()
	switch path {
	case OpenIDConfigPath:
		return "application/json", OpenIDMetadata{authenticationv1.TokenIssuer, "https://" + address + JWKSPath, []string{"id_token"}, []string{"public"},
			[]string{key.Algorithm}}, true
	case JWKSPath:
		return "application/jwk-set+json", JSONWebKeySet{[]JSONWebKey{key}}, true
	}
	return "", nil, false
}
