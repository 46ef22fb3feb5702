package shelloperator

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/fake"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// box is a container whose hooks are functions.
type box struct {
	k     *sim.Kernel
	hooks map[string]string // what they print with --config
	run   func(p *sim.Proc, path, context string) int32
	files map[string]string
	runs  []string // when, and with what
	logs  []string
	woken int
}

func (b *box) Executables(string) (out []string) {
	for path := range b.hooks { // order: sorted
		out = append(out, path)
	}
	slices.Sort(out)
	return out
}
func (b *box) Write(path, text string) { b.files[path] = text }
func (b *box) Remove(path string)      { delete(b.files, path) }
func (b *box) Log(line string)         { b.logs = append(b.logs, line) }
func (b *box) Wake()                   { b.woken++ }

func (b *box) Run(p *sim.Proc, argv []string, env map[string]string, say func(stream, line string)) int32 {
	if len(argv) > 1 {
		for line := range strings.SplitSeq(b.hooks[argv[0]], "\n") {
			say("stdout", line)
		}
		if b.hooks[argv[0]] == "" {
			say("stderr", "no such luck")
			return 1
		}
		return 0
	}
	context := b.files[env["BINDING_CONTEXT_PATH"]]
	var all []map[string]any
	if err := json.Unmarshal([]byte(context), &all); err != nil {
		return 1
	}
	var words []string
	for _, c := range all {
		word := fmt.Sprint(c["binding"])
		if c["type"] != nil {
			word += " " + fmt.Sprint(c["type"])
		}
		if objects, ok := c["objects"].([]any); ok {
			word += fmt.Sprintf(" %d", len(objects))
		}
		if c["watchEvent"] != nil {
			word += " " + fmt.Sprint(c["watchEvent"])
		}
		if o, ok := c["object"].(map[string]any); ok {
			word += fmt.Sprintf(" %v %v", o["kind"], o["metadata"].(map[string]any)["name"])
		}
		if c["filterResult"] != nil {
			word += fmt.Sprintf(" %v", c["filterResult"])
		}
		words = append(words, word)
	}
	b.runs = append(b.runs, fmt.Sprintf("%s %s: %s", p.Now().Truncate(100*time.Millisecond), strings.TrimPrefix(argv[0], "/hooks/"), strings.Join(words, ", ")))
	if b.run == nil {
		return 0
	}
	return b.run(p, argv[0], context)
}

type world struct {
	t    *testing.T
	box  *box
	cs   *client.Clientset
	user *sim.Component
	op   *Operator
}

func newWorld(t *testing.T, hooks map[string]string, run func(p *sim.Proc, path, context string) int32) *world {
	k := sim.New(1, time.Date(2026, 1, 1, 0, 0, 30, 0, time.UTC), trace.NewRecorder(trace.All))
	t.Cleanup(k.Close)
	server := fake.NewServer(k)
	w := &world{t: t, box: &box{k: k, hooks: hooks, run: run, files: map[string]string{}}, cs: client.New(server), user: k.Start("user")}
	w.change(func(p *sim.Proc) error { return w.create(p, "old", map[string]string{"app": "web"}) })
	w.op = Start(k, server, w.box)
	w.pass(time.Second)
	return w
}

func (w *world) pass(d time.Duration) { w.box.k.RunUntil(w.box.k.Elapsed() + d) }

func (w *world) change(do func(p *sim.Proc) error) {
	w.t.Helper()
	w.user.Go("user", func(p *sim.Proc) {
		if err := do(p); err != nil {
			w.t.Error(err)
		}
	})
	w.pass(time.Second)
}

func (w *world) create(p *sim.Proc, name string, labels map[string]string) error {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", Labels: labels}}
	_, err := w.cs.CoreV1().Pods("default").Create(p, pod, metav1.CreateOptions{})
	return err
}

