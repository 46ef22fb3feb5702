package secretdistributor

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/fake"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// world is the program, with a server on which tests put what there is.
type world struct {
	t        *testing.T
	k        *sim.Kernel
	server   *fake.Server
	mistakes Mistakes
	program  *sim.Component
	uid      int
}

func newWorld(t *testing.T, namespaces ...string) *world {
	w := &world{t: t, k: sim.New(1, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), trace.NewRecorder(trace.All))}
	t.Cleanup(w.k.Close)
	w.server = fake.NewServer(w.k)
	w.server.React = w.preconditions
	for _, name := range append([]string{SourceNamespace}, namespaces...) {
		w.namespace(name, "app=yes")
	}
	return w
}

// preconditions are looked at as a real server does.
func (w *world) preconditions(r *client.Request) (client.Result, bool, error) {
	if r.Verb != client.Delete || r.Delete.Preconditions == nil {
		return nil, false, nil
	}
	now := w.secret(r.Namespace, r.Name)
	if now != nil && (*r.Delete.Preconditions.UID != now.UID || *r.Delete.Preconditions.ResourceVersion != now.ResourceVersion) {
		return nil, true, apierrors.NewConflict(r.Resource.GroupResource(), r.Name, errors.New("precondition failed"))
	}
	return nil, false, nil
}

// begin starts the program, and lets it do what there is to do.
func (w *world) begin() {
	w.program = Start(w.k, w.server, &w.mistakes)
	w.pass()
}

func (w *world) pass() { w.k.RunUntil(w.k.Elapsed() + 3*time.Second) }

func (w *world) namespace(name, label string) {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	key, value, _ := strings.Cut(label, "=")
	ns.Labels = map[string]string{key: value}
	w.server.Put("namespaces", ns)
}

// put stores a Secret. What it says of itself is a word for each: to=SELECTOR, copy, fixed, type=TYPE.
func (w *world) put(namespace, name, password string, words ...string) {
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, UID: w.newUID()}, Type: "Opaque",
		Data: map[string][]byte{"password": []byte(password)}}
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "to":
			s.Annotations = map[string]string{To: value, "kubectl.kubernetes.io/last-applied-configuration": password}
		case "copy":
			s.Labels = map[string]string{ManagedBy: Name}
		case "fixed":
			fixed := true
			s.Immutable = &fixed
		case "type":
			s.Type = corev1.SecretType(value)
		}
	}
	if before := w.secret(namespace, name); before != nil {
		s.UID = before.UID
	}
	w.server.Put("secrets", s)
}

func (w *world) newUID() types.UID {
	w.uid++
	return types.UID(fmt.Sprint("uid-", w.uid))
}

func (w *world) secret(namespace, name string) *corev1.Secret {
	for _, obj := range w.server.Objects("secrets") {
		if obj.GetNamespace() == namespace && obj.GetName() == name {
			return obj.(*corev1.Secret)
		}
	}
	return nil
}

