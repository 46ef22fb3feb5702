package conformance

import (
	"path/filepath"
	"strings"
	"testing"

	"kubewalk/playground/check/conformance/transcript"
	"kubewalk/playground/cluster"
)

// ownCommands is how many commands our own transcripts have at least: more than the recordings.
const ownCommands = 200

// TestOwnTranscripts plays our own transcripts with the page's kubectl. httpapi/conformance plays them with the real one, which wrote them.
func TestOwnTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/own/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(name, func(t *testing.T) {
			own, err := transcript.Read(file)
			if err != nil {
				t.Fatal(err)
			}
			config := cluster.DefaultConfig()
			config.Authorization = own.Authorization
			w := newWorldOf(t, "own/"+name, 1, config)
			w.play("")
			compared += w.compared
		})
	}
	if compared < ownCommands {
		t.Errorf("only %d commands were compared, of at least %d", compared, ownCommands)
	}
}
