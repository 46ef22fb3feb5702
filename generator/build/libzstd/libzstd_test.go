package libzstd

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/tetratelabs/wazero"
)

// sample has what repeats, near and far, and what does not.
func sample(lines int) []byte {
	var text bytes.Buffer
	seed := uint32(1)
	for i := range lines {
		seed = seed*1664525 + 1013904223
		fmt.Fprintf(&text, "line %d of %d: %x\n", i, i*i%977, seed>>20)
	}
	return text.Bytes()
}

func TestCompress(t *testing.T) {
	r, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	large := sample(20_000)
	for _, data := range [][]byte{nil, []byte("a"), bytes.Repeat([]byte{0}, 100_000), large} {
		last := len(data) + 100
		for _, level := range []int{1, 18} {
			made, err := Compress(data, level)
			if err != nil {
				t.Fatal(err)
			}
			if back, err := r.DecodeAll(made, nil); err != nil || !bytes.Equal(back, data) {
				t.Errorf("level %d: %d bytes came back as %d: %v", level, len(data), len(back), err)
			}
			var header zstd.Header
			if err := header.Decode(made); err != nil || !header.HasFCS || header.FrameContentSize != uint64(len(data)) || header.HasCheckSum {
				t.Errorf("level %d: the header is %+v, %v", level, header, err)
			}
			if len(made) > last {
				t.Errorf("level %d takes %d bytes, more than %d", level, len(made), last)
			}
			last = len(made)
		}
	}
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		t.Fatal(err)
	}
	if best, err := Compress(large, 18); err != nil || len(best) >= len(w.EncodeAll(large, nil)) {
		t.Errorf("%d bytes, no fewer than Go's own encoder takes (%v)", len(best), err)
	}
}

// The interpreter is what processors run that wazero has no compiler for.
func TestSameBytesEverywhere(t *testing.T) {
	data := sample(2000)
	compiled, err := Compress(data, 18)
	if err != nil {
		t.Fatal(err)
	}
	interpreted, err := compress(data, 18, wazero.NewRuntimeConfigInterpreter())
	if err != nil || !bytes.Equal(compiled, interpreted) {
		t.Errorf("%d and %d bytes differ (%v)", len(compiled), len(interpreted), err)
	}
}

func TestLevels(t *testing.T) {
	for _, level := range []int{-1, 0, 20} {
		if _, err := Compress([]byte("a"), level); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("no level %d", level)) {
			t.Errorf("level %d: %v", level, err)
		}
	}
}
