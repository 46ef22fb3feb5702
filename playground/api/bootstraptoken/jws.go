// Package bootstraptoken is what bootstrap tokens are checked and signed with: by who signs the cluster's information, and by who joins.
//
// It has SHA-256 of its own, because crypto/sha256 brings along more than the browser should load for it; a test compares both.
//
// Upstream: k8s.io/cluster-bootstrap/token/api and token/jws.
package bootstraptoken

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"math/bits"
	"strings"
	"time"
)

// Names of objects, of their keys, of groups. Upstream: token/api/types.go.
const (
	SecretPrefix = "bootstrap-token-"
	SecretType   = "bootstrap.kubernetes.io/token"

	TokenIDKey        = "token-id"
	TokenSecretKey    = "token-secret"
	ExpirationKey     = "expiration"
	SigningUsage      = "usage-bootstrap-signing"
	AuthUsage         = "usage-bootstrap-authentication"
	ExtraGroupsKey    = "auth-extra-groups"
	UserPrefix        = "system:bootstrap:"
	DefaultGroup      = "system:bootstrappers"
	ClusterInfo       = "cluster-info"
	KubeConfigKey     = "kubeconfig"
	SignatureKeyStart = "jws-kubeconfig-"
)

// Split is a token's ID and secret. Upstream: token/util, ParseToken.
func Split(token string) (id, secret string, ok bool) {
	id, secret, ok = strings.Cut(token, ".")
	return id, secret, ok && len(id) == 6 && len(secret) == 16
}

// ComputeDetachedSignature signs a text with a token: HS256, without the text in what comes out. Upstream: jws.ComputeDetachedSignature.
func ComputeDetachedSignature(content, tokenID, tokenSecret string) string {
	encode := base64.RawURLEncoding.EncodeToString
	header := encode([]byte(`{"alg":"HS256","kid":"` + tokenID + `"}`))
	mac := hmacSHA256([]byte(tokenSecret), []byte(header+"."+encode([]byte(content))))
	return header + ".." + encode(mac[:])
}

// Expired tells whether a token's Secret says that its time is over. Upstream: util/secrets, HasExpired.
func Expired(secret map[string][]byte, now time.Time) bool {
	text := string(secret[ExpirationKey])
	if text == "" {
		return false
	}
	end, err := time.Parse(time.RFC3339, text)
	return err != nil || !end.After(now)
}

// Hash is SHA-256 in hexadecimal.
func Hash(text string) string {
	sum := sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func hmacSHA256(key, text []byte) [32]byte {
	var block [64]byte
	if len(key) > len(block) {
		sum := sum256(key)
		key = sum[:]
	}
	copy(block[:], key)
	inner, outer := make([]byte, 0, 64+len(text)), make([]byte, 0, 96)
	for _, b := range block {
		inner, outer = append(inner, b^0x36), append(outer, b^0x5c)
	}
	sum := sum256(append(inner, text...))
	return sum256(append(outer, sum[:]...))
}

// sum256 is SHA-256: FIPS 180-4.
func sum256(text []byte) (out [32]byte) {
	length := uint64(len(text)) * 8
	text = append(append([]byte{}, text...), 0x80)
	for len(text)%64 != 56 {
		text = append(text, 0)
	}
	text = binary.BigEndian.AppendUint64(text, length)
	h := [8]uint32{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}
	var w [64]uint32
	for ; len(text) > 0; text = text[64:] {
		for i := range 16 {
			w[i] = binary.BigEndian.Uint32(text[4*i:])
		}
		for i := 16; i < 64; i++ {
			a, b := w[i-15], w[i-2]
			w[i] = w[i-16] + w[i-7] + (bits.RotateLeft32(a, -7) ^ bits.RotateLeft32(a, -18) ^ a>>3) +
				(bits.RotateLeft32(b, -17) ^ bits.RotateLeft32(b, -19) ^ b>>10)
		}
		v := h
		for i := range 64 {
			a, e := v[0], v[4]
			t1 := v[7] + (bits.RotateLeft32(e, -6) ^ bits.RotateLeft32(e, -11) ^ bits.RotateLeft32(e, -25)) + (e&v[5] ^ ^e&v[6]) + rounds[i] + w[i]
			t2 := (bits.RotateLeft32(a, -2) ^ bits.RotateLeft32(a, -13) ^ bits.RotateLeft32(a, -22)) + (a&v[1] ^ a&v[2] ^ v[1]&v[2])
			v = [8]uint32{t1 + t2, a, v[1], v[2], v[3] + t1, e, v[5], v[6]}
		}
		for i := range h {
			h[i] += v[i]
		}
	}
	for i, x := range h {
		binary.BigEndian.PutUint32(out[4*i:], x)
	}
	return out
}

var rounds = [64]uint32{
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
}
