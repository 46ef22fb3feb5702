package history

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// repo is a repository of a test. Commit n has the date of the nth hour.
type repo struct {
	t       *testing.T
	dir     string
	commits int
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	r := &repo{t: t, dir: t.TempDir()}
	r.git("init", "-q", "-b", "main")
	return r
}

func (r *repo) git(arguments ...string) string {
	r.t.Helper()
	c := exec.Command("git", append([]string{"-C", r.dir, "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"},
		arguments...)...)
	date := time.Date(2026, 1, 1, r.commits, 0, 0, 0, time.FixedZone("", 9*3600)).Format(time.RFC3339)
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
	out, err := c.CombinedOutput()
	if err != nil && arguments[0] != "merge" { // one with a conflict fails
		r.t.Fatalf("git %v: %v\n%s", arguments, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *repo) write(name, text string) {
	r.t.Helper()
	full := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// commit commits all that is there and returns its hash.
func (r *repo) commit() string {
	r.t.Helper()
	r.commits++
	r.git("add", "-A")
	r.git("commit", "-q", "-m", fmt.Sprint(r.commits))
	return r.git("rev-parse", "HEAD")
}

func of(t *testing.T, dir string) Files {
	t.Helper()
	files, err := Of(dir)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// is checks that a file was last changed by the nth commit; 0 means not known.
func is(t *testing.T, files Files, name string, n int, hash string) {
	t.Helper()
	got, ok := files.Last(name)
	if n == 0 {
		if ok {
			t.Errorf("%s was changed by %v, want not known", name, got)
		}
		return
	}
	want := Change{time.Date(2025, 12, 31, 15+n, 0, 0, 0, time.UTC), hash}
	if got != want {
		t.Errorf("%s was changed by %v, want %v", name, got, want)
	}
}

// began checks that a file was added by the nth commit; 0 means not known.
func began(t *testing.T, files Files, name string, n int) {
	t.Helper()
	got, ok := files.First(name)
	if n == 0 {
		if ok {
			t.Errorf("%s was added by %v, want not known", name, got)
		}
		return
	}
	if want := time.Date(2025, 12, 31, 15+n, 0, 0, 0, time.UTC); !got.Time.Equal(want) || len(got.Hash) < 40 {
		t.Errorf("%s was added by %v, want one at %v", name, got, want)
	}
}

func TestFirstCommit(t *testing.T) {
	r := newRepo(t)
	long := strings.Repeat("a sentence of the chapter\n", 20)
	r.write("content/en/a.md", "a\n"+long)
	r.write("content/en/b.md", "b\n"+strings.ToUpper(long))
	r.write("content/en/moved.md", "moved\n"+long)
	r.write("content/again.md", "1")
	r.write("outside.md", "outside\n"+strings.Repeat("elsewhere\n", 20))
	r.commit()
	r.write("content/en/a.md", "changed\n"+long)
	r.write("content/new.md", "another")
	r.git("rm", "-q", "content/again.md")
	r.commit()
	// Renamed, and again; two that change places; one that was another since.
	r.git("mv", "content/en/a.md", "content/en/old.md")
	r.git("mv", "content/en/moved.md", "content/en/rewritten.md")
	r.write("content/en/rewritten.md", "changed with its name\n"+long)
	r.write("content/again.md", "of another text")
	r.commit()
	r.git("mv", "content/en/old.md", "content/en/c.md")
	r.git("mv", "content/en/b.md", "content/en/a.md")
	r.git("mv", "outside.md", "content/inside.md")
	r.commit()
	r.git("mv", "content/en/c.md", "content/en/d.md")
	r.git("mv", "content/en/a.md", "content/en/c.md")
	r.git("mv", "content/en/d.md", "content/en/a.md")
	fifth := r.commit()

	files := of(t, filepath.Join(r.dir, "content"))
	is(t, files, "en/a.md", 5, fifth)
	began(t, files, "en/a.md", 1)
	is(t, files, "en/c.md", 5, fifth)
	began(t, files, "en/c.md", 1)
	began(t, files, "new.md", 2)
	began(t, files, "again.md", 3) // what had its name before was another
	began(t, files, "en/rewritten.md", 3)
	began(t, files, "inside.md", 4) // the folder is all that is looked at
	began(t, files, "en/b.md", 0)
	began(t, files, "en/old.md", 0)
}

func TestLastChange(t *testing.T) {
	r := newRepo(t)
	r.write("content/en/a.md", "1")
	r.write("content/en/b.md", "1")
	r.write("content/ja/日本 語.md", "1")
	r.write("outside.md", "1")
	first := r.commit()
	r.write("content/en/b.md", "2")
	second := r.commit()
	r.write("outside.md", "2")
	r.commit()
	r.git("mv", "content/ja/日本 語.md", "content/ja/c.md")
	fourth := r.commit()
	r.write("content/new.md", "1")
	r.write("content/dirty.md", "1")
	fifth := r.commit()
	r.write("content/dirty.md", "2")
	r.write("content/untracked.md", "1")

	files := of(t, filepath.Join(r.dir, "content"))
	is(t, files, "en/a.md", 1, first)
	is(t, files, "en/b.md", 2, second)
	is(t, files, "ja/c.md", 4, fourth)
	is(t, files, "ja/日本 語.md", 0, "")
	is(t, files, "new.md", 5, fifth)
	is(t, files, "dirty.md", 0, "")
	is(t, files, "untracked.md", 0, "")
	is(t, of(t, r.dir), "content/en/b.md", 2, second)

	// Of the same commit again, with other files changed; and of the next one.
	r.write("content/dirty.md", "1")
	r.write("content/new.md", "2")
	files = of(t, filepath.Join(r.dir, "content"))
	is(t, files, "dirty.md", 5, fifth)
	is(t, files, "new.md", 0, "")
	sixth := r.commit()
	files = of(t, filepath.Join(r.dir, "content"))
	is(t, files, "new.md", 6, sixth)
	is(t, files, "untracked.md", 6, sixth)
	is(t, files, "dirty.md", 5, fifth)
}

func TestMerge(t *testing.T) {
	r := newRepo(t)
	r.write("c/both.md", "1\n")
	r.write("c/one.md", "1\n")
	r.commit()
	r.git("checkout", "-q", "-b", "side")
	r.write("c/both.md", "side\n")
	r.write("c/one.md", "side\n")
	side := r.commit()
	r.git("checkout", "-q", "main")
	r.write("c/both.md", "main\n")
	r.commit()
	r.git("merge", "side")
	r.write("c/both.md", "side and main\n")
	merge := r.commit()
	files := of(t, filepath.Join(r.dir, "c"))
	is(t, files, "both.md", 4, merge)
	is(t, files, "one.md", 2, side)
	began(t, files, "both.md", 1)
	began(t, files, "one.md", 1)
}

// TestRenamedByMerge: a merge that renames tells no old name, so nothing is made up.
func TestRenamedByMerge(t *testing.T) {
	r := newRepo(t)
	long := strings.Repeat("a sentence of the chapter\n", 20)
	r.write("a.md", long)
	r.write("b.md", "1")
	r.commit()
	r.git("checkout", "-q", "-b", "side")
	r.write("b.md", "2")
	r.commit()
	r.git("checkout", "-q", "main")
	r.write("c.md", "3")
	r.commit()
	r.git("merge", "-q", "--no-commit", "side")
	r.git("mv", "a.md", "z.md")
	merge := r.commit()
	files := of(t, r.dir)
	is(t, files, "z.md", 4, merge)
	for name, n := range map[string]int{"b.md": 1, "c.md": 3} {
		began(t, files, name, n)
	}
	if first, ok := files.First("z.md"); ok && first.Hash != merge {
		t.Errorf("z.md began with %v", first)
	}
}

// TestShallow: the oldest commit of a shallow clone seems to add every file.
func TestShallow(t *testing.T) {
	r := newRepo(t)
	r.write("old.md", "1")
	r.commit()
	r.write("new.md", "1")
	r.commit()
	r.write("new.md", "2")
	third := r.commit()
	clone := filepath.Join(t.TempDir(), "clone")
	r.git("clone", "-q", "--depth", "2", "file://"+filepath.ToSlash(r.dir), clone)
	files := of(t, clone)
	is(t, files, "old.md", 0, "")
	is(t, files, "new.md", 3, third)
	began(t, files, "old.md", 0)
	began(t, files, "new.md", 0) // at the end of the clone it is there, perhaps for long
	r.write("newest.md", "1")
	r.commit()
	r.git("-C", clone, "pull", "-q", "--depth", "2")
	began(t, of(t, clone), "newest.md", 4)
}

// TestClonesWithoutTexts, as hosts make them: nothing is asked that needs the texts
// of former commits, or fetches them.
func TestClonesWithoutTexts(t *testing.T) {
	r := newRepo(t)
	r.git("config", "uploadpack.allowFilter", "true")
	r.write("content/a.md", strings.Repeat("a sentence\n", 20))
	r.write("content/b.md", "1")
	r.commit()
	r.write("content/a.md", strings.Repeat("a sentence\n", 21))
	r.git("rm", "-q", "content/b.md")
	r.write("content/c.md", "1\n2")
	r.commit()
	r.git("mv", "content/a.md", "content/d.md")
	third := r.commit()
	clone := filepath.Join(t.TempDir(), "clone")
	r.git("clone", "-q", "--filter=blob:none", "file://"+filepath.ToSlash(r.dir), clone)
	if missing := r.git("-C", clone, "rev-list", "--objects", "--all", "--missing=print"); !strings.Contains(missing, "\n?") {
		t.Skip("this git leaves nothing out of a clone")
	}
	files := of(t, filepath.Join(clone, "content"))
	is(t, files, "d.md", 3, third)
	began(t, files, "d.md", 1)
	began(t, files, "c.md", 2)
	if missing := r.git("-C", clone, "rev-list", "--objects", "--all", "--missing=print"); !strings.Contains(missing, "\n?") {
		t.Error("texts were fetched")
	}
}

func TestNoRepository(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	is(t, of(t, dir), "a.md", 0, "")
	r := newRepo(t)
	is(t, of(t, r.dir), "a.md", 0, "") // no commit yet
	r.write("a.md", "1")
	r.commit()
	t.Setenv("GIT_DIR", filepath.Join(dir, "not-there")) // as in a hook of another repository
	if _, ok := of(t, r.dir).Last("a.md"); !ok {
		t.Error("a variable of another repository is followed")
	}
	t.Setenv("PATH", dir)
	is(t, of(t, r.dir), "a.md", 0, "")
}

// TestDamagedRepository: git's own words come through.
func TestDamagedRepository(t *testing.T) {
	r := newRepo(t)
	r.write("c/a.md", "1")
	r.commit()
	tree := r.git("rev-parse", "HEAD^{tree}")
	if err := os.Remove(filepath.Join(r.dir, ".git", "objects", tree[:2], tree[2:])); err != nil {
		t.Fatal(err)
	}
	if _, err := Of(filepath.Join(r.dir, "c")); err == nil || !strings.Contains(err.Error(), "fatal: ") {
		t.Errorf("got %v, want git's own word", err)
	}
}
