package conformance

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"kubewalk/playground/api"
	"kubewalk/playground/check/conformance/transcript"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

// world is a cluster of ours that plays a transcript.
type world struct {
	*testing.T
	*cluster.Cluster
	transcript *transcript.Transcript
	started    trace.ID // the first event after the cluster has come up
	compared   int
	hollow     bool // the nodes are hollow: what the recordings call node-1 is hollow-1
	// skip says of a command why it is not played; nil plays all.
	skip func(command string) string
}

var recordedNode = regexp.MustCompile(`\bnode-(\d)\b`)

// pause is between two commands: a person, or a recorder, types them one after the other.
const pause = 500 * time.Millisecond

// poll is how often the recorder asks whether it goes on.
const poll = 200 * time.Millisecond

func newWorld(t *testing.T, name string, seed uint64) *world {
	return newWorldOf(t, name, seed, cluster.DefaultConfig())
}

func newWorldOf(t *testing.T, name string, seed uint64, config cluster.Config) *world {
	recorded, err := transcript.Read("testdata/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, Cluster: cluster.New(config, seed), transcript: recorded, hollow: config.HollowNodes != nil}
	t.Cleanup(w.Close)
	w.RunUntil(15 * time.Second)
	w.started = trace.ID(w.Trace().Len() + 1)
	return w
}

// play plays the transcript up to a command that is not ours ("": to its end).
func (w *world) play(until string) {
	w.Helper()
	for _, s := range w.transcript.Steps {
		s.Command = strings.Replace(s.Command, "spec.nodeName=node-1", "spec.nodeName="+w.fullest(), 1)
		if until != "" && s.Command == until {
			break
		}
		w.RunUntil(w.Elapsed() + pause)
		w.terminated()
		if s.Until != nil {
			w.wait(s)
			continue
		}
		if w.skip != nil {
			if why := w.skip(s.Command); why != "" {
				w.Logf("line %d: $ %s: %s", s.Line, s.Command, why)
				continue
			}
		}
		out, err := w.run(s.Command)
		w.compared++
		// kubectl has one code for all that goes wrong in these commands; ours tells whether it failed.
		exit := 0
		if o := w.Outcomes(); o[len(o)-1].Error != "" {
			exit = 1
		}
		if exit != s.Exit {
			w.Errorf("line %d: $ %s\nends with the code %d, recorded %d", s.Line, s.Command, exit, s.Exit)
		}
		if got, want := transcript.Same(out), transcript.Same(strings.Join(s.Stdout, "\n")); got != want {
			w.Errorf("line %d: $ %s\nprints   %s\nrecorded %s", s.Line, s.Command, got, want)
		}
		if got, want := transcript.Same(err), transcript.Same(strings.Join(s.Stderr, "\n")); got != want {
			w.Errorf("line %d: $ %s\nsays     %s\nrecorded %s", s.Line, s.Command, got, want)
		}
	}
	w.RunUntil(w.Elapsed() + 10*time.Second) // events are written behind
}

// atLeast fails when fewer commands were compared than the transcript is known to have.
func (w *world) atLeast(n int) {
	w.Helper()
	if w.compared < n {
		w.Errorf("only %d commands were compared, of at least %d", w.compared, n)
	}
}

// fullest is the node that has most Pods. Eight are spread as 3, 3 and 2; node-1 had three when that was recorded.
func (w *world) fullest() string {
	best, most := "", 0
	names, _ := w.read("get nodes -o name")
	for _, name := range strings.Fields(names) {
		name = strings.TrimPrefix(name, "node/")
		pods, _ := w.read("get pods -o name --field-selector spec.nodeName=" + name)
		if n := len(strings.Fields(pods)); n > most {
			best, most = name, n
		}
	}
	return best
}

// terminated waits until Pods that are being deleted are gone: KWOK ends them at once.
func (w *world) terminated() {
	w.Helper()
	for end := w.Elapsed() + 2*time.Minute; w.Elapsed() < end; w.tick() {
		going := false
		for cell, v := range w.Trace().Now() {
			obj, ok := v.(api.Object)
			going = going || cell.Owner == "pods" && ok && obj.GetDeletionTimestamp() != nil && len(obj.GetFinalizers()) == 0
		}
		if !going {
			return
		}
	}
	w.Fatal("a Pod is being deleted for two minutes")
}

// wait runs until a command prints what the recorder waited for.
func (w *world) wait(s transcript.Step) {
	w.Helper()
	end := w.Elapsed() + 2*time.Minute
	for {
		out, _ := w.run(s.Command)
		if out == *s.Until {
			return
		}
		if w.Elapsed() > end {
			w.Fatalf("line %d: until `%s` prints %q: it prints %q after two minutes", s.Line, s.Command, *s.Until, out)
		}
		w.RunUntil(w.Elapsed() + poll)
	}
}

// tick lets the next thing happen.
func (w *world) tick() {
	at, ok := w.Next()
	if !ok {
		w.Fatal("nothing happens any more")
	}
	w.RunUntil(at)
}

// read runs a command that changes nothing.
func (w *world) read(command string) (stdout, stderr string) { return w.run("kubectl " + command) }

// run types a command line and waits until kubectl is done.
func (w *world) run(command string) (stdout, stderr string) {
	w.Helper()
	if w.hollow {
		command = recordedNode.ReplaceAllString(command, "hollow-$1")
	}
	args, err := cluster.ParseCommand(command)
	if err != nil {
		w.Fatalf("$ %s: %v", command, err)
	}
	in := cluster.Input{At: w.Elapsed(), Kind: cluster.Command, Args: args}
	if files := cluster.ManifestsOf(args); len(files) > 0 {
		in.Manifest = w.manifest(files)
	}
	n := len(w.Outcomes())
	if err := w.Schedule(in); err != nil {
		w.Fatal(err)
	}
	for {
		if o := w.Outcomes()[n]; o.Done {
			if o.Error == "exit status 1" { // kubectl has only a code to say it by
				return o.Output, o.Warning
			}
			return o.Output, o.Warning + o.Error
		}
		w.tick()
	}
}

// manifest is files of the transcript as JSON: a list of their documents.
func (w *world) manifest(names []string) []byte {
	w.Helper()
	var docs []string
	for _, name := range names {
		text, ok := w.transcript.Manifests[name]
		if !ok {
			w.Fatalf("the transcript has no file %q", name)
		}
		for _, doc := range strings.Split(text, "\n---\n") {
			body, err := yaml.YAMLToJSON([]byte(doc))
			if err != nil {
				w.Fatal(err)
			}
			docs = append(docs, strings.TrimSpace(string(body)))
		}
	}
	if len(docs) == 1 {
		return []byte(docs[0])
	}
	return []byte("[" + strings.Join(docs, ",") + "]")
}
