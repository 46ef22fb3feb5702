package output

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func written(t *testing.T, dir string, tr *Tree) {
	t.Helper()
	if err := tr.Write(dir); err != nil {
		t.Fatal(err)
	}
}

// git runs one command of a repository of the test's own.
func git(t *testing.T, dir string, arguments ...string) string {
	t.Helper()
	command := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=n", "-c", "user.email=e@example.org"}, arguments...)...)
	command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", arguments, err, out)
	}
	return string(out)
}

// TestWriteKeepsWhatIsNotTheBuilds: only what a build wrote goes.
func TestWriteKeepsWhatIsNotTheBuilds(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "public")
	written(t, dir, tree("en/a.html", "en/b.html", "assets/old-1.css", "gone/x.html"))
	put(t, filepath.Join(dir, "CNAME"), "book.example")
	put(t, filepath.Join(dir, "en/notes.txt"), "in a folder of the site")
	put(t, filepath.Join(dir, "gone/notes.txt"), "in a folder that the site has no longer")
	put(t, filepath.Join(dir, "en/b.html"), "changed by hand, and no longer of the site")
	put(t, filepath.Join(dir, "en/a.html"), "changed by hand, and written again")
	put(t, filepath.Join(parent, "secret"), "outside")
	put(t, filepath.Join(parent, "folder/inside"), "outside")
	for link, to := range map[string]string{"to-file": "../secret", "to-folder": "../folder", "to-nothing": "nowhere", "to-itself": "to-itself"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "empty/folder"), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "empty"), 0o550); err != nil {
		t.Fatal(err)
	}
	before, _ := os.Stat(filepath.Join(dir, "CNAME"))
	for range 2 {
		written(t, dir, tree("en/a.html", "en/c.html"))
		want := "public/CNAME public/_headers public/en/a.html public/en/b.html public/en/c.html public/en/notes.txt public/gone/notes.txt " +
			"public/to-file public/to-folder public/to-itself public/to-nothing secret"
		if got := list(t, parent); got != "folder/inside "+want {
			t.Fatalf("there is\n%s, and not\n%s", got, want)
		}
		after, err := os.Stat(filepath.Join(dir, "CNAME"))
		if err != nil || !os.SameFile(before, after) {
			t.Errorf("CNAME is another file: %v", err)
		}
		if text, _ := os.ReadFile(filepath.Join(dir, "en/b.html")); string(text) != "changed by hand, and no longer of the site" {
			t.Errorf("en/b.html holds %q", text)
		}
		if text, _ := os.ReadFile(filepath.Join(dir, "en/a.html")); string(text) != "en/a.html" {
			t.Errorf("en/a.html holds %q", text)
		}
		if to, err := os.Readlink(filepath.Join(dir, "to-file")); err != nil || to != "../secret" {
			t.Errorf("the link leads to %q: %v", to, err)
		}
		if info, err := os.Stat(filepath.Join(dir, "empty/folder")); err != nil || info.Mode().Perm() != 0o750 {
			t.Errorf("the empty folder: %v, %v", info, err)
		}
		if info, err := os.Stat(filepath.Join(dir, "empty")); err != nil || info.Mode().Perm() != 0o550 {
			t.Errorf("the folder that nobody may write to: %v, %v", info, err)
		}
	}
}

// TestWriteIntoARepository: a folder that is published by git, as a repository and as a
// worktree of one; a first build may go into a fresh one.
func TestWriteIntoARepository(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here")
	}
	parent := t.TempDir()
	project, dir := filepath.Join(parent, "project"), filepath.Join(parent, "project", "public")
	if err := os.Mkdir(project, 0o755); err != nil {
		t.Fatal(err)
	}
	git(t, project, "init", "-q", "-b", "main")
	git(t, project, "commit", "-q", "--allow-empty", "-m", "first")
	git(t, project, "worktree", "add", "-b", "pages", dir)
	put(t, filepath.Join(dir, "CNAME"), "book.example")
	written(t, dir, tree("en/a.html"))
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "site 1")
	written(t, dir, tree("en/b.html"))
	if got := git(t, dir, "status", "--porcelain"); !strings.Contains(got, " D en/a.html") || !strings.Contains(got, "?? en/b.html") || strings.Contains(got, "CNAME") {
		t.Errorf("git says\n%s", got)
	}
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "site 2")

	alone := filepath.Join(parent, "alone")
	git(t, parent, "clone", "-q", "-b", "pages", project, alone)
	written(t, alone, tree("en/c.html")) // the manifest is part of the branch
	if got := git(t, alone, "status", "--porcelain"); !strings.Contains(got, " D en/b.html") || strings.Contains(got, "CNAME") {
		t.Errorf("git says\n%s", got)
	}
	git(t, alone, "fsck", "--strict")
	git(t, alone, "add", "-A")
	git(t, alone, "commit", "-q", "-m", "site 3")
	if got := git(t, alone, "log", "--format=%s"); got != "site 3\nsite 2\nsite 1\nfirst\n" {
		t.Errorf("git log: %s", got)
	}
}

