package compressed

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

var rewrite = flag.Bool("rewrite", false, "write testdata anew")

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

// The page's decoder (site/widgets/runs/zstd.test.ts) reads the file that this writes.
func TestZstd(t *testing.T) {
	var lines strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&lines, "line %d of %d\n", i, i*i%977)
	}
	made, err := Zstd([]byte(lines.String()))
	if err != nil {
		t.Fatal(err)
	}
	const file = "testdata/lines.zst"
	if *rewrite {
		if err := os.WriteFile(file, made, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(made, want) {
		t.Errorf("%s is not what the encoder writes now; go test ./generator/build/compressed -rewrite", file)
	}
	r, err := zstd.NewReader(bytes.NewReader(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if back, err := r.DecodeAll(made, nil); err != nil || string(back) != lines.String() {
		t.Errorf("it came back as %.20q, %v", back, err)
	}
}
