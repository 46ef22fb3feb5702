package history

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// repository is the one around a folder, as of its HEAD.
type repository struct {
	git, dir string
	head     string
	prefix   string          // of the folder in it: "content/"; "" when it is the folder
	ends     map[string]bool // commits of a shallow clone whose parents it lacks
}

// open looks for a repository with at least one commit.
func open(git, dir string) (*repository, bool) {
	r := &repository{git: git, dir: dir}
	out, err := r.run("rev-parse", "--show-prefix", "--git-path", "shallow", "--verify", "HEAD^{commit}")
	if err != nil {
		return nil, false // git's reason may be that it does not trust the folder's owner: then there are no dates either
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != 3 {
		return nil, false
	}
	r.prefix, r.head, r.ends = lines[0], lines[2], map[string]bool{}
	shallow := lines[1]
	if !filepath.IsAbs(shallow) {
		shallow = filepath.Join(dir, shallow)
	}
	if text, err := os.ReadFile(shallow); err == nil {
		for _, hash := range strings.Fields(string(text)) {
			r.ends[hash] = true
		}
	}
	return r, true
}

// command is git in the folder. Variables by which a hook of git tells its
// repository are not meant for this one.
func (r *repository) command(ctx context.Context, arguments ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, r.git, append([]string{"-C", r.dir}, arguments...)...)
	for _, v := range os.Environ() {
		switch name, _, _ := strings.Cut(v, "="); name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX":
		default:
			c.Env = append(c.Env, v)
		}
	}
	// It only looks: no lock, no question, nothing fetched.
	c.Env = append(c.Env, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1")
	return c
}

func (r *repository) run(arguments ...string) ([]byte, error) {
	out, err := r.command(context.Background(), arguments...).Output()
	return out, explain(arguments[0], err)
}

// explain adds what git said.
func explain(command string, err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("git %s: %w: %s", command, err, bytes.TrimSpace(exit.Stderr))
	}
	return err
}

// uncommitted are the files that are not as HEAD has them.
func (r *repository) uncommitted() (map[string]bool, error) {
	out, err := r.run("diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--relative", "HEAD", "--", ".")
	changed := map[string]bool{}
	for name := range strings.SplitSeq(string(out), "\x00") {
		changed[name] = true
	}
	return changed, err
}

// mark begins a commit in the log; no name of a file holds it.
const mark = "\x01"

// read goes back in the log until it knows when each file of HEAD came into being.
func (r *repository) read() (map[string]Life, error) {
	out, err := r.run("ls-tree", "-r", "-z", "--name-only", "HEAD", "--", ".")
	if err != nil {
		return nil, err
	}
	w := walk{repository: r, lives: map[string]Life{}, follows: map[string]string{}}
	for name := range strings.SplitSeq(string(out), "\x00") {
		if name != "" {
			w.follows[name] = name
		}
	}
	if len(w.follows) == 0 {
		return w.lives, nil
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	// A merge counts (-c) when the file is in it as in none of its parents. A file is
	// the same under another name when its bytes are: to tell how alike two are takes
	// their texts, which hosts leave out of their clones (--filter=blob:none).
	log := r.command(ctx, "log", "-z", "-c", "--name-status", "--find-renames=100%", "--no-ext-diff", "--no-show-signature", "--format="+mark+"%H %at", r.head,
		"--", ".")
	var said bytes.Buffer
	log.Stderr = &said
	pipe, err := log.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := log.Start(); err != nil {
		return nil, err
	}
	reading := w.log(bufio.NewReaderSize(pipe, 1<<16))
	if reading == nil && len(w.follows) == 0 {
		stop() // what is older changes nothing
		_ = log.Wait()
		return w.lives, nil
	}
	if err := log.Wait(); err != nil {
		return nil, fmt.Errorf("git log: %w: %s", err, bytes.TrimSpace(said.Bytes()))
	}
	return w.lives, reading
}

// walk goes back through commits.
type walk struct {
	*repository
	lives map[string]Life // by name in HEAD
	// follows are the files whose beginning is not found yet: the name in HEAD, by
	// the name at the commit where the walk is.
	follows map[string]string
	renamed map[string]string // likewise: those that the commit renamed, by their names before it
}

// log reads commits until every beginning is found, or there are no more.
func (w *walk) log(log *bufio.Reader) error {
	var change Change
	end := false // the commit is where a shallow clone ends: it seems to add every file
	for {
		token, err := next(log)
		if commit, ok := strings.CutPrefix(token, mark); ok || err == io.EOF {
			for before, name := range w.renamed {
				w.follows[before] = name
			}
			if w.renamed = nil; err == io.EOF || len(w.follows) == 0 {
				return nil
			}
			hash, seconds, _ := strings.Cut(commit, " ")
			at, err := strconv.ParseInt(seconds, 10, 64)
			if err != nil {
				return fmt.Errorf("git log: commit %q has the time %q", hash, seconds)
			}
			change, end = Change{time.Unix(at, 0).UTC(), hash}, w.ends[hash]
			continue
		}
		if err != nil {
			return err
		}
		if token == "" { // after what a merge changed
			continue
		}
		before := ""
		if renamed.MatchString(token) {
			if before, err = next(log); err != nil {
				return fmt.Errorf("git log: %q without a file: %w", token, err)
			}
		}
		name, err := next(log)
		if err != nil {
			return fmt.Errorf("git log: %q without a file: %w", token, err)
		}
		w.see(change, token, strings.TrimPrefix(before, w.prefix), strings.TrimPrefix(name, w.prefix), end)
	}
}

// renamed is what git says of a file that has two names. Other words are "M", "A" and
// so on; of a merge a letter for each parent, and one name ("RR", too).
var renamed = regexp.MustCompile(`^R[0-9]+$`)

// see takes up what a commit did to a file; before is its name until then, if it
// was renamed.
func (w *walk) see(change Change, did, before, name string, end bool) {
	now, ok := w.follows[name]
	if !ok {
		return
	}
	life, known := w.lives[now]
	if end {
		delete(w.follows, name)
		return
	}
	if !known {
		life.Last = change
	}
	switch {
	case before != "":
		delete(w.follows, name)
		if w.renamed == nil {
			w.renamed = map[string]string{}
		}
		w.renamed[before] = now
	case strings.Trim(did, "A") == "":
		delete(w.follows, name)
		life.First = change
	}
	w.lives[now] = life
}

// next is what stands before the next zero byte.
func next(log *bufio.Reader) (string, error) {
	token, err := log.ReadString(0)
	return strings.TrimPrefix(strings.TrimSuffix(token, "\x00"), "\n"), err
}
