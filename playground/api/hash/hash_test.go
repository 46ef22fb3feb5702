package hash

import (
	"crypto/sha256"
	"strings"
	"testing"

	"kubewalk/playground/api/corev1"
)

func TestSHA256(t *testing.T) {
	for n := range 200 {
		text := strings.Repeat("kube-proxy ", n/11+1)[:n]
		if got, want := SHA256(text), sha256.Sum256([]byte(text)); got != want {
			t.Fatalf("%d bytes: %x, want %x", n, got, want)
		}
	}
}

// What upstream's own test has: kubectl/pkg/util/hash/hash_test.go, TestConfigMapHash and TestSecretHash.
func TestContent(t *testing.T) {
	data := func(pairs ...string) (texts map[string]string, bytes map[string][]byte) {
		texts, bytes = map[string]string{}, map[string][]byte{}
		for i := 0; i < len(pairs); i += 2 {
			texts[pairs[i]], bytes[pairs[i]] = pairs[i+1], []byte(pairs[i+1])
		}
		return texts, bytes
	}
	for _, c := range []struct {
		pairs             []string
		configMap, secret string
	}{
		{nil, "42745tchd9", "t75bgf6ctb"},
		{[]string{"one", ""}, "9g67k2htb6", "74bd68bm66"},
		{[]string{"two", "2", "one", "", "three", "3"}, "f5h7t85m9b", "dgcb6h9tmk"},
	} {
		texts, bytes := data(c.pairs...)
		if got := ConfigMap(&corev1.ConfigMap{Data: texts}); got != c.configMap {
			t.Errorf("ConfigMap %v: %s, want %s", c.pairs, got, c.configMap)
		}
		if got := Secret(&corev1.Secret{Type: "my-type", Data: bytes}); got != c.secret {
			t.Errorf("Secret %v: %s, want %s", c.pairs, got, c.secret)
		}
	}
}
