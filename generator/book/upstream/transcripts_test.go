package upstream

import (
	"path/filepath"
	"testing"

	"kubewalk/playground/check/conformance/transcript"
)

// TestTranscripts holds what our own transcripts say that they follow to what there is in the release.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("../../../playground/check/conformance/testdata/own/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d transcripts: %v", len(files), err)
	}
	for _, file := range files {
		own, err := transcript.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range own.Steps {
			if _, err := Link(s.Upstream); err != nil {
				t.Errorf("%s:%d: %v", filepath.Base(file), s.Line, err)
			}
		}
	}
}
