package output

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// version is a site all of whose files hold the same number.
func version(n int) *Tree {
	t := NewTree()
	t.Put(MarkerFile, []byte(Marker+strconv.Itoa(n)))
	for i := range 60 {
		t.Put(fmt.Sprintf("folder-%d/file-%d.html", i%7, i), []byte(Marker+strings.Repeat(" ", 1000)+strconv.Itoa(n)))
	}
	return t
}

// versionOf reads which it is, and fails when it is not wholly one.
func versionOf(t *testing.T, dir string) string {
	t.Helper()
	found, files := "", 0
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == ManifestFile || strings.Contains(name, "theirs") {
			return err
		}
		text, err := os.ReadFile(name)
		number := strings.TrimSpace(strings.TrimPrefix(string(text), Marker))
		if files++; found != "" && number != found {
			return fmt.Errorf("%s is of version %q, others of %q", name, number, found)
		}
		found = number
		return err
	})
	if err != nil || files != 61 {
		t.Fatalf("%d files, %v", files, err)
	}
	return found
}

// TestMain lets the test be the process that is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv("OUTPUT_TEST_DIR"); dir != "" {
		for n := 1; ; n++ {
			if err := version(n).Write(dir); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
	}
	os.Exit(m.Run())
}

// TestKilledAtAnyMoment kills a process that builds again and again. What is there
// afterwards is always a whole site, and the next build leaves nothing else behind.
func TestKilledAtAnyMoment(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "public")
	start := time.Now()
	if err := version(0).Write(dir); err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	for _, name := range []string{"theirs.txt", ".theirs/objects/a", "folder-3/theirs/b", "gone/theirs"} {
		put(t, filepath.Join(dir, name), "mine: "+name)
	}
	theirs := func() {
		t.Helper()
		for _, name := range []string{"theirs.txt", ".theirs/objects/a", "folder-3/theirs/b", "gone/theirs"} {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil || string(text) != "mine: "+name {
				t.Fatalf("%s is not as it was: %q, %v", name, text, err)
			}
		}
	}
	seen, left := map[string]bool{}, 0
	for i := 0; i < 20 || i < 400 && (len(seen) < 2 || left == 0); i++ {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), "OUTPUT_TEST_DIR="+dir)
		child.Stderr = os.Stderr
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5*time.Millisecond + rand.N(10*took+100*time.Millisecond)) // it has to start first
		if err := child.Process.Kill(); err != nil {
			t.Fatalf("the build ended by itself: %v", err)
		}
		_ = child.Wait()
		seen[versionOf(t, dir)] = true
		theirs() // at every moment
		if beside, _ := os.ReadDir(parent); len(beside) > 1 {
			left++
		}
	}
	if len(seen) < 2 || left == 0 {
		t.Errorf("killed 400 times: %d versions seen, something left beside %d times: nothing was interrupted", len(seen), left)
	}
	if err := version(-1).Write(dir); err != nil {
		t.Fatal(err)
	}
	theirs()
	if beside, _ := os.ReadDir(parent); len(beside) != 1 || versionOf(t, dir) != "-1" {
		t.Errorf("left behind: %v", beside)
	}
}

// TestDiskIsFull lets one write of a build after the other fail.
func TestDiskIsFull(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "public")
	if err := version(1).Write(dir); err != nil {
		t.Fatal(err)
	}
	defer func() { writeFile = os.WriteFile }()
	for fails := 0; fails < 61; fails += 4 {
		room := make(chan bool, 61)
		for range fails {
			room <- true
		}
		writeFile = func(name string, data []byte, mode fs.FileMode) error {
			select {
			case <-room:
				return os.WriteFile(name, data, mode)
			default: // half of it was written
				_ = os.WriteFile(name, data[:len(data)/2], mode)
				return &fs.PathError{Op: "write", Path: name, Err: syscall.ENOSPC}
			}
		}
		if err := version(2).Write(dir); !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "the disk is full") {
			t.Fatalf("write %d failed, and the build said %v", fails, err)
		}
		if got := versionOf(t, dir); got != "1" {
			t.Fatalf("write %d failed, and version %s is there", fails, got)
		}
		if beside, _ := os.ReadDir(parent); len(beside) != 1 {
			t.Fatalf("write %d failed, and left %v", fails, beside)
		}
	}
}

// TestPutsBackWhatWasAway: where folders cannot be exchanged, a build may die
// between two renames.
func TestPutsBackWhatWasAway(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "public")
	if err := version(1).Write(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir, filepath.Join(parent, ".public-new-17"+away)); err != nil {
		t.Fatal(err)
	}
	bad := version(2)
	bad.Put("folder-1", nil) // a file and a folder of one name cannot both be written
	if err := bad.Write(dir); err == nil {
		t.Fatal("a tree that cannot be written was written")
	}
	if got := versionOf(t, dir); got != "1" {
		t.Errorf("version %s is there", got)
	}
}

// TestLeavesOthersAlone: a build at work beside this one is no leftover.
func TestLeavesOthersAlone(t *testing.T) {
	parent := t.TempDir()
	other := filepath.Join(parent, ".public-new-1")
	if err := os.Mkdir(other, 0o755); err != nil {
		t.Fatal(err)
	}
	release, err := hold(other)
	if err != nil {
		t.Skipf("no locks here: %v", err)
	}
	if err := version(1).Write(filepath.Join(parent, "public")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(other); err != nil {
		t.Errorf("it is gone: %v", err)
	}
	release()
	if err := version(1).Write(filepath.Join(parent, "public")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(other); err == nil {
		t.Error("what nobody holds was left")
	}
}