func (w *world) label(p *sim.Proc, name, key, value string) error {
	pod, err := w.cs.CoreV1().Pods("default").Get(p, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	pod = pod.DeepCopy()
	if pod.Labels == nil {
		pod.Labels = map[string]string{}
	}
	pod.Labels[key] = value
	_, err = w.cs.CoreV1().Pods("default").Update(p, pod, metav1.UpdateOptions{})
	return err
}

func (w *world) expect(want ...string) {
	w.t.Helper()
	if !slices.Equal(w.box.runs, want) {
		w.t.Errorf("hooks ran\n\t%s\nwant\n\t%s", strings.Join(w.box.runs, "\n\t"), strings.Join(want, "\n\t"))
	}
	if len(w.box.files) != 0 {
		w.t.Errorf("files are left: %v", w.box.files)
	}
}

const pods = "configVersion: v1\nkubernetes:\n- kind: Pod\n"

func TestEvents(t *testing.T) {
	w := newWorld(t, map[string]string{"/hooks/a.sh": "{\"configVersion\":\"v1\",\"onStartup\":10}", "/hooks/b.sh": pods + "onStartup: 1\n"}, nil)
	w.change(func(p *sim.Proc) error { return w.create(p, "new", nil) })
	w.change(func(p *sim.Proc) error { return w.label(p, "new", "a", "1") })
	w.change(func(p *sim.Proc) error { return w.cs.CoreV1().Pods("default").Delete(p, "new", metav1.DeleteOptions{}) })
	w.expect("1s b.sh: onStartup", "1s a.sh: onStartup", "1.1s b.sh: kubernetes Synchronization 1",
		"2s b.sh: kubernetes Event Added Pod new", "3s b.sh: kubernetes Event Modified Pod new", "4s b.sh: kubernetes Event Deleted Pod new")
}

// TestSelections: two bindings share an informer; each tells of what comes into its selection and leaves it.
func TestSelections(t *testing.T) {
	w := newWorld(t, map[string]string{"/hooks/a.sh": `
configVersion: v1
kubernetes:
- name: web
  apiVersion: v1
  kind: pods
  executeHookOnEvent: [Added, Deleted]
  labelSelector: {matchLabels: {app: web}}
  namespace: {nameSelector: {matchNames: [default]}}
- name: labels
  kind: po
  executeHookOnSynchronization: false
  executeHookOnEvent: [Modified]
  nameSelector: {matchNames: [new]}
  jqFilter: .metadata.labels.a
`}, nil)
	w.change(func(p *sim.Proc) error { return w.create(p, "new", nil) })
	w.change(func(p *sim.Proc) error { return w.label(p, "new", "app", "web") })
	w.change(func(p *sim.Proc) error { return w.label(p, "new", "a", "1") })
	w.change(func(p *sim.Proc) error { return w.label(p, "new", "app", "db") })
	w.expect("1.1s a.sh: web Synchronization 1", "3s a.sh: web Event Added Pod new", "4s a.sh: labels Event Modified Pod new 1", "5s a.sh: web Event Deleted Pod new")
}

// TestFailures: a hook that fails is run again, ever later, and the queue waits behind it; what waits for the same hook goes along.
func TestFailures(t *testing.T) {
	failing := true
	hooks := map[string]string{"/hooks/a.sh": pods, "/hooks/b.sh": pods + "  nameSelector: {matchNames: [x]}\n"}
	w := newWorld(t, hooks, func(_ *sim.Proc, path, context string) int32 {
		if failing && strings.Contains(context, "bad") {
			return 3
		}
		return 0
	})
	w.change(func(p *sim.Proc) error { return w.create(p, "bad", nil) })
	w.change(func(p *sim.Proc) error { return w.create(p, "x", nil) })
	w.pass(8 * time.Second)
	failing = false
	w.pass(8 * time.Second)
	if len(w.box.runs) != 6 {
		t.Fatalf("it ran %q", w.box.runs)
	}
	var late time.Duration
	if third, err := time.ParseDuration(strings.Fields(w.box.runs[4])[0]); err == nil {
		late = third - 7*time.Second
	}
	if late < 6*time.Second || late > 7*time.Second {
		t.Errorf("the second delay was %v", late)
	}
	at := strings.Fields(w.box.runs[4])[0]
	w.expect("1.1s a.sh: kubernetes Synchronization 1", "1.1s b.sh: kubernetes Synchronization 0", "2s a.sh: kubernetes Event Added Pod bad",
		"7s a.sh: kubernetes Event Added Pod bad, kubernetes Event Added Pod x", at+" a.sh: kubernetes Event Added Pod bad, kubernetes Event Added Pod x",
		at+" b.sh: kubernetes Event Added Pod x")
	if !strings.Contains(strings.Join(w.box.logs, "\n"), `"msg":"Hook failed. Will retry after delay.","hook":"a.sh"`) {
		t.Errorf("the log is %q", w.box.logs)
	}
}

func TestAllowedFailuresAndQueues(t *testing.T) {
	w := newWorld(t, map[string]string{
		"/hooks/a.sh": "configVersion: v1\nkubernetes:\n- kind: Pod\n  allowFailure: true\n",
		"/hooks/b.sh": "configVersion: v1\nkubernetes:\n- kind: Pod\n  queue: other\n",
		"/hooks/c.sh": "configVersion: v1\nschedule:\n- crontab: \"* * * * *\"\n",
	}, func(p *sim.Proc, path, context string) int32 {
		if path == "/hooks/b.sh" && strings.Contains(context, "Event") {
			p.Sleep(time.Hour)
		}
		return map[string]int32{"/hooks/a.sh": 1}[path]
	})
	w.change(func(p *sim.Proc) error { return w.create(p, "x", nil) })
	w.change(func(p *sim.Proc) error { return w.create(p, "y", nil) })
	w.pass(29 * time.Second)
	if !slices.ContainsFunc(w.box.logs, func(l string) bool {
		return strings.Contains(l, "Hook failed, but allowed to fail: a.sh FAILED: exit status 1")
	}) {
		t.Errorf("the log is %q", w.box.logs)
	}
	clear(w.box.files) // that of the hook that hangs
	w.expect("1.1s a.sh: kubernetes Synchronization 1", "1.1s b.sh: kubernetes Synchronization 1", "2s a.sh: kubernetes Event Added Pod x",
		"2s b.sh: kubernetes Event Added Pod x", "3s a.sh: kubernetes Event Added Pod y", "30s c.sh: schedule Schedule")
}

// TestTerminate: nothing is begun any more, and the hook that runs has ten seconds.
func TestTerminate(t *testing.T) {
	for takes, want := range map[time.Duration]time.Duration{3 * time.Second: 3 * time.Second, time.Hour: 10 * time.Second} { // order: each is its own world
		w := newWorld(t, map[string]string{"/hooks/a.sh": pods}, func(p *sim.Proc, _, context string) int32 {
			if strings.Contains(context, "Event") {
				p.Sleep(takes)
			}
			return 0
		})
		w.user.Go("user", func(p *sim.Proc) { _ = w.create(p, "x", nil) })
		w.pass(100 * time.Millisecond)
		w.op.Terminate()
		began := w.box.k.Elapsed()
		for w.op.Component().Running() && w.box.k.Step() {
		}
		if took := w.box.k.Elapsed() - began; took < want-time.Second || took > want+time.Second {
			t.Errorf("with a hook of %v it ended after %v", takes, took)
		}
		if code, _, ended := w.op.Ended(); !ended || code != 1 || w.box.woken != 1 {
			t.Errorf("it ended: %v, with %d; the container was woken %d times", ended, code, w.box.woken)
		}
	}
}

func TestConfigurations(t *testing.T) {
	for config, want := range map[string]string{ // order: each is its own world
		"":                        "cannot get config for hook '/hooks/a.sh': exit status 1",
		"kubernetes: []":          "'configVersion' value '' is unsupported",
		"configVersion: v1":       "no bindings",
		"configVersion: v1\nx: 1": `unknown field \"x\"`,
		"configVersion: v1\nkubernetes:\n- kind: Nothing":                                                            "kind 'Nothing' is not supported by cluster",
		"configVersion: v1\nkubernetes:\n- apiVersion: v1":                                                           "kind is required",
		"configVersion: v1\nkubernetes:\n- kind: Pod\n  executeHookOnEvent: [add]":                                   "should be one of [Added Modified Deleted], not 'add'",
		"configVersion: v1\nkubernetes:\n- kind: Pod\n  group: a":                                                    `unknown field \"group\"`,
		"configVersion: v1\nkubernetes:\n- kind: Pod\n  jqFilter: '.['":                                              "jqFilter is invalid: syntax error",
		"configVersion: v1\nkubernetes:\n- kind: Pod\n  labelSelector: {matchExpressions: [{key: a, operator: Is}]}": "labelSelector is invalid",
		"configVersion: v1\nschedule:\n- crontab: x":                                                                 "crontab 'x' is invalid",
		"a: [": "yaml: line 1",
	} {
		w := newWorld(t, map[string]string{"/hooks/a.sh": config}, nil)
		if code, _, ended := w.op.Ended(); !ended || code != 1 {
			t.Errorf("%q: it ended: %v, with %d", config, ended, code)
		}
		if last := w.box.logs[len(w.box.logs)-1]; !strings.Contains(last, "MAIN Fatal: initialize hook manager") || !strings.Contains(last, want) {
			t.Errorf("%q: %s", config, last)
		}
	}
}

func TestTheLogIsJSON(t *testing.T) {
	w := newWorld(t, map[string]string{"/hooks/a.sh": pods}, nil)
	for _, l := range w.box.logs {
		if !json.Valid([]byte(l)) {
			t.Errorf("not JSON: %s", l)
		}
	}
	if len(w.box.logs) < 8 || !strings.Contains(w.box.logs[1], `"msg":"Load config from '/hooks/a.sh'","hook":"a.sh"`) {
		t.Errorf("the log is %q", w.box.logs)
	}
}
