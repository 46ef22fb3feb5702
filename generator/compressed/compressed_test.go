package compressed

import (
	"bytes"
	"strings"
	"testing"
)

func TestGzip(t *testing.T) {
	for _, text := range []string{"", "{}", strings.Repeat(`{"a": 1}`, 10_000)} {
		made := Gzip([]byte(text))
		if !bytes.Equal(made, Gzip([]byte(text))) {
			t.Errorf("%.20q is compressed in two ways", text)
		}
		// RFC 1952, 2.3: no flags (a name is one), and no time.
		if want := []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0}; !bytes.HasPrefix(made, want) {
			t.Errorf("the header is % x, want % x", made[:8], want)
		}
		if back, err := Gunzip(made); err != nil || string(back) != text {
			t.Errorf("%.20q came back as %.20q, %v", text, back, err)
		}
		for _, broken := range [][]byte{nil, []byte(text), made[:len(made)-1]} {
			if _, err := Gunzip(broken); err == nil {
				t.Errorf("% .10x is taken for gzip", broken)
			}
		}
	}
}
