package accurate

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/fake"
	"kubewalk/playground/operator/controllerruntime/admission"
	"kubewalk/playground/operator/controllerruntime/webhook"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// world is the program, with a server on which tests put what there is.
type world struct {
	t        *testing.T
	k        *sim.Kernel
	server   *fake.Server
	program  *sim.Component
	webhooks webhook.Server
	react    func(r *client.Request) error
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, k: sim.New(1, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), trace.NewRecorder(trace.All))}
	t.Cleanup(w.k.Close)
	w.server = fake.NewServer(w.k)
	w.server.React = w.answer
	return w
}

// answer does what the fake server cannot: decode what is created as JSON, and patches of SubNamespaces.
func (w *world) answer(r *client.Request) (client.Result, bool, error) {
	if w.react != nil {
		if err := w.react(r); err != nil {
			return nil, true, err
		}
	}
	switch {
	case r.Verb == client.Create && r.Body != nil:
		obj := api.KindForResource(r.Resource).New()
		if err := json.Unmarshal(r.Body, obj); err != nil {
			return nil, true, err
		}
		if w.object(r.Resource.Resource, r.Namespace, obj.GetName()) != nil {
			return nil, true, apierrors.NewAlreadyExists(r.Resource.GroupResource(), obj.GetName())
		}
		return w.server.Put(r.Resource.Resource, obj), true, nil
	case r.Verb == client.Patch && r.Resource != subNamespaceResource && r.Resource.Resource != "events":
		before := w.object(r.Resource.Resource, r.Namespace, r.Name)
		if before == nil {
			return nil, true, apierrors.NewNotFound(r.Resource.GroupResource(), r.Name)
		}
		now := before.DeepCopyObject()
		if err := json.Unmarshal(r.Patch, now); err != nil {
			return nil, true, err
		}
		if api.SemanticDeepEqual(before, now) {
			return before, true, nil // a server stores nothing then
		}
		return w.server.Put(r.Resource.Resource, now), true, nil
	case r.Verb == client.Patch && r.Resource == subNamespaceResource:
		obj := w.object("subnamespaces", r.Namespace, r.Name)
		if obj == nil {
			return nil, true, apierrors.NewNotFound(r.Resource.GroupResource(), r.Name)
		}
		now := obj.DeepCopyObject().(*api.Unstructured)
		patch := map[string]any{}
		if err := json.Unmarshal(r.Patch, &patch); err != nil {
			return nil, true, err
		}
		if status, ok := patch["status"]; ok {
			now.Fields = map[string]any{"status": status}
			return now, true, nil // the test reads it from the request; nothing comes back
		}
		if len(patch["metadata"].(map[string]any)["finalizers"].([]any)) == 0 && now.DeletionTimestamp != nil {
			w.server.Remove("subnamespaces", r.Namespace, r.Name)
		}
		return now, true, nil
	}
	return nil, false, nil
}

func (w *world) begin() {
	w.program = Start(w.k, w.server, DefaultConfig(), &w.webhooks)
	w.pass()
}

func (w *world) pass() { w.k.RunUntil(w.k.Elapsed() + 3*time.Second) }

func (w *world) object(resource, namespace, name string) api.Object {
	for _, obj := range w.server.Objects(resource) {
		if obj.GetNamespace() == namespace && obj.GetName() == name {
			return obj
		}
	}
	return nil
}

// namespace stores one: "team-a type=root team=a"; keys without a slash that are Accurate's get its prefix.
func (w *world) namespace(text string) {
	words := strings.Fields(text)
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: words[0], Labels: map[string]string{}}}
	for _, word := range words[1:] {
		key, value, _ := strings.Cut(word, "=")
		if slices.Contains([]string{"type", "template", "parent"}, key) {
			key = metaPrefix + key
		}
		ns.Labels[key] = value
	}
	w.server.Put("namespaces", ns)
}

func (w *world) sub(namespace, name string, deleted bool) {
	obj := &api.Unstructured{}
	obj.SetGroupVersionKind(subNamespaceKind)
	obj.Namespace, obj.Name, obj.Finalizers, obj.Generation = namespace, name, []string{Finalizer}, 1
	if deleted {
		obj.DeletionTimestamp = &metav1.Time{Time: w.k.Time()}
	}
	w.server.Put("subnamespaces", obj)
}

