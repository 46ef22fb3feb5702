package bootstraptoken

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
)

func TestSHA256(t *testing.T) {
	for n := range 200 {
		text := strings.Repeat("kubeadm ", 30)[:n]
		sum := sha256.Sum256([]byte(text))
		if got, want := Hash(text), hex.EncodeToString(sum[:]); got != want {
			t.Fatalf("%d bytes: %s, want %s", n, got, want)
		}
		mac := hmac.New(sha256.New, []byte(text))
		mac.Write([]byte("content"))
		if got, want := hmacSHA256([]byte(text), []byte("content")), mac.Sum(nil); string(got[:]) != string(want) {
			t.Fatalf("a key of %d bytes: %x, want %x", n, got, want)
		}
	}
}

// Upstream: token/jws/jws_test.go.
func TestComputeDetachedSignature(t *testing.T) {
	const want = "eyJhbGciOiJIUzI1NiIsImtpZCI6Impvc2h1YSJ9..VShe2taLd-YTrmWuRkcL_8QTNDHYxQIEBsAYYiIj1_8"
	if got := ComputeDetachedSignature("Hello from the other side. I must have called a thousand times.", "joshua", "my voice is my passcode"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestSplit(t *testing.T) {
	for token, want := range map[string]bool{"abcdef.0123456789abcdef": true, "abcdef": false, "abcdef.0123": false, "abc.0123456789abcdef": false} {
		if _, _, ok := Split(token); ok != want {
			t.Errorf("%s: %v", token, ok)
		}
	}
}
