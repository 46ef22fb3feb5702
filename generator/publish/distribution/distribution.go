// Package distribution is kubewalk as it is handed out: an archive for each system, with the program, what may be done with
// it, and a few words on how to begin. A new book's install.sh (generator/dev/scaffold) takes the program from such an archive.
package distribution

import (
	_ "embed" // the readme
	"fmt"
	"runtime"
	"slices"
	"strings"

	"kubewalk/generator/problem"
	"kubewalk/generator/publish/archive"
)

// Target is a system that a program is compiled for, in Go's words (go tool dist list).
type Target struct{ OS, Arch string }

// Targets are all systems that kubewalk is handed out for.
var Targets = []Target{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"}}

// Host is this machine.
func Host() Target { return Target{runtime.GOOS, runtime.GOARCH} }

// Parse reads a list such as "linux/arm64,windows/amd64"; an empty one is of all targets. What is not a target is an error
// that says which there are.
func Parse(list string) ([]Target, error) {
	if strings.TrimSpace(list) == "" {
		return Targets, nil
	}
	var names []string
	for _, t := range Targets {
		names = append(names, t.String())
	}
	var out []Target
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		i := slices.Index(names, name)
		if i < 0 {
			return nil, fmt.Errorf("unknown target %q (%s)", name, problem.DidYouMean(name, names))
		}
		if !slices.Contains(out, Targets[i]) {
			out = append(out, Targets[i])
		}
	}
	return out, nil
}

func (t Target) String() string { return t.OS + "/" + t.Arch }

// Program is the name of the program's file.
func (t Target) Program() string {
	if t.OS == "windows" {
		return "kubewalk.exe"
	}
	return "kubewalk"
}

// Archive is the name of the archive's file.
func (t Target) Archive() string {
	name := "kubewalk-" + t.OS + "-" + t.Arch
	if t.OS == "windows" {
		return name + ".zip"
	}
	return name + ".tar.gz"
}

// Environment is that of a compiler which makes the same bytes of a commit on every machine, in every folder. It replaces what
// the user's own says about how to compile (go env -w too, which an empty GOFLAGS would not), and asks for the least processor
// of an architecture.
func (t Target) Environment() []string {
	return []string{"GOOS=" + t.OS, "GOARCH=" + t.Arch, "CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=-trimpath -gcflags=all=-dwarf=false"}
}

//go:embed README.txt
var readme []byte

// Pack makes the archive of a program.
func (t Target) Pack(program, license, notices []byte) ([]byte, error) {
	files := []archive.File{
		{Name: t.Program(), Data: program, Program: true},
		{Name: "LICENSE", Data: license},
		{Name: "THIRD_PARTY_LICENSES.txt", Data: notices},
		{Name: "README.txt", Data: readme},
	}
	if t.OS == "windows" {
		return archive.Zip(files...)
	}
	return archive.TarGz(files...)
}
