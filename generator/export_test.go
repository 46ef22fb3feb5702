package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"kubewalk/generator/sitebuild"
)

// TestDemosWithoutMoments: those of others are written, and all that lack some are named.
func TestDemosWithoutMoments(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x")
	var out bytes.Buffer
	if err := writeMoments(file, nil, &out); err != nil || out.Len() > 0 {
		t.Error(err, out.String())
	}
	if err := writeMoments(file, []sitebuild.Moment{{ID: "a", SVG: "<svg/>", PNG: []byte("png")}}, &out); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"x-a.svg", "x-a.png"} {
		if _, err := os.Stat(filepath.Join(filepath.Dir(file), name)); err != nil {
			t.Error(err)
		}
	}
	const want = "a: the demo has no moments, so there are no pictures of it (add marks to its file)\n" +
		"b: the demo has no moments, so there are no pictures of it (add marks to its file)"
	if err := withoutMoments([]string{"a", "b"}); err == nil || err.Error() != want {
		t.Error(err)
	}
	if err := withoutMoments(nil); err != nil {
		t.Error(err)
	}
}
