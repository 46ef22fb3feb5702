package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kubewalk/generator/demos"
	"kubewalk/generator/scaffold"
)

func TestCommandLine(t *testing.T) {
	for arguments, want := range map[string]string{
		"":                     "help",
		"serv":                 `did you mean "serve"?`,
		"build --nope":         "help",
		"build content":        `unexpected argument "content"`,
		"new":                  "help",
		"new chaptr x":         `did you mean "chapter"?`,
		"new chapter":          "help",
		"new x --languages e!": `language "e!" is not understood`,
		"pakc":                 `did you mean "pack"?`,
		"check --content /no":  "/no/site.yaml: file is missing",
		"build --base-url x.y": "base URL",
	} {
		var out bytes.Buffer
		err := run(t.Context(), strings.Fields(arguments), &out)
		if want == "help" && !errors.Is(err, flag.ErrHelp) || want != "help" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", arguments, err)
		}
	}
}

// TestNewDemoHolds: what `new` begins is not only valid, its claims are true.
func TestNewDemoHolds(t *testing.T) {
	made, err := scaffold.Demo(t.TempDir(), "first", []string{"en", "ja"})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(made[0])
	if err != nil {
		t.Fatal(err)
	}
	demo, err := demos.Run("first", made[0], text, demos.Languages{Codes: []string{"en", "ja"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(demo.Marks) != 1 || len(demo.Controls) != 1 || len(demo.Files) != 5 {
		t.Errorf("%d marks, %d controls, %d files", len(demo.Marks), len(demo.Controls), len(demo.Files))
	}
}

// TestServeTellsOfProblems runs the real command on a book that cannot be
// built: it stays up, and says what is wrong.
func TestServeTellsOfProblems(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "site.yaml"), []byte("titel: x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	output, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- run(ctx, []string{"serve", "--content", dir, "--addr", "127.0.0.1:0"}, out) }()
	lines := bufio.NewReader(output)
	address, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address = strings.TrimSpace(address)
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	response, err := http.Get(address + "/_dev/events")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var told []byte
	for buffer := make([]byte, 4096); !bytes.Contains(told, []byte("unknown key")); {
		n, err := response.Body.Read(buffer)
		told = append(told, buffer[:n]...)
		if err != nil {
			t.Fatalf("%v after %s", err, told)
		}
	}
	if !bytes.Contains(told, []byte(`did you mean \"title\"?`)) {
		t.Errorf("told %s", told)
	}
	stop()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Error("serve does not end")
	}
}
