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

	"kubewalk/generator/build/demos"
	"kubewalk/generator/dev/scaffold"
)

func TestCommandLine(t *testing.T) {
	for arguments, want := range map[string]string{
		"":                    "help",
		"serv":                `did you mean "serve"?`,
		"build --nope":        "build has no flag --nope (known: --base-url, --content, --drafts, --out, --portable, --precompress, --strict; see kubewalk help build)",
		"build --base-ulr x":  `build has no flag --base-ulr (did you mean "--base-url"?; see kubewalk help build)`,
		"serve --out x":       "serve has no flag --out (known: ",
		"build --out":         "--out needs a value (as in --out DIR; see kubewalk help build)",
		"help bild":           `there is no help for "bild" (did you mean "build"?)`,
		"trace":               "trace runs one demo, not 0",
		"trace first-lop":     "no demo \"first-lop\" in content/demos (",
		"serve --content /no": "/no/site.yaml: file is missing, so there is no book to serve (run this in the folder of a book",
		"hosting":             "hosting is for one server, not 0",
		"hosting ngnix":       `hosting knows no server "ngnix" (did you mean "nginx"?; see kubewalk help hosting)`,
		"hosting nginx":       `base URL "" is not an address`,
		"hosting caddy --base-url https://book.example --out /no":      "/no: there is no site (write it first: kubewalk build",
		"build --portable --precompress":                               "--portable and --precompress exclude each other",
		"export demo x --single-file --pictures":                       "--single-file and --pictures exclude each other",
		"talk":                                                         "talk writes one talk, not 0",
		"talk x --content /no":                                         "/no/site.yaml: file is missing",
		"talk controller-from-zreo --content ../content":               `unknown talk "controller-from-zreo" (did you mean "controller-from-zero"?)`,
		"talk controller-from-zero --language jp --content ../content": `the book has no language "jp" (did you mean "ja"?)`,
		"build content":                                                `unexpected argument "content"`,
		"new":                                                          "new needs to know what to create",
		"new chaptr x":                                                 `did you mean "chapter"?`,
		"new chapter":                                                  "new chapter needs a name (see kubewalk help new)",
		"new demo a b":                                                 `unexpected argument "b"`,
		"new x --languages e!":                                         `language "e!" is not understood`,
		"dist --targets linux/amd46":                                   `unknown target "linux/amd46" (did you mean "linux/amd64"?)`,
		"pakc":                                                         `did you mean "pack"?`,
		"check --content /no":                                          "/no/site.yaml: file is missing",
		"build --base-url x.y":                                         "base URL",
	} {
		var out bytes.Buffer
		err := run(t.Context(), strings.Fields(arguments), &out)
		if want == "help" && !errors.Is(err, flag.ErrHelp) || want != "help" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", arguments, err)
		}
	}
}

// TestHelp: the program carries its manuals, and its help names all that there is.
func TestHelp(t *testing.T) {
	for arguments, want := range map[string][]string{
		"help":            {"\n  help authoring ", "trace DEMO.yaml", "--base-url URL", "The exit code is 0"},
		"help build":      {"kubewalk build ", "--out DIR", "--portable"},
		"build --help":    {"kubewalk build ", "--out DIR", "--portable"},
		"help dist":       {"kubewalk dist ", "--targets LIST", "--out DIR"},
		"help new":        {"kubewalk new NAME", "kubewalk new words LANGUAGE", "--languages LIST"},
		"hosting --help":  {"kubewalk hosting SERVER", "--root DIR"},
		"help hosting":    {"# Putting the site on a host\n", "kubewalk hosting nginx --base-url"},
		"help first-demo": {"# Your first demo\n", "$ kubewalk trace scale-up --op container.start"},
		"help authoring":  {"# Writing a book\n", "## What a demo proves {#claims}"},
		"help demo":       {"# The form of a demo\n", "| `crash-container` |"},
	} {
		var out bytes.Buffer
		if err := run(t.Context(), strings.Fields(arguments), &out); err != nil {
			t.Error(err)
		}
		for _, text := range want {
			if !strings.Contains(out.String(), text) {
				t.Errorf("%s says nothing of %q:\n%.2000s", arguments, text, out.String())
			}
		}
	}
	var whole bytes.Buffer
	if err := run(t.Context(), []string{"help"}, &whole); err != nil {
		t.Fatal(err)
	}
	for name := range commands {
		if !strings.Contains(whole.String(), "\n  "+name+" ") {
			t.Errorf("help says nothing of %s", name)
		}
	}
}

// TestTrace: what there is to claim, and what is wrong.
func TestTrace(t *testing.T) {
	dir := t.TempDir()
	made, err := scaffold.Demo(dir, "first", []string{"en"})
	if err != nil {
		t.Fatal(err)
	}
	for _, arguments := range [][]string{{"trace", made[0]}, {"trace", "first", "--content", dir}} {
		var out bytes.Buffer
		if err := run(t.Context(), arguments, &out); err != nil || !strings.Contains(out.String(), "Too few replicas") {
			t.Errorf("%v: %v, %d bytes", arguments, err, out.Len())
		}
	}
	text, err := os.ReadFile(made[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(made[0], bytes.Replace(text, []byte("scale: {replicaset: web"), []byte("scale: {replicaset: wbe"), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), []string{"trace", made[0]}, io.Discard); err == nil ||
		!strings.Contains(err.Error(), `there is never a replicaset "wbe" for the control (did you mean "web"?)`) {
		t.Error(err)
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

// TestWithoutATheme: the program that go install makes, as this test is outside of a checkout, says in a line what to do: each command
// that needs what it lacks, and the one that begins a book.
func TestWithoutATheme(t *testing.T) {
	t.Chdir(t.TempDir())
	var out bytes.Buffer
	if err := run(t.Context(), []string{"new", "my-book"}, &out); err != nil {
		t.Fatal(err)
	}
	const want = "run make kubewalk in a checkout of Kubewalk"
	if _, last, _ := strings.Cut(out.String(), "\n\n"); !strings.Contains(last, want) || strings.Count(last, "\n") != 1 {
		t.Errorf("new says %q", last)
	}
	t.Chdir("my-book")
	for _, command := range []string{"build", "serve", "check", "check --json", "release", "keep", "export demo first-loop", "talk x", "pack", "dist", "npm", "cluster --show"} {
		if err := run(t.Context(), strings.Fields(command), io.Discard); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s says %v", command, err)
		}
	}
	for _, command := range []string{"new chapter start/more", "new demo more", "trace more", "schema", "help demo"} { // these need no theme
		if err := run(t.Context(), strings.Fields(command), io.Discard); err != nil {
			t.Errorf("%s: %v", command, err)
		}
	}
}
