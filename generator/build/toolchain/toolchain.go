// Package toolchain calls the Go command: for the control plane as WebAssembly,
// and for the generator itself when its source changed under a running server.
package toolchain

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"kubewalk/generator/problem"
)

// Build compiles a package of the module in dir. What the compiler finds are
// problems with their places.
func Build(dir, out, pkg string, env []string, flags ...string) error {
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	arguments := append([]string{"build", "-o", out}, flags...)
	command := exec.Command("go", append(arguments, pkg)...)
	command.Dir, command.Env = dir, append(os.Environ(), env...)
	if os.Getenv("GOGC") == "" { // as in the Makefile: a tenth of the compiler's time goes into saving memory
		command.Env = append(command.Env, "GOGC=400")
	}
	text, err := command.CombinedOutput()
	if err == nil {
		return nil
	}
	if found := problems(text); len(found) > 0 {
		return found
	}
	return fmt.Errorf("go build %s: %w\n%s", pkg, err, bytes.TrimSpace(text))
}

var place = regexp.MustCompile(`^(?:vet: )?([^\s:]+\.go):(\d+):(?:(\d+):)? (.*)$`)

// problems reads the compiler's output.
func problems(text []byte) problem.Errors {
	var out problem.Errors
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if m := place.FindStringSubmatch(line); m != nil {
			l, _ := strconv.Atoi(m[2])
			c, _ := strconv.Atoi(m[3])
			out = append(out, problem.Problem{File: strings.TrimPrefix(filepath.ToSlash(m[1]), "./"), Line: l, Column: c, Message: m[4]})
		} else if strings.HasPrefix(line, "\t") && len(out) > 0 {
			out[len(out)-1].Message += " " + strings.TrimSpace(line)
		}
	}
	return out
}

// Root is the folder of the Go installation.
func Root() (string, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w (Go has to be on the PATH)", err)
	}
	return strings.TrimSpace(string(out)), nil
}