func (w *world) secret(namespace, name, value, mode string) {
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: map[string][]byte{"v": []byte(value)}}
	if mode != "" {
		s.Annotations = map[string]string{AnnPropagate: mode}
	}
	w.server.Put("secrets", s)
}

// values are what the Secrets of a name contain: "team-a=1 a-web=1".
func (w *world) values(name string) string {
	var out []string
	for _, obj := range w.server.Objects("secrets") {
		if s := obj.(*corev1.Secret); s.Name == name {
			out = append(out, s.Namespace+"="+string(s.Data["v"]))
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func (w *world) expect(what, name, want string) {
	w.t.Helper()
	w.pass()
	if got := w.values(name); got != want {
		w.t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func (w *world) asked(line string) (n int) {
	for _, got := range w.server.Requests {
		if got == line {
			n++
		}
	}
	return n
}

// A SubNamespace makes a namespace, and has it deleted.
func TestSubNamespace(t *testing.T) {
	w := newWorld(t)
	w.namespace("team-a type=root team=a")
	w.begin()
	w.sub("team-a", "a-web", false)
	w.pass()
	ns := w.object("namespaces", "", "a-web")
	if ns == nil {
		t.Fatal("there is no namespace")
	}
	for key, want := range map[string]string{LabelParent: "team-a", LabelCreatedBy: CreatedBy, "team": "a"} {
		if got := ns.GetLabels()[key]; got != want {
			t.Errorf("label %s is %q, want %q", key, got, want)
		}
	}
	w.sub("team-a", "a-web", true)
	w.pass()
	if w.asked("delete namespaces a-web") != 1 || w.object("subnamespaces", "team-a", "a-web") != nil {
		t.Error("it was not deleted")
	}
}

// A namespace that is there already is a conflict, and stays when the SubNamespace goes.
func TestConflict(t *testing.T) {
	w := newWorld(t)
	w.namespace("team-a type=root")
	w.namespace("kube-system")
	var status string
	w.react = func(r *client.Request) error {
		if r.Subresource == "status" {
			status = string(r.Patch)
		}
		return nil
	}
	w.sub("team-a", "kube-system", false)
	w.begin()
	if !strings.Contains(status, `"type":"Stalled"`) || !strings.Contains(status, `"reason":"Conflict"`) {
		t.Errorf("the status is %s", status)
	}
	w.sub("team-a", "kube-system", true)
	w.pass()
	if w.object("namespaces", "", "kube-system") == nil || w.object("subnamespaces", "team-a", "kube-system") != nil {
		t.Error("the wrong one is gone")
	}
}

// What each mode makes of copies, over two levels.
func TestModes(t *testing.T) {
	w := newWorld(t)
	w.namespace("team-a type=root")
	w.namespace("a-web parent=team-a")
	w.namespace("a-test parent=a-web")
	w.namespace("other")
	w.secret("team-a", "pull", "1", PropagateUpdate)
	w.secret("team-a", "settings", "1", PropagateCreate)
	w.secret("team-a", "own", "1", "")
	w.begin()
	w.expect("made", "pull", "a-test=1 a-web=1 team-a=1")
	w.expect("made", "settings", "a-test=1 a-web=1 team-a=1")
	w.expect("not annotated", "own", "team-a=1")
	if s := w.object("secrets", "a-test", "pull"); s.GetAnnotations()[AnnFrom] != "a-web" || s.GetLabels()[LabelCreatedBy] != CreatedBy {
		t.Errorf("the copy is %+v", s)
	}
	w.secret("team-a", "pull", "2", PropagateUpdate)
	w.secret("team-a", "settings", "2", PropagateCreate)
	w.expect("update follows", "pull", "a-test=2 a-web=2 team-a=2")
	w.expect("create does not", "settings", "a-test=1 a-web=1 team-a=2")
	w.server.Remove("secrets", "a-web", "pull")
	w.expect("a copy comes back", "pull", "a-test=2 a-web=2 team-a=2")
	w.server.Remove("secrets", "a-web", "settings")
	w.expect("also of mode create", "settings", "a-test=1 a-web=2 team-a=2")
	w.server.Remove("secrets", "team-a", "pull")
	w.expect("update goes with its source", "pull", "")
	w.server.Remove("secrets", "team-a", "settings")
	w.expect("create stays", "settings", "a-test=1 a-web=2")
	before := len(w.server.Requests)
	w.pass()
	if got := w.server.Requests[before:]; len(got) > 0 {
		t.Errorf("it asks %d times although nothing has changed: %q", len(got), got[:1])
	}
}

// What is moved in the tree loses what came from where it was, and gets what is where it is.
func TestMove(t *testing.T) {
	w := newWorld(t)
	w.namespace("team-a type=root team=a")
	w.namespace("team-b type=root team=b")
	w.namespace("web parent=team-a")
	w.secret("team-a", "pull", "a", PropagateUpdate)
	w.secret("team-b", "key", "b", PropagateUpdate)
	w.begin()
	w.expect("below a", "pull", "team-a=a web=a")
	w.namespace("web parent=team-b")
	w.expect("not below a", "pull", "team-a=a")
	w.expect("below b", "key", "team-b=b web=b")
	w.namespace("web")
	w.expect("below nobody", "key", "team-b=b")
}

// A template is inherited sideways.
func TestTemplate(t *testing.T) {
	w := newWorld(t)
	w.namespace("base type=template team=x")
	w.namespace("team-a type=root template=base")
	w.namespace("a-web parent=team-a")
	w.secret("base", "pull", "1", PropagateUpdate)
	w.begin()
	w.expect("through the root", "pull", "a-web=1 base=1 team-a=1")
	if got := w.object("namespaces", "", "a-web").GetLabels()["team"]; got != "x" {
		t.Errorf("the label is %q", got)
	}
}

// A source that goes while the program is down leaves no copies when it is up again; what fails is tried again.
func TestRestart(t *testing.T) {
	w := newWorld(t)
	w.namespace("team-a type=root")
	w.namespace("a-web parent=team-a")
	w.secret("team-a", "pull", "1", PropagateUpdate)
	w.begin()
	w.expect("made", "pull", "a-web=1 team-a=1")
	w.program.Stop("killed")
	w.server.Remove("secrets", "team-a", "pull")
	w.secret("team-a", "late", "1", PropagateUpdate)
	refuse := 3
	w.react = func(r *client.Request) error {
		if r.Verb == client.Create && refuse > 0 {
			refuse--
			return apierrors.NewForbidden(r.Resource.GroupResource(), "late", errors.New("exceeded quota"))
		}
		return nil
	}
	w.begin()
	w.expect("collected", "pull", "")
	w.expect("tried again", "late", "a-web=1 team-a=1")
	if refuse != 0 {
		t.Error("nothing was refused")
	}
}

// Where a namespace goes, nothing is tried for ever.
func TestNamespaceGoes(t *testing.T) {
	w := newWorld(t)
	w.namespace("team-a type=root")
	w.namespace("a-web parent=team-a")
	w.secret("team-a", "pull", "1", PropagateUpdate)
	w.begin()
	tried := 0
	w.react = func(r *client.Request) error {
		if r.Verb != client.Create {
			return nil
		}
		tried++
		err := apierrors.NewForbidden(r.Resource.GroupResource(), "pull", errors.New("namespace a-web is being terminated"))
		err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: namespaceTerminating}}
		return err
	}
	w.server.Remove("secrets", "a-web", "pull")
	w.pass()
	if tried != 1 {
		t.Errorf("it tried %d times", tried)
	}
}

// What the webhooks refuse, and what they let through.
func TestWebhooks(t *testing.T) {
	w := newWorld(t)
	w.namespace("team-a type=root")
	w.namespace("a-web parent=team-a")
	w.namespace("a-test parent=a-web")
	w.namespace("base type=template")
	w.namespace("instance template=base")
	w.namespace("other")
	w.begin()
	ns := func(text string) any {
		words := strings.Fields(text)
		labels := map[string]string{}
		for _, word := range words[1:] {
			key, value, _ := strings.Cut(word, "=")
			labels[metaPrefix+key] = value
		}
		return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: words[0], Labels: labels}}
	}
	sub := func(namespace, name string) any {
		return &SubNamespace{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	}
	for _, test := range []struct {
		path, operation string
		now, before     any
		want            string
	}{
		{validateSubNamespace, "CREATE", sub("team-a", "new"), nil, ""},
		{validateSubNamespace, "CREATE", sub("a-test", "new"), nil, ""},
		{validateSubNamespace, "CREATE", sub("other", "new"), nil, "namespace other is neither a root nor a sub namespace"},
		{validateSubNamespace, "DELETE", nil, sub("a-web", "a-test"), ""},
		{validateSubNamespace, "DELETE", nil, sub("team-a", "a-web"), "child namespaces exist"},
		{validateSubNamespace, "DELETE", nil, sub("other", "a-web"), ""},
		{validateSubNamespace, "DELETE", nil, sub("team-a", "nothing"), ""},
		{validateNamespace, "CREATE", ns("new parent=team-a"), nil, ""},
		{validateNamespace, "CREATE", ns("new parent=nothing"), nil, "namespace does not exist: nothing"},
		{validateNamespace, "CREATE", ns("new parent=other"), nil, "other is not a valid root namespace"},
		{validateNamespace, "CREATE", ns("new parent=new"), nil, "circular reference is not permitted"},
		{validateNamespace, "CREATE", ns("new parent=team-a type=root"), nil, "a sub-namespace cannot be a root or a template"},
		{validateNamespace, "CREATE", ns("new parent=team-a template=base"), nil, "a sub-namespace cannot have a template"},
		{validateNamespace, "CREATE", ns("new template=other"), nil, "other is not a valid template namespace"},
		{validateNamespace, "CREATE", ns("new template=base"), nil, ""},
		{validateNamespace, "UPDATE", ns("a-web parent=a-test"), ns("a-web parent=team-a"), "circular reference is not permitted"},
		{validateNamespace, "UPDATE", ns("a-web parent=nothing"), ns("a-web parent=team-a"), "parent namespace does not exist: nothing"},
		{validateNamespace, "UPDATE", ns("a-web"), ns("a-web parent=team-a"), "there are sub-namespaces under a-web"},
		{validateNamespace, "UPDATE", ns("a-web type=root"), ns("a-web parent=team-a"), ""},
		{validateNamespace, "UPDATE", ns("a-test"), ns("a-test parent=a-web"), ""},
		{validateNamespace, "UPDATE", ns("team-a"), ns("team-a type=root"), "there are sub-namespaces under team-a"},
		{validateNamespace, "UPDATE", ns("base"), ns("base type=template"), "there are namespaces referencing base"},
		{validateNamespace, "UPDATE", ns("a-test parent=team-a"), ns("a-test parent=a-web"), ""},
		{validateNamespace, "DELETE", nil, ns("team-a type=root"), "child namespaces exist"},
		{validateNamespace, "DELETE", nil, ns("a-web parent=team-a"), "child namespaces exist"},
		{validateNamespace, "DELETE", nil, ns("base type=template"), "child namespaces exist"},
		{validateNamespace, "DELETE", nil, ns("a-test parent=a-web"), ""},
		{validateNamespace, "DELETE", nil, ns("other"), ""},
		{mutateSubNamespace, "CREATE", sub("team-a", "new"), nil, ""},
	} {
		answer := w.ask(test.path, test.operation, test.now, test.before)
		got := ""
		if !answer.Allowed {
			got = answer.Status.Message
		}
		if got != test.want {
			t.Errorf("%s %s %v: %q, want %q", test.operation, test.path, test.now, got, test.want)
		}
		if patched := strings.Contains(string(answer.Patch), Finalizer); patched != (test.path == mutateSubNamespace) {
			t.Errorf("%s: the patch is %s", test.path, answer.Patch)
		}
	}
}

// ask posts a review, as the API server does.
func (w *world) ask(path, operation string, now, before any) *admission.Response {
	w.t.Helper()
	text := func(obj any) json.RawMessage {
		if obj == nil {
			return nil
		}
		out, err := json.Marshal(obj)
		if err != nil {
			w.t.Fatal(err)
		}
		return out
	}
	body, err := json.Marshal(map[string]any{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
		"request": &admission.Request{UID: "1", Operation: operation, Object: text(now), OldObject: text(before)}})
	if err != nil {
		w.t.Fatal(err)
	}
	var answer struct {
		Response *admission.Response `json:"response"`
	}
	w.k.Start("asker").Go("ask", func(p *sim.Proc) {
		status, got, err := w.webhooks.Post(p, path, body, 10*time.Second)
		if err == nil {
			err = json.Unmarshal(got, &answer)
		}
		if err != nil || status != 200 {
			w.t.Errorf("status %d: %v", status, err)
		}
	})
	w.pass()
	return answer.Response
}
