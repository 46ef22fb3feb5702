package conformance

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"kubewalk/playground/api"
	"kubewalk/playground/api/fields"
	"kubewalk/playground/api/labels"
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
}

// pause is between two commands: a person, or a recorder, types them one after the other.
const pause = 500 * time.Millisecond

func newWorld(t *testing.T, name string, seed uint64) *world {
	w := &world{T: t, Cluster: cluster.New(cluster.DefaultConfig(), seed), transcript: readTranscript(t, name)}
	t.Cleanup(w.Close)
	w.RunUntil(15 * time.Second)
	w.started = trace.ID(w.Trace().Len() + 1)
	return w
}

// play plays the transcript up to a command that is not ours ("": to its end).
func (w *world) play(until string) {
	for _, s := range w.transcript.steps {
		s.command = strings.Replace(s.command, "spec.nodeName=node-1", "spec.nodeName="+w.fullest(), 1)
		if until != "" && s.command == until {
			return
		}
		w.RunUntil(w.Elapsed() + pause)
		w.terminated()
		if s.until != nil {
			w.wait(s)
			continue
		}
		if skip, why := absent(s.command); skip {
			w.Logf("line %d: $ %s: %s", s.line, s.command, why)
			continue
		}
		out, err := w.run(words(s.command))
		w.compared++
		if want := strings.Join(s.stdout, "\n"); oneBlank(nameless(out)) != oneBlank(nameless(want)) {
			w.Errorf("line %d: $ %s\nprints   %s\nrecorded %s", s.line, s.command, out, want)
		}
		// At an end of line, terminals and recorders lose the blanks.
		said := strings.ReplaceAll(err, ": \n", ":\n")
		if want := strings.Join(s.stderr, "\n"); said != want {
			w.Errorf("line %d: $ %s\nsays     %s\nrecorded %s", s.line, s.command, said, want)
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

// oneBlank makes columns of any width the same.
func oneBlank(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.Join(strings.Fields(line), " ")
	}
	return strings.Join(lines, "\n")
}

// absent says of a command why it is not played.
func absent(command string) (bool, string) {
	for part, why := range map[string]string{
		"--dry-run=server":    "it changes nothing",
		"create deployment ":  "kubectl's generators are absent",
		"duplicate-field":     "a host that reads YAML drops the repeated key, or refuses it",
		"configmap dup":       "of the one before",
		"kubectl get nodes":   "a table",
		"kubectl replace ":    "there is no such command: see TestBadInput of the API server",
		"--type=json":         "kubectl sends merge patches only: see TestBadInput of the API server",
		"kubectl get nosuch":  "kubectl gets nothing here",
		"kubectl get rs nosu": "kubectl gets nothing here",
		"UPPER":               "kubectl gets nothing here",
		"tier=back":           "kubectl label is absent: patch sets labels",
		"'app in (web'":       "kubectl gets nothing here: see TestBadInput of the API server",
		"spec.nosuch":         "kubectl gets nothing here: see TestBadInput of the API server",
	} {
		if strings.Contains(command, part) {
			return true, why
		}
	}
	if w := words(command); w[1] == "get" && (len(flags(w)["o"]) == 0 || flags(w)["o"] == "wide") && strings.Contains(command, " rs web") || command == "kubectl get pod big" {
		return true, "a table"
	}
	return false, ""
}

// fullest is the node that has most Pods. Eight are spread as 3, 3 and 2; node-1 had three when that was recorded.
func (w *world) fullest() string {
	best, most := "", 0
	for _, n := range cluster.DefaultConfig().Nodes {
		if pods := len(w.list("pods", "default", "", "spec.nodeName="+n.Name)); pods > most {
			best, most = n.Name, pods
		}
	}
	return best
}

// terminated waits until Pods that are being deleted are gone: KWOK ends them at once.
func (w *world) terminated() {
	w.Helper()
	for end := w.Elapsed() + time.Minute; w.Elapsed() < end; w.tick() {
		if !slices.ContainsFunc(w.list("pods", "default", "", ""), func(pod api.Object) bool { return pod.GetDeletionTimestamp() != nil && len(pod.GetFinalizers()) == 0 }) {
			return
		}
	}
	w.Fatal("a Pod is being deleted for a minute")
}

// wait runs until a command prints what the recorder waited for.
func (w *world) wait(s step) {
	w.Helper()
	end := w.Elapsed() + 2*time.Minute
	for {
		out, _ := w.run(words(s.command))
		if out == *s.until {
			return
		}
		if w.Elapsed() > end {
			w.Fatalf("line %d: until `%s` prints %q: it prints %q after two minutes", s.line, s.command, *s.until, out)
		}
		w.tick()
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

// flags are the options of a command line; "" has the arguments, separated by blanks.
func flags(words []string) map[string]string {
	out := map[string]string{}
	var arguments []string
	for i := 2; i < len(words); i++ {
		name, value, has := strings.Cut(strings.TrimLeft(words[i], "-"), "=")
		switch {
		case !strings.HasPrefix(words[i], "-"):
			arguments = append(arguments, words[i])
		case !has && slices.Contains([]string{"-l", "-f", "-o", "-n", "-p", "--field-selector"}, words[i]):
			i++
			out[name] = words[i]
		default:
			out[name] = value
		}
	}
	out[""] = strings.Join(arguments, " ")
	return out
}

// run does what a command line says.
func (w *world) run(words []string) (stdout, stderr string) {
	w.Helper()
	f := flags(words)
	arguments := strings.Fields(f[""])
	switch words[1] {
	case "create", "apply":
		if f["f"] == "" {
			break
		}
		body, err := yaml.YAMLToJSON([]byte(w.transcript.manifests[f["f"]]))
		if err != nil {
			w.Fatal(err)
		}
		kind := cluster.Create
		if words[1] == "apply" {
			kind = cluster.Apply
		}
		out, problem := w.input(cluster.Input{Kind: kind, Manifest: body})
		return out, strings.ReplaceAll(problem, "STDIN", f["f"])
	case "scale":
		in := cluster.Input{Kind: cluster.Scale, Resource: arguments[0], Name: arguments[1], Replicas: number(f["replicas"])}
		if f["current-replicas"] != "" {
			in.Current = number(f["current-replicas"])
		}
		return w.input(in)
	case "delete":
		return w.delete(arguments, f)
	case "label", "cordon", "uncordon", "taint", "patch":
		return w.patch(words[1], arguments, f)
	case "get":
		return w.get(arguments, f)
	case "wait":
		resource, name, _ := strings.Cut(arguments[0], "/")
		limit, err := time.ParseDuration(f["timeout"])
		if err != nil {
			w.Fatal(err)
		}
		for end := w.Elapsed() + limit; w.Elapsed() < end; w.tick() {
			ready, _ := w.get([]string{resource, name}, map[string]string{"o": `jsonpath={.status.conditions[?(@.type=="Ready")].status}`})
			if ready == "True" {
				return arguments[0] + " condition met", ""
			}
		}
		return "", "error: timed out waiting for the condition on pods/" + name
	}
	w.Fatalf("the recording has a command that the test doesn't know: %q", words)
	return "", ""
}

func number(s string) *int32 {
	var n int32
	fmt.Sscan(s, &n)
	return &n
}

// input gives the cluster an input and waits until kubectl is done.
func (w *world) input(in cluster.Input) (out, problem string) {
	w.Helper()
	in.At = w.Elapsed()
	n := len(w.Outcomes())
	if err := w.Schedule(in); err != nil {
		w.Fatal(err)
	}
	for {
		if o := w.Outcomes()[n]; o.Done {
			return o.Output, o.Error
		}
		w.tick()
	}
}

// delete deletes by name or selector, and waits as kubectl does unless told not to.
func (w *world) delete(arguments []string, f map[string]string) (string, string) {
	in := cluster.Input{Kind: cluster.Delete, Resource: arguments[0], Selector: f["l"], FieldSelector: f["field-selector"], Cascade: f["cascade"]}
	var said []string
	for _, name := range append(arguments[1:], "")[:max(1, len(arguments)-1)] {
		in.Name = name
		out, problem := w.input(in)
		if problem != "" {
			return strings.Join(said, "\n"), problem
		}
		said = append(said, out)
		for f["wait"] != "false" && name != "" {
			if _, ok := w.find(arguments[0], "default", name); !ok {
				break
			}
			w.tick()
		}
	}
	out := strings.Join(said, "\n")
	if f["o"] == "name" {
		out = strings.NewReplacer(`pod "`, "pod/", `" deleted from default namespace`, "").Replace(out)
	}
	return out, ""
}

// patch is for the commands that change one thing of an object.
func (w *world) patch(command string, arguments []string, f map[string]string) (string, string) {
	in := cluster.Input{Kind: cluster.Patch, Resource: "node", Name: arguments[0]}
	past := map[string]string{"label": "labeled", "cordon": "cordoned", "uncordon": "uncordoned", "taint": "tainted", "patch": "patched"}[command]
	var patch string
	switch command {
	case "cordon":
		patch = `{"spec":{"unschedulable":true}}`
	case "uncordon":
		patch = `{"spec":{"unschedulable":null}}`
	default:
		in.Resource, in.Name = arguments[0], arguments[1]
		switch what := strings.Join(arguments[2:], " "); {
		case command == "patch":
			patch = f["p"]
		case strings.HasSuffix(what, "-") && command == "label":
			patch, past = fmt.Sprintf(`{"metadata":{"labels":{%q:null}}}`, strings.TrimSuffix(what, "-")), "unlabeled"
		case command == "label":
			key, value, _ := strings.Cut(what, "=")
			patch = fmt.Sprintf(`{"metadata":{"labels":{%q:%q}}}`, key, value)
		case strings.HasSuffix(what, "-"):
			patch, past = `{"spec":{"taints":null}}`, "untainted"
		default:
			key, rest, _ := strings.Cut(what, "=")
			value, effect, _ := strings.Cut(rest, ":")
			patch = fmt.Sprintf(`{"spec":{"taints":[{"key":%q,"value":%q,"effect":%q}]}}`, key, value, effect)
		}
	}
	in.Manifest = json.RawMessage(patch)
	out, problem := w.input(in)
	return strings.Replace(out, "patched", past, 1), problem
}

// find looks into the store: reading takes no time and leaves no trace.
func (w *world) find(resource, namespace, name string) (api.Object, bool) {
	k := api.Resolve(resource)
	if !k.Namespaced {
		namespace = ""
	}
	key := trace.Ref{Namespace: namespace, Name: name}.Key()
	obj, ok := w.Trace().Now()[trace.Cell{Kind: trace.CellObject, Owner: k.Resource, Key: key}].(api.Object)
	return obj, ok
}

// get is kubectl get with -o jsonpath, custom-columns or name, by name or selectors.
func (w *world) get(arguments []string, f map[string]string) (string, string) {
	w.Helper()
	namespace := f["n"]
	if namespace == "" {
		namespace = "default"
	}
	var found []api.Object
	if len(arguments) == 2 {
		obj, ok := w.find(arguments[0], namespace, arguments[1])
		if !ok {
			return "", fmt.Sprintf("%s %q not found", arguments[0], arguments[1])
		}
		found = append(found, obj)
	} else {
		for _, resource := range strings.Split(arguments[0], ",") {
			found = append(found, w.list(resource, namespace, f["l"], f["field-selector"])...)
		}
	}
	kind, template, _ := strings.Cut(f["o"], "=")
	var lines []string
	switch kind {
	case "":
		if len(found) > 0 {
			w.Fatalf("get %s prints a table", arguments)
		}
		return "", fmt.Sprintf("No resources found in %s namespace.", namespace)
	case "name":
		for _, obj := range found {
			lines = append(lines, api.Resolve(arguments[0]).Singular+"/"+obj.GetName())
		}
	case "jsonpath":
		return strings.TrimSuffix(jsonpath(w.T, template, found[0]), "\n"), ""
	case "custom-columns":
		if _, bare := f["no-headers"]; !bare {
			lines = append(lines, row(template, func(title, _ string) string { return title }))
		}
		for _, obj := range found {
			lines = append(lines, row(template, func(_, path string) string {
				if v := value(w.T, path, obj); v != "" {
					return v
				}
				return "<none>"
			}))
		}
	default:
		w.Fatalf("get -o %s", kind)
	}
	return strings.Join(lines, "\n"), ""
}

func (w *world) list(resource, namespace, label, field string) []api.Object {
	ls, err := labels.Parse(label)
	if err != nil {
		w.Fatal(err)
	}
	fs, err := fields.ParseSelector(field)
	if err != nil {
		w.Fatal(err)
	}
	k := api.Resolve(resource)
	var out []api.Object
	state := w.Trace().Now()
	for _, c := range state.Cells(trace.CellObject) {
		obj, ok := state[c].(api.Object)
		if !ok || c.Owner != k.Resource || k.Namespaced && obj.GetNamespace() != namespace {
			continue
		}
		set := fields.Set{}
		if value(w.T, ".source.component", obj) == "kubelet" {
			continue // KWOK reports nothing
		}
		for _, r := range fs.Requirements() {
			set[r.Field] = value(w.T, "."+r.Field, obj)
		}
		if ls.Matches(labels.Set(obj.GetLabels())) && fs.Matches(set) {
			out = append(out, obj)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].GetName() < out[j].GetName() })
	return out
}
