package sitebuild

import (
	"bytes"
	"image/png"
	"path/filepath"
	"strings"
	"testing"
)

func TestMoments(t *testing.T) {
	root := writeBook(t, nil)
	cache := new(Cache)
	options := Options{Root: root, Content: filepath.Join(root, "content"), Demos: makeDemo, Assets: makeAssets,
		Phrases: func(string) ([]byte, error) { return []byte(`{}`), nil }}
	if _, err := Build(t.Context(), options, cache); err != nil {
		t.Fatal(err)
	}
	moments, err := cache.Moments("scale", "ja")
	if err != nil || len(moments) != 1 {
		t.Fatal(moments, err)
	}
	m := moments[0]
	if m.ID != "first" || m.Lacks != "" || !strings.Contains(m.SVG, "<title>始まり</title>") || !strings.Contains(m.SVG, ">ja</text>") {
		t.Errorf("%s lacks %q: %s", m.ID, m.Lacks, m.SVG)
	}
	picture, err := png.DecodeConfig(bytes.NewReader(m.PNG))
	if err != nil || picture.Width != momentWidth || picture.Height != momentWidth {
		t.Error(picture, err)
	}
	if _, err := cache.Moments("scael", "ja"); err == nil {
		t.Error("there is no such demo")
	}
}
