package libwebp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"image"
	"image/color"
	"strings"
	"sync"
	"testing"

	"github.com/tetratelabs/wazero"
	"golang.org/x/image/webp"
)

// sample has slopes, edges and noise, and a part that cannot be seen.
func sample(width, height int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	seed := uint32(1)
	for y := range height {
		for x := range width {
			seed = seed*1664525 + 1013904223
			c := color.NRGBA{uint8(x * 2), uint8(y * 3), uint8(seed >> 26), 255}
			if (x/16+y/16)%3 == 0 {
				c.R, c.G = c.G, 255-c.R
			}
			if x < width/8 {
				c.A = 0
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

// TestSameBytesEverywhere: what is kept on one machine is what another one makes. The
// interpreter is what processors run that wazero has no compiler for.
func TestSameBytesEverywhere(t *testing.T) {
	img := sample(48, 40)
	interpreted, err := load(wazero.NewRuntimeConfigInterpreter())
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		lossless bool
		want     string
	}{{false, "7a5545b767e6cb5c"}, {true, "508e37cc0e2e790c"}} {
		data, err := encode(img, 82, test.lossless)
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:8]) != test.want {
			t.Errorf("lossless %t: %x, want %s: with other bytes, generator/render/picture needs a new version", test.lossless, sum[:8], test.want)
		}
		again, err := interpreted.encode(img, 82, test.lossless)
		if err != nil || !bytes.Equal(again, data) {
			t.Errorf("lossless %t: the interpreter writes something else, %v", test.lossless, err)
		}
	}
}

func TestEncode(t *testing.T) {
	img := sample(301, 203)
	var sizes []int
	for _, quality := range []int{1, 50, 82, 100} {
		data, err := Encode(img, quality)
		if err != nil {
			t.Fatal(err)
		}
		if c, err := webp.DecodeConfig(bytes.NewReader(data)); err != nil || c.Width != 301 || c.Height != 203 {
			t.Errorf("quality %d: %+v, %v", quality, c, err)
		}
		if n := len(sizes); n > 0 && len(data) <= sizes[n-1] {
			t.Errorf("quality %d takes %d bytes, less than the one before", quality, len(data))
		}
		sizes = append(sizes, len(data))
	}
	data, err := EncodeLossless(img)
	if err != nil {
		t.Fatal(err)
	}
	back, err := webp.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for y := range 203 {
		for x := range 301 {
			if got, want := back.(*image.NRGBA).NRGBAAt(x, y), img.NRGBAAt(x, y); got != want && (got.A != 0 || want.A != 0) {
				t.Fatalf("without loss, %d,%d is %v, want %v", x, y, got, want)
			}
		}
	}
}

// TestAPartOfAnImage: its rows are not beside one another.
func TestAPartOfAnImage(t *testing.T) {
	all := sample(100, 80)
	part := all.SubImage(image.Rect(20, 10, 90, 70)).(*image.NRGBA)
	alone := image.NewNRGBA(image.Rect(0, 0, 70, 60))
	for y := range 60 {
		copy(alone.Pix[y*alone.Stride:], part.Pix[y*part.Stride:][:4*70])
	}
	a, err := Encode(part, 82)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := Encode(alone, 82); err != nil || !bytes.Equal(a, b) {
		t.Errorf("a part of an image is written otherwise: %v", err)
	}
}

func TestSeveralAtOnce(t *testing.T) {
	img := sample(64, 64)
	want, err := Encode(img, 82)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if got, err := Encode(img, 82); err != nil || !bytes.Equal(got, want) {
				t.Errorf("got %d bytes, %v", len(got), err)
			}
		})
	}
	group.Wait()
}

func TestTooLarge(t *testing.T) {
	for _, size := range []image.Point{{0, 5}, {16384, 1}} {
		if _, err := Encode(image.NewNRGBA(image.Rectangle{Max: size}), 82); err == nil || !strings.Contains(err.Error(), "libwebp: an image of") {
			t.Errorf("%v: %v", size, err)
		}
	}
}
