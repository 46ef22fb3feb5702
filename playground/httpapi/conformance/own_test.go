package conformance

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kubewalk/playground/check/conformance/transcript"
	"kubewalk/playground/cluster"
)

var update = flag.Bool("update", false, "write what the real kubectl prints into our own transcripts")

const ownFolder = "../../check/conformance/testdata/own"

// TestOwnTranscripts plays our own transcripts with the real kubectl. They cover what the recordings lack. Nobody recorded them from a real
// cluster: what the control plane says in them is read against the function of upstream that stands before each command, and what kubectl
// says of its own is the real kubectl's.
func TestOwnTranscripts(t *testing.T) {
	files, err := filepath.Glob(ownFolder + "/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d transcripts: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			own, err := transcript.Read(file)
			if err != nil {
				t.Fatal(err)
			}
			config := cluster.DefaultConfig()
			config.Nodes, config.HollowNodes = nil, &cluster.HollowNodes{Count: 3, CPU: "4", Memory: "8Gi"}
			config.Authorization = own.Authorization
			p := serve(t, config, 4)
			for name, text := range own.Manifests {
				if err := os.WriteFile(filepath.Join(p.folder, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if *update {
				p.write(file)
				return
			}
			for _, s := range own.Steps {
				p.compare(s)
			}
		})
	}
}

// write plays a transcript's commands, and writes it anew with what they print.
func (p *port) write(file string) {
	p.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		p.Fatal(err)
	}
	commands, manifests, _ := strings.Cut(string(text), "\n-- ")
	var b strings.Builder
	for line := range strings.Lines(commands) {
		command, is := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "$ ")
		if strings.HasPrefix(line, "#") {
			b.WriteString(line)
		}
		if !is {
			continue
		}
		fmt.Fprintf(&b, "$ %s\n", command)
		stdout, stderr, code := p.run(transcript.Step{Command: command})
		b.WriteString(strings.ReplaceAll(stdout, "hollow-", "node-"))
		if stdout != "" && !strings.HasSuffix(stdout, "\n") {
			b.WriteString("\n")
		}
		for line := range strings.Lines(strings.ReplaceAll(stderr, "hollow-", "node-")) {
			b.WriteString("stderr: " + strings.TrimSuffix(line, "\n") + "\n")
		}
		if code != 0 {
			fmt.Fprintf(&b, "exit: %d\n", code)
		}
	}
	if manifests != "" {
		b.WriteString("-- " + manifests)
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		p.Fatal(err)
	}
}