// passwords are what the Secrets of a name contain, by their namespaces; those that are marked have a *.
func (w *world) passwords(name string) string {
	var out []string
	for _, obj := range w.server.Objects("secrets") {
		s := obj.(*corev1.Secret)
		if s.Name != name || s.Namespace == SourceNamespace {
			continue
		}
		text := s.Namespace + "=" + string(s.Data["password"])
		if isCopy(s) {
			text += "*"
		}
		out = append(out, text)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func (w *world) expect(what, want string) {
	w.t.Helper()
	w.pass()
	if got := w.passwords("db"); got != want {
		w.t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// writes are the requests that change Secrets.
func (w *world) writes() (out []string) {
	for _, line := range w.server.Requests {
		verb, rest, _ := strings.Cut(line, " ")
		if slices.Contains([]string{client.Create, client.Update, client.Patch, client.Delete}, verb) && strings.HasPrefix(rest, "secrets ") {
			out = append(out, line)
		}
	}
	return out
}

func (w *world) said() (out []string) {
	for _, obj := range w.server.Objects("events") {
		event := obj.(*corev1.Event)
		out = append(out, event.Reason+": "+event.Message)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// What people and clocks do to sources, copies and namespaces, one after the other.
func TestDistributes(t *testing.T) {
	w := newWorld(t, "orders", "shop")
	w.namespace("other", "app=no")
	w.put(SourceNamespace, "db", "spring", "to=app=yes")
	w.put(SourceNamespace, "own", "x")
	w.put("orders", "own", "y")
	w.begin()
	w.expect("copies where they are wanted", "orders=spring* shop=spring*")
	if s := w.secret("orders", "db"); len(s.Annotations) != 0 || s.Type != "Opaque" || len(s.OwnerReferences) != 0 {
		t.Errorf("the copy is %+v", s)
	}
	if s := w.secret("orders", "own"); isCopy(s) {
		t.Error("a Secret without a source was marked")
	}
	before := len(w.writes())
	w.pass()
	if got := w.writes(); len(got) != before {
		t.Errorf("it writes although nothing has changed: %q", got[before:])
	}

	w.put(SourceNamespace, "db", "summer", "to=app=yes")
	w.expect("copies follow their source", "orders=summer* shop=summer*")
	w.put("shop", "db", "mine", "copy")
	w.expect("a changed copy is put back", "orders=summer* shop=summer*")
	w.server.Remove("secrets", "shop", "db")
	w.expect("a deleted copy comes back", "orders=summer* shop=summer*")
	w.namespace("billing", "app=yes")
	w.expect("a new namespace", "billing=summer* orders=summer* shop=summer*")
	w.namespace("billing", "app=no")
	w.expect("a namespace that is not selected any more", "orders=summer* shop=summer*")
	w.put(SourceNamespace, "db", "summer", "to=app in (")
	w.expect("a selector that is none changes nothing", "orders=summer* shop=summer*")
	w.put(SourceNamespace, "db", "summer", "to=kubernetes.io/metadata.name=orders")
	w.expect("nothing is selected", "")
	w.put(SourceNamespace, "db", "summer", "to=app=yes")
	w.expect("selected again", "orders=summer* shop=summer*")
	w.put(SourceNamespace, "db", "summer")
	w.expect("no source any more", "")
	w.put(SourceNamespace, "db", "summer", "to=app=yes")
	w.expect("a source again", "orders=summer* shop=summer*")
	w.server.Remove("secrets", SourceNamespace, "db")
	w.expect("the source is gone", "")
	for _, want := range []string{"Distributed: Copy in namespace orders created", "Distributed: Copy in namespace shop updated",
		"Collected: Copy in namespace shop deleted"} {
		if !slices.Contains(w.said(), want) {
			t.Errorf("it did not say %q, but %q", want, w.said())
		}
	}
	if said := w.said(); !strings.Contains(strings.Join(said, " "), "InvalidSelector") {
		t.Errorf("it did not complain of the selector: %q", said)
	}
}

// What is somebody else's is left alone, until its name is free.
func TestNameTaken(t *testing.T) {
	for _, overwrite := range []bool{false, true} {
		w := newWorld(t, "legacy", "orders")
		w.mistakes.Overwrite = overwrite
		w.put("legacy", "db", "own")
		w.put(SourceNamespace, "db", "spring", "to=app=yes")
		w.begin()
		if overwrite {
			w.expect("a mistake", "legacy=spring* orders=spring*")
			continue
		}
		w.expect("left alone", "legacy=own orders=spring*")
		if got := w.said(); !slices.Contains(got, "NameTaken: Namespace legacy has a Secret db of its own") {
			t.Errorf("it said %q", got)
		}
		w.put("orders", "db", "taken over")
		w.expect("without the mark, it is nobody's copy", "legacy=own orders=taken over")
		w.server.Remove("secrets", "legacy", "db")
		w.expect("the name is free", "legacy=spring* orders=taken over")
		w.server.Remove("secrets", SourceNamespace, "db")
		w.expect("what is taken over stays", "orders=taken over")
	}
}

// What may not be changed is made anew.
func TestImmutable(t *testing.T) {
	for _, word := range []string{"fixed", "type=example.com/other"} {
		w := newWorld(t, "orders")
		w.put(SourceNamespace, "db", "spring", "to=app=yes", "fixed")
		w.begin()
		w.expect("made", "orders=spring*")
		first := w.secret("orders", "db")
		w.server.Remove("secrets", SourceNamespace, "db")
		w.put(SourceNamespace, "db", "summer", "to=app=yes", word)
		w.expect("made anew", "orders=summer*")
		source := w.secret(SourceNamespace, "db")
		if now := w.secret("orders", "db"); now.Type != source.Type || !api.SemanticDeepEqual(now.Immutable, source.Immutable) {
			t.Errorf("%s: the copy is %+v", word, now)
		}
		if *first.Immutable != true {
			t.Error("the first copy could be changed")
		}
		for _, line := range w.writes() {
			if strings.HasPrefix(line, client.Update) {
				t.Errorf("%s: it wrote %q", word, line)
			}
		}
	}
}

// Whatever happens while the program does not run, it sees when it starts.
func TestRestart(t *testing.T) {
	for _, careless := range []bool{false, true} {
		w := newWorld(t, "orders", "shop")
		w.mistakes.IgnoreCopies = careless
		w.put(SourceNamespace, "db", "spring", "to=app=yes")
		w.put(SourceNamespace, "key", "k", "to=app=yes")
		w.begin()
		w.program.Stop("killed")
		w.server.Remove("secrets", SourceNamespace, "db")
		w.put("shop", "key", "changed", "copy")
		w.pass()
		w.begin()
		want := ""
		if careless {
			want = "orders=spring* shop=spring*" // no key leads to a source that is gone
		}
		w.expect("orphans", want)
		if got := w.passwords("key"); got != "orders=k* shop=k*" {
			t.Errorf("the other source's copies are %q", got)
		}
		w.put("shop", "key", "changed", "copy")
		w.pass()
		if got := w.passwords("key") == "orders=k* shop=k*"; got == careless {
			t.Errorf("a changed copy is put back: %v, with the mistake: %v", got, careless)
		}
	}
}

// What fails is tried again, and holds up no other namespace.
func TestRetries(t *testing.T) {
	w := newWorld(t, "billing", "orders", "shop")
	refuse := true
	w.server.React = func(r *client.Request) (client.Result, bool, error) {
		if refuse && r.Verb == client.Create && r.Namespace == "billing" && r.Resource.Resource == "secrets" {
			return nil, true, apierrors.NewForbidden(r.Resource.GroupResource(), "db", errors.New("exceeded quota"))
		}
		return w.preconditions(r)
	}
	w.put(SourceNamespace, "db", "spring", "to=app=yes")
	w.begin()
	w.expect("the others have theirs", "orders=spring* shop=spring*")
	refuse = false
	w.pass()
	w.expect("it was tried again", "billing=spring* orders=spring* shop=spring*")
}

// A cache that is late makes the server refuse, and the next attempt see more.
func TestConflicts(t *testing.T) {
	w := newWorld(t, "orders")
	conflicts := 0
	w.put(SourceNamespace, "db", "spring", "to=app=yes")
	w.begin()
	w.server.React = func(r *client.Request) (client.Result, bool, error) {
		if r.Verb == client.Update && r.Resource.Resource == "secrets" && conflicts == 0 {
			conflicts++
			w.put("orders", "db", "in between", "copy")
		}
		return w.preconditions(r)
	}
	w.put(SourceNamespace, "db", "summer", "to=app=yes")
	w.expect("after a conflict", "orders=summer*")
	if conflicts != 1 {
		t.Error("nothing came in between")
	}

	// Somebody takes a copy over, a moment before it is collected: it stays.
	taken := false
	w.server.React = func(r *client.Request) (client.Result, bool, error) {
		if r.Verb == client.Delete && r.Resource.Resource == "secrets" && !taken {
			taken = true
			w.put("orders", "db", "mine")
		}
		return w.preconditions(r)
	}
	w.server.Remove("secrets", SourceNamespace, "db")
	w.expect("taken over in time", "orders=mine")
	if !taken {
		t.Error("nothing was collected")
	}
}

// Where a namespace goes, nothing is made, and nothing is tried for ever.
func TestNamespaceGoes(t *testing.T) {
	w := newWorld(t, "orders")
	w.put(SourceNamespace, "db", "spring", "to=app=yes")
	w.begin()
	w.expect("made", "orders=spring*")
	refused := 0
	w.server.React = func(r *client.Request) (client.Result, bool, error) {
		if r.Verb == client.Create && r.Resource.Resource == "secrets" {
			refused++
			err := apierrors.NewForbidden(r.Resource.GroupResource(), r.Name, errors.New("namespace orders is being terminated"))
			err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: namespaceTerminating}}
			return nil, true, err
		}
		return w.preconditions(r)
	}
	w.server.Remove("secrets", "orders", "db") // the namespace controller does, before this program hears of the namespace
	w.pass()
	if refused != 1 {
		t.Errorf("it tried %d times", refused)
	}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "orders", Labels: map[string]string{"app": "yes"}, DeletionTimestamp: &metav1.Time{}}}
	w.server.Put("namespaces", ns)
	w.pass()
	w.server.Remove("namespaces", "", "orders")
	w.expect("gone", "")
	if refused != 1 {
		t.Errorf("it tried %d times", refused)
	}
}

// A source that is being deleted has no copies, before it is gone.
func TestSourceGoes(t *testing.T) {
	w := newWorld(t, "orders")
	w.put(SourceNamespace, "db", "spring", "to=app=yes")
	w.begin()
	w.put(SourceNamespace, "db", "spring", "to=app=yes")
	w.expect("made", "orders=spring*")
	s := w.secret(SourceNamespace, "db").DeepCopy()
	s.DeletionTimestamp = &metav1.Time{}
	w.server.Put("secrets", s)
	w.expect("collected", "")
}

// A deletion that a watch has missed leads to the same key.
func TestMissedDeletions(t *testing.T) {
	w := newWorld(t, "orders", "shop")
	w.put(SourceNamespace, "db", "spring", "to=app=yes")
	w.begin()
	w.server.DropWatches(0)
	w.server.Remove("secrets", SourceNamespace, "db")
	w.server.Compact()
	w.k.RunUntil(w.k.Elapsed() + time.Minute)
	w.expect("collected", "")
}
