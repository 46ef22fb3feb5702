package kustomize

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
)

// Texts of all lengths hash as by the standard library.
func TestSumIsSHA256(t *testing.T) {
	for n := range 300 {
		text := strings.Repeat("kustomize, ", 30)[:n]
		if got, want := sum([]byte(text)), fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:10]; got != want {
			t.Errorf("%d bytes: got %s, want %s", n, got, want)
		}
	}
}
