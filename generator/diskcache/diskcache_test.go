package diskcache

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

type thing struct{ Text string }

func TestCache(t *testing.T) {
	s := Cache{Dir: filepath.Join(t.TempDir(), "a [*]", "things"), Versions: 2}
	got := func(s Cache, name, key string) string {
		var out thing
		if !s.Get(name, key, &out) {
			return "none"
		}
		return out.Text
	}
	s.Put("a", "1", thing{"one"})
	s.Put("b", "1", thing{"two"})
	for key, want := range map[[2]string]string{{"a", "1"}: "one", {"b", "1"}: "two", {"a", "2"}: "none", {"c", "1"}: "none"} {
		if got := got(s, key[0], key[1]); got != want {
			t.Errorf("%q is %q, want %q", key, got, want)
		}
	}
	if others := (Cache{Dir: s.Dir, Any: true}); got(others, "a", "1") != "none" {
		t.Error("a thing of this program's is taken for one of any")
	}
	(Cache{}).Put("a", "1", thing{"x"})
	if got(Cache{}, "a", "1") != "none" {
		t.Error("a cache without a folder keeps something")
	}

	// What was used last stays.
	file := s.file("a", "1")
	old := time.Now().Add(-2 * noted)
	s.Put("a", "2", thing{"2"})
	for _, f := range []string{file, s.file("a", "2")} {
		if err := os.Chtimes(f, old, old); err != nil {
			t.Fatal(err)
		}
	}
	got(s, "a", "1")
	s.Put("a", "3", thing{"3"})
	if got(s, "a", "1") != "one" || got(s, "a", "2") != "none" || got(s, "a", "3") != "3" || got(s, "b", "1") != "two" {
		t.Error("not the two that were asked for last stay")
	}

	// A file that is not as it was written is none.
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-2] ^= 1
	for _, broken := range [][]byte{data, data[:len(data)/2], nil} {
		if err := os.WriteFile(file, broken, 0o644); err != nil {
			t.Fatal(err)
		}
		if got(s, "a", "1") != "none" {
			t.Errorf("a broken file of %d bytes was taken", len(broken))
		}
	}
	(Cache{Dir: filepath.Join(file, "folder")}).Put("a", "1", thing{}) // cannot be written, and stops nothing
}

func TestWhatIsUnusedIsThrownAway(t *testing.T) {
	s := Cache{Dir: t.TempDir()}
	ago := func(name string, age time.Duration) {
		t.Helper()
		when := time.Now().Add(-age)
		if err := os.Chtimes(name, when, when); err != nil {
			t.Fatal(err)
		}
	}
	s.Put("a", "old", thing{})
	s.Put("a", "used", thing{})
	foreign := filepath.Join(s.Dir, "of-an-older-program.png")
	if err := os.WriteFile(foreign, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{s.file("a", "old"), s.file("a", "used"), foreign} {
		ago(file, unused+time.Hour)
	}
	s.Get("a", "used", new(thing))
	s.Put("a", "new", thing{})
	if !s.Get("a", "old", new(thing)) { // swept today already; and now it was asked for
		t.Error("it is looked for what is unused more than once a day")
	}
	ago(s.file("a", "old"), unused+time.Hour)
	ago(filepath.Join(s.Dir, sweptFile), noted+time.Hour)
	s.Put("a", "another", thing{})
	for file, want := range map[string]bool{s.file("a", "old"): false, foreign: false, s.file("a", "used"): true, s.file("a", "new"): true,
		s.file("a", "another"): true} {
		if _, err := os.Stat(file); (err == nil) != want {
			t.Errorf("%s: %v, want it to be there: %t", filepath.Base(file), err, want)
		}
	}
}
