package kubectl

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// noEffect are flags that change nothing in what these commands do here, as they change nothing of what the real one prints.
var noEffect = map[string]bool{"use-protocol-buffers": true, "pod-running-timeout": true}

// A flag that a command takes is read somewhere; what nobody reads is marked as absent, and refused.
func TestFlagsAreRead(t *testing.T) {
	files, _ := filepath.Glob("*.go")
	source := ""
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(file, "_test.go") {
			source += string(text)
		}
	}
	for command, flags := range Flags() {
		for _, f := range flags {
			if read := strings.Contains(source, `"`+f.Name+`"`); !read && !f.Absent && !noEffect[f.Name] {
				t.Errorf("%s --%s: nobody reads it (cure: implement it, or mark it with !)", command, f.Name)
			}
		}
	}
}

func TestAbsentFlags(t *testing.T) {
	for line, want := range map[string]string{
		"patch deploy web --local -p {}":     "--local is absent here",
		"label pod web a=b --local=true":     "--local is absent here",
		"delete pod web -i":                  "--interactive is absent here",
		"delete pod web --interactive=false": "",
	} {
		err := Check(strings.Fields(line))
		if got := ""; err != nil && !strings.Contains(err.Error(), want) || err == nil && want != got || err != nil && want == "" {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}

// A command that is absent says so, and what to use instead.
func TestAbsentCommands(t *testing.T) {
	for _, name := range sortedKeys(absent) {
		for _, line := range []string{name, name + " --help", "-n x " + name + " web"} {
			err := Check(strings.Fields(line))
			if err == nil || !strings.HasPrefix(err.Error(), "error: kubectl "+name+" is absent here: ") {
				t.Errorf("%s: %v", line, err)
			}
		}
		if lookup(name) != nil || len(names(name)) > 0 {
			t.Errorf("%q is there", name)
		}
	}
}