// TestWriteRefuses: where it cannot keep both, nothing changes and the error says what to do.
func TestWriteRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		theirs func(dir string) error
		want   string
	}{
		"a file of the site's name": {func(dir string) error { return os.WriteFile(filepath.Join(dir, "en/new.html"), nil, 0o644) },
			"en/new.html was not written by a build, and the site has a file of that name: move it out"},
		"a folder of a file's name": {func(dir string) error { return os.MkdirAll(filepath.Join(dir, "en/new.html/x"), 0o755) },
			"the site has a file in the place of that folder"},
		"a file of a folder's name": {func(dir string) error { return os.WriteFile(filepath.Join(dir, "ja"), nil, 0o644) },
			"the site has a folder of that name"},
		"a link in the place of a file": {func(dir string) error {
			file := filepath.Join(dir, "en/a.html")
			return errors.Join(os.Remove(file), os.Symlink("/etc/passwd", file))
		}, "en/a.html was not written by a build"},
		"a list that is no list": {func(dir string) error { return os.WriteFile(filepath.Join(dir, ManifestFile), []byte("{"), 0o644) },
			ManifestFile + ", which tells what a build wrote, is damaged"},
		"a list that leads outside": {func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, ManifestFile)), os.Symlink("/etc/passwd", filepath.Join(dir, ManifestFile)))
		}, "it is no regular file"},
		"an older site": {func(dir string) error { return os.Remove(filepath.Join(dir, ManifestFile)) },
			"was written by an older kubewalk, which left no list of its files"},
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			dir := filepath.Join(parent, "public")
			written(t, dir, tree("en/a.html"))
			if err := test.theirs(dir); err != nil {
				t.Fatal(err)
			}
			before := list(t, parent)
			err := tree("en/a.html", "en/new.html", "ja/x.html").Write(dir)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "out") {
				t.Errorf("got %v", err)
			}
			if after := list(t, parent); after != before {
				t.Errorf("there is\n%s, and there was\n%s", after, before)
			}
		})
	}
}

// TestManifestOfAnother: a manifest may come with a repository that somebody else made.
func TestManifestOfAnother(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "public")
	written(t, dir, tree("a.html"))
	put(t, filepath.Join(parent, "thesis.txt"), "x")
	put(t, filepath.Join(dir, ManifestFile), `{"files": {"../thesis.txt": {"size": 1, "hash": "2d711642b7"}, "/etc/passwd": {}, "": {}, ".": {}, "..": {}, "a.html": {"size": 6}, "_headers": {}}}`)
	written(t, dir, tree("b.html"))
	if got := list(t, parent); !strings.Contains(got, "thesis.txt") {
		t.Errorf("there is %s", got)
	}
}

// TestLeftFolderOfAnother: a name like that of a folder which a build left makes none.
func TestLeftFolderOfAnother(t *testing.T) {
	parent := t.TempDir()
	put(t, filepath.Join(parent, ".public-new-photos", "a.jpg"), "mine")
	put(t, filepath.Join(parent, ".public-new-file"), "mine")
	written(t, filepath.Join(parent, "public"), tree("a.html"))
	if got := list(t, parent); got != ".public-new-file .public-new-photos/a.jpg public/_headers public/a.html" {
		t.Errorf("there is %s", got)
	}
}

// TestKilledAfterTheSwap: what was in the folder is beside it, and a file has come into it
// since the build looked.
func TestKilledAfterTheSwap(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "public")
	written(t, dir, tree("a.html", "b.html"))
	put(t, filepath.Join(dir, "CNAME"), "book.example")
	old := filepath.Join(parent, ".public-new-17")
	written(t, filepath.Join(parent, "other"), tree("a.html"))
	put(t, filepath.Join(parent, "other", "CNAME"), "book.example") // no second name, as where files are copied
	if err := errors.Join(os.Rename(dir, old), os.Rename(filepath.Join(parent, "other"), dir)); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(old, "new/late.txt"), "late")
	written(t, dir, tree("c.html"))
	if got := list(t, parent); got != "public/CNAME public/_headers public/c.html public/new/late.txt" {
		t.Errorf("there is %s", got)
	}
}
