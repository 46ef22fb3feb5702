package scaffold

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"kubewalk/generator/publish/distribution"
)

// published is what matters of a workflow.
type published struct {
	On          map[string]any
	Permissions map[string]string
	Jobs        map[string]struct {
		If          string
		Needs       string
		Permissions map[string]string
		Env         map[string]string
		Steps       []struct{ If, Uses, Run string }
	}
}

// TestWorkflow: it is YAML, pins what it uses, gives each job the least permissions, and publishes nothing of a pull request.
func TestWorkflow(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "my-book")
	if _, err := Book(dir, BookOptions{}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, WorkflowFile))
	if err != nil {
		t.Fatal(err)
	}
	var w published
	if err := yaml.Unmarshal(text, &w); err != nil {
		t.Fatal(err)
	}
	if len(w.Permissions) > 0 || len(w.On) != 3 {
		t.Errorf("all jobs have %v, on %v", w.Permissions, w.On)
	}
	for job, want := range map[string]map[string]string{"build": {"contents": "read"}, "publish": {"pages": "write", "id-token": "write"}} {
		if got := w.Jobs[job].Permissions; !reflect.DeepEqual(got, want) {
			t.Errorf("%s may %v", job, got)
		}
	}
	const published = "github.event_name != 'pull_request'"
	if w.Jobs["publish"].Needs != "build" || !strings.HasPrefix(w.Jobs["publish"].If, published) {
		t.Errorf("it is published if %q, after %q", w.Jobs["publish"].If, w.Jobs["publish"].Needs)
	}
	pinned := regexp.MustCompile(`^ +(- )?uses: actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	used := 0
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, "uses:") {
			used++
			if !pinned.MatchString(strings.TrimSuffix(line, "\n")) {
				t.Errorf("not pinned: %s", line)
			}
		}
	}
	if used != 3 {
		t.Errorf("%d actions", used)
	}
	var runs []string
	for _, step := range w.Jobs["build"].Steps {
		if step.Run != "" {
			runs = append(runs, step.Run)
		}
		if strings.Contains(step.Uses, "upload") && step.If != published {
			t.Errorf("uploaded if %q", step.If)
		}
		// What a pull request's author writes must not become part of a command.
		if strings.Contains(step.Run, "${{") {
			t.Errorf("an expression in a command: %s", step.Run)
		}
	}
	if !slices.Equal(runs, []string{"sh " + InstallFile, `bin/kubewalk build --base-url "$BASE_URL"`}) {
		t.Errorf("it runs %q", runs)
	}
	if env := w.Jobs["build"].Env; env["KUBEWALK_URL"] != "${{ vars.KUBEWALK_URL }}" ||
		env["KUBEWALK_SHA256"] != "${{ vars.KUBEWALK_SHA256 }}" || env["BASE_URL"] == "" {
		t.Errorf("variables %v", env)
	}
}

// TestInstall runs the script on an archive as make dist writes it, of a program that says that it runs.
func TestInstall(t *testing.T) {
	for _, needed := range []string{"sh", "curl", "sha256sum", "tar", "gzip"} {
		if _, err := exec.LookPath(needed); err != nil {
			t.Skip(err)
		}
	}
	dir := filepath.Join(t.TempDir(), "my-book")
	if _, err := Book(dir, BookOptions{}); err != nil {
		t.Fatal(err)
	}
	target := distribution.Target{OS: "linux", Arch: "amd64"} // of machines that build books
	archive, err := target.Pack([]byte("#!/bin/sh\necho it runs\n"), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, manual := range []string{filepath.Join(dir, "README.md"), "../../../docs/hosting.md"} {
		text, err := os.ReadFile(manual)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "https://…/"+target.Archive()+"`") {
			t.Errorf("%s does not say that the archive is %s", manual, target.Archive())
		}
	}
	file := filepath.Join(t.TempDir(), target.Archive())
	if err := os.WriteFile(file, archive, 0o644); err != nil {
		t.Fatal(err)
	}
	install := func(address, sum string) (string, error) {
		command := exec.Command("sh", InstallFile)
		command.Dir, command.Env = dir, append(os.Environ(), "KUBEWALK_URL="+address, "KUBEWALK_SHA256="+sum)
		out, err := command.CombinedOutput()
		return string(out), err
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(archive))
	bin := filepath.Join(dir, "bin", "kubewalk")
	for _, c := range []struct{ address, sum, want string }{
		{"", sum, "KUBEWALK_URL or KUBEWALK_SHA256 is not set"},
		{"file://" + file, "", "KUBEWALK_URL or KUBEWALK_SHA256 is not set"},
		{"file://" + file, strings.Repeat("0", 64), "does not have the checksum 000"},
		{"file://" + file + "x", sum, "curl: "},
		{"http://127.0.0.1:1/x", sum, "curl: "}, // never without encryption
	} {
		if out, err := install(c.address, c.sum); err == nil || !strings.Contains(out, c.want) {
			t.Errorf("%s, %.8s: %v, %s", c.address, c.sum, err, out)
		}
		if _, err := os.Stat(bin); err == nil {
			t.Fatalf("%s, %.8s: it is installed", c.address, c.sum)
		}
	}
	if out, err := install("file://"+file, sum); err != nil {
		t.Fatal(err, out)
	}
	if made, err := os.ReadDir(filepath.Dir(bin)); err != nil || len(made) != 1 {
		t.Errorf("the book gets more than the program: %v, %v", made, err)
	}
	if out, err := exec.Command(bin).Output(); err != nil || string(out) != "it runs\n" {
		t.Errorf("%q, %v", out, err)
	}
}
