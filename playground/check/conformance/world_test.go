package conformance

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"kubewalk/playground/api"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

// world is a cluster of ours that plays a transcript.
type world struct {
	*testing.T
	*cluster.Cluster
	transcript *transcript
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
	w := &world{T: t, Cluster: cluster.New(config, seed), transcript: readTranscript(t, name), hollow: config.HollowNodes != nil}
	t.Cleanup(w.Close)
	w.RunUntil(15 * time.Second)
	w.started = trace.ID(w.Trace().Len() + 1)
	return w
}

// play plays the transcript up to a command that is not ours ("": to its end).
func (w *world) play(until string) {
	w.Helper()
	for _, s := range w.transcript.steps {
		s.command = strings.Replace(s.command, "spec.nodeName=node-1", "spec.nodeName="+w.fullest(), 1)
		if until != "" && s.command == until {
			break
		}
		w.RunUntil(w.Elapsed() + pause)
		w.terminated()
		if s.until != nil {
			w.wait(s)
			continue
		}
		if w.skip != nil {
			if why := w.skip(s.command); why != "" {
				w.Logf("line %d: $ %s: %s", s.line, s.command, why)
				continue
			}
		}
		out, err := w.run(s.command)
		w.compared++
		// kubectl has one code for all that goes wrong in these commands; ours tells whether it failed.
		exit := 0
		if o := w.Outcomes(); o[len(o)-1].Error != "" {
			exit = 1
		}
		if exit != s.exit {
			w.Errorf("line %d: $ %s\nends with the code %d, recorded %d", s.line, s.command, exit, s.exit)
		}
		if got, want := same(out), same(strings.Join(s.stdout, "\n")); got != want {
			w.Errorf("line %d: $ %s\nprints   %s\nrecorded %s", s.line, s.command, got, want)
		}
		if got, want := same(err), same(strings.Join(s.stderr, "\n")); got != want {
			w.Errorf("line %d: $ %s\nsays     %s\nrecorded %s", s.line, s.command, got, want)
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

// differences are what differs from run to run, in the recordings and here.
var differences = []struct {
	is *regexp.Regexp
	as string
}{
	{regexp.MustCompile(`<(age|time|uid|ip|hash|suffix|rv)-\d+>`), "<$1>"},
	{regexp.MustCompile(`(?m)(^|\s)(\d+[dhms]){1,2}(\s|$)`), "$1<age>$3"},
	{regexp.MustCompile(`\bhollow-(\d)\b`), "node-$1"},
	{regexp.MustCompile(`\b10\.\d+\.\d+\.\d+\b`), "<ip>"},
	{regexp.MustCompile(`\bweb-[bcdfghjklmnpqrstvwxz2456789]{7,10}\b`), "web-<hash>"},
	{regexp.MustCompile(`\bweb-[bcdfghjklmnpqrstvwxz2456789]{5}\b`), "web-<suffix>"},
	{regexp.MustCompile(`\bkwok-0\.8\.0|v1\.36\.\d+\b`), "<version>"},
	{regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`), "<uid>"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`), "<time>"},
	{regexp.MustCompile(`(resourceVersion\\":\\")\d+`), "$1<rv>"},
	// Who manages a field is worked out here only for whoever asks.
	{regexp.MustCompile(`,\\"managedFields\\":\[.*\](\},\\"spec\\":)`), "$1"},
	// KWOK reports nothing, so a kubelet's events are left out.
	{regexp.MustCompile(`(?m)^.* kubelet$\n?`), ""},
	// How often a roll-out's state is reported is a matter of timing.
	{regexp.MustCompile(`(?m)^Waiting for deployment .*\n?`), ""},
}

// same is a text without what differs from run to run, and with columns of any width.
func same(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.Join(strings.Fields(line), " ")
	}
	s = strings.Join(lines, "\n")
	for _, d := range differences {
		s = d.is.ReplaceAllString(s, d.as)
	}
	return strings.TrimSpace(blankLines.ReplaceAllString(s, "\n"))
}

var blankLines = regexp.MustCompile(`\n\n+`)

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
func (w *world) wait(s step) {
	w.Helper()
	end := w.Elapsed() + 2*time.Minute
	for {
		out, _ := w.run(s.command)
		if out == *s.until {
			return
		}
		if w.Elapsed() > end {
			w.Fatalf("line %d: until `%s` prints %q: it prints %q after two minutes", s.line, s.command, *s.until, out)
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
		in.Manifest = w.manifest(files[0])
	}
	n := len(w.Outcomes())
	if err := w.Schedule(in); err != nil {
		w.Fatal(err)
	}
	for {
		if o := w.Outcomes()[n]; o.Done {
			return o.Output, o.Warning + o.Error
		}
		w.tick()
	}
}

// manifest is a file of the transcript as JSON: a list of its documents.
func (w *world) manifest(name string) []byte {
	w.Helper()
	text, ok := w.transcript.manifests[name]
	if !ok {
		w.Fatalf("the transcript has no file %q", name)
	}
	var docs []string
	for _, doc := range strings.Split(text, "\n---\n") {
		body, err := yaml.YAMLToJSON([]byte(doc))
		if err != nil {
			w.Fatal(err)
		}
		docs = append(docs, strings.TrimSpace(string(body)))
	}
	if len(docs) == 1 {
		return []byte(docs[0])
	}
	return []byte("[" + strings.Join(docs, ",") + "]")
}
