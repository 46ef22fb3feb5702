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

// read goes back in the log until each file of HEAD has its commit.
func (r *repository) read() (map[string]Change, error) {
	out, err := r.run("ls-tree", "-r", "-z", "--name-only", "HEAD", "--", ".")
	if err != nil {
		return nil, err
	}
	missing := map[string]bool{}
	for name := range strings.SplitSeq(string(out), "\x00") {
		if name != "" {
			missing[name] = true
		}
	}
	found := map[string]Change{}
	if len(missing) == 0 {
		return found, nil
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	// A merge counts (-c) when the file is in it as in none of its parents.
	log := r.command(ctx, "log", "-z", "-c", "--name-only", "--no-renames", "--no-ext-diff", "--no-show-signature", "--format="+mark+"%H %at", r.head, "--", ".")
	var said bytes.Buffer
	log.Stderr = &said
	pipe, err := log.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := log.Start(); err != nil {
		return nil, err
	}
	reading := r.scan(pipe, missing, found)
	if reading == nil && len(missing) == 0 {
		stop() // what is older changes nothing
		_ = log.Wait()
		return found, nil
	}
	if err := log.Wait(); err != nil {
		return nil, fmt.Errorf("git log: %w: %s", err, bytes.TrimSpace(said.Bytes()))
	}
	return found, reading
}

// scan moves files from missing to found, by the first commit that names them.
func (r *repository) scan(log io.Reader, missing map[string]bool, found map[string]Change) error {
	lines := bufio.NewReaderSize(log, 1<<16)
	var change Change
	unknown := false // the commit is where a shallow clone ends: it seems to add every file
	for len(missing) > 0 {
		token, err := lines.ReadString(0)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		token = strings.TrimPrefix(strings.TrimSuffix(token, "\x00"), "\n")
		if commit, ok := strings.CutPrefix(token, mark); ok {
			hash, seconds, _ := strings.Cut(commit, " ")
			at, err := strconv.ParseInt(seconds, 10, 64)
			if err != nil {
				return fmt.Errorf("git log: commit %q has the time %q", hash, seconds)
			}
			change, unknown = Change{time.Unix(at, 0).UTC(), hash}, r.ends[hash]
			continue
		}
		name, ok := strings.CutPrefix(token, r.prefix)
		if !ok || !missing[name] {
			continue
		}
		delete(missing, name)
		if !unknown {
			found[name] = change
		}
	}
	return nil
}
