package distribution

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kubewalk/generator/build/compressed"
)

func TestParse(t *testing.T) {
	for list, want := range map[string][]Target{
		"":  Targets,
		" ": Targets,
		"windows/arm64, linux/amd64,windows/arm64": {{"windows", "arm64"}, {"linux", "amd64"}},
	} {
		if got, err := Parse(list); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v", list, got, err)
		}
	}
	for list, want := range map[string]string{
		"linux/arm46":  `unknown target "linux/arm46" (did you mean "linux/arm64"?)`,
		"linux/amd64,": `unknown target "" (`,
		"js/wasm":      `unknown target "js/wasm" (`,
	} {
		if _, err := Parse(list); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", list, err)
		}
	}
}

// TestPack: an archive has what it should, of which only the program may be run, and under its system's names.
func TestPack(t *testing.T) {
	for _, target := range Targets {
		made, err := target.Pack([]byte("a program"), []byte("a licence"), []byte("more licences"))
		if err != nil {
			t.Fatal(err)
		}
		files, read := map[string]string{}, unpackTar
		program, ending := "kubewalk", ".tar.gz"
		if target.OS == "windows" {
			program, ending, read = "kubewalk.exe", ".zip", unpackZip
		}
		for name, f := range read(t, made) {
			files[name] = f.text
			if f.runs != (name == program) {
				t.Errorf("%s: %s may be run: %v", target, name, f.runs)
			}
		}
		if len(files) != 4 || files[program] != "a program" || files["LICENSE"] != "a licence" || files["THIRD_PARTY_LICENSES.txt"] != "more licences" ||
			!strings.Contains(files["README.txt"], "kubewalk new mybook") {
			t.Errorf("%s has %v", target, files)
		}
		if name := target.Archive(); name != "kubewalk-"+target.OS+"-"+target.Arch+ending {
			t.Errorf("%s is %s", target, name)
		}
	}
}

type file struct {
	text string
	runs bool
}

func unpackTar(t *testing.T, data []byte) map[string]file {
	plain, err := compressed.Gunzip(data)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]file{}
	for r := tar.NewReader(bytes.NewReader(plain)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out[h.Name] = file{string(text), h.Mode&0o111 != 0}
	}
}

func unpackZip(t *testing.T, data []byte) map[string]file {
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]file{}
	for _, f := range r.File {
		entry, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(entry)
		if err != nil {
			t.Fatal(err)
		}
		out[f.Name] = file{string(text), f.Mode()&0o111 != 0}
	}
	return out
}

// TestNotices: modules, code of others in packages of ours, and code of others in modules. Kubewalk's own licence is not among them.
func TestNotices(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []Target{{"linux", "amd64"}, {"windows", "arm64"}} {
		text, err := Notices(root, target)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"Go", "github.com/yuin/goldmark: LICENSE", "github.com/tetratelabs/wazero: NOTICE", "github.com/evanw/esbuild: LICENSE.txt",
			"gopkg.in/evanphx/json-patch.v4: LICENSE", "kubewalk: libwebp.LICENSE", "kubewalk: reveal.LICENSE", "kubewalk: OFL.txt"} {
			if n := bytes.Count(text, []byte("==== "+want+" ====\n")); n != 1 {
				t.Errorf("%s: %s is there %d times", target, want, n)
			}
		}
		if bytes.Contains(text, []byte("==== kubewalk: LICENSE ====")) {
			t.Errorf("%s: our own licence is among those of others", target)
		}
	}
	folder := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":            "module kubewalk\n\ngo 1.26\n\nrequire b v0.0.0\n\nreplace b => ./b\n",
		"generator/main.go": "package main\n\nimport _ \"b\"\n\nfunc main() {}\n",
		"wasm/main.go":      "package main\n\nfunc main() {}\n",
		"b/go.mod":          "module b\n\ngo 1.26\n", "b/b.go": "package b\n",
	} {
		full := filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Notices(folder, Host()); err == nil || !strings.HasPrefix(err.Error(), "module b has no file with a licence") {
		t.Errorf("a module without a licence: %v", err)
	}
}
