package kubectl

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Random texts differ as diff -u says they do.
func TestUnifiedIsGNUDiff(t *testing.T) {
	program, err := exec.LookPath("diff")
	if err != nil {
		t.Skip("there is no diff here")
	}
	folder := t.TempDir()
	const seed = 1
	r := rand.New(rand.NewPCG(seed, 0))
	for n := range 500 {
		from, to := randomPair(r)
		for crowded(from) || crowded(to) {
			from, to = randomPair(r)
		}
		a, b := filepath.Join(folder, "a"), filepath.Join(folder, "b")
		for file, text := range map[string]string{a: from, b: to} {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		out, _ := exec.Command(program, "-u", a, b).Output()
		want := ""
		if lines := strings.SplitN(string(out), "\n", 3); len(lines) == 3 {
			want = lines[2]
		}
		if got := unified(from, to); got != want {
			t.Fatalf("seed %d, pair %d: %q and %q\ngot\n%s\nwant\n%s", seed, n, from, to, got, want)
		}
	}
}

// crowded says that a line is there so often that GNU diff might leave it out of its search.
func crowded(text string) bool {
	count := map[string]int{}
	for _, line := range linesOf(text) {
		if count[line]++; count[line] > 5 {
			return true
		}
	}
	return false
}

// randomPair are two texts of which the second is the first with changes; lines repeat as they do in YAML.
func randomPair(r *rand.Rand) (string, string) {
	kinds := 3 + r.IntN(40)
	line := func() string { return strings.Repeat("  ", r.IntN(2)) + string(rune('a'+r.IntN(kinds))) + ":" }
	var from, to []string
	for range r.IntN(60) {
		from = append(from, line())
	}
	for _, l := range from {
		switch r.IntN(12) {
		case 0:
		case 1:
			to = append(to, line())
		case 2:
			to = append(to, line(), l)
		default:
			to = append(to, l)
		}
	}
	text := func(lines []string) string {
		if len(lines) == 0 {
			return ""
		}
		return strings.Join(lines, "\n") + "\n"
	}
	return text(from), text(to)
}

// What unified prints leads from one text to the other.
func FuzzUnified(f *testing.F) {
	f.Add("a\nb\nc", "a\nc\nd")
	f.Add("", "x")
	f.Add("b\nb\na\nb", "b\na\nb\nb\nb")
	f.Fuzz(func(t *testing.T, from, to string) {
		a, b := linesOf(from), linesOf(to)
		got, at := []string{}, 0
		for _, line := range strings.Split(strings.TrimSuffix(unified(from, to), "\n"), "\n") {
			switch {
			case strings.HasPrefix(line, "@@ -"):
				first, count, _ := strings.Cut(strings.Fields(line[4:])[0], ",")
				begin := number0(first)
				if count != "0" {
					begin--
				}
				for ; at < begin; at++ {
					got = append(got, a[at])
				}
			case strings.HasPrefix(line, "+"):
				got = append(got, line[1:])
			case line != "":
				if a[at] != line[1:] {
					t.Fatalf("%q is not line %d of %q", line, at, from)
				}
				if at++; line[0] == ' ' {
					got = append(got, line[1:])
				}
			}
		}
		if got = append(got, a[at:]...); strings.Join(got, "\n") != strings.Join(b, "\n") {
			t.Errorf("from %q to %q: %q\n%s", from, to, got, unified(from, to))
		}
	})
}

func number0(s string) (n int) {
	for _, c := range s {
		n = n*10 + int(c-'0')
	}
	return n
}
